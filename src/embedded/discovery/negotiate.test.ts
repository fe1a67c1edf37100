import { describe, expect, it } from 'vitest';
import { contentType, negotiate } from './negotiate.ts';

const aggregated = (version: string, type = 'application/json') =>
  `${type};g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';

/** The type of the answer, or why there is none. */
function answerTo(accept: string | undefined, offersAggregated = true): string {
  const form = negotiate(accept, offersAggregated);
  return typeof form === 'string' ? form : contentType(form);
}

describe('negotiate for unsupported media types', () => {
  it.each([
    ['text/html', 'unknown type'],
    ['garbage', 'unknown type'],
    [',;=,;;q=x', 'unknown type'],
    ['application/json;q=0', 'unknown type'],
    ['application/cbor', 'unknown type'],
    ['application/vnd.kubernetes.protobuf', 'unknown type'],
    [table, 'unknown form'],
    [aggregated('v2beta1'), 'unknown form'],
    [aggregated('v9'), 'unknown form'],
    ['application/json;as=', 'unknown form'],
    [`${'text/html,'.repeat(100_000)}application/json`, 'unknown type'],
  ])('refuses %.40s', (accept, expected) => {
    expect(answerTo(accept)).toBe(expected);
  });

  it('refuses the aggregated form where there is none', () => {
    expect(answerTo(aggregated('v2'), false)).toBe('unknown form');
  });
});

describe('negotiate for supported media types', () => {
  it.each([
    [undefined, 'application/json'],
    ['', 'application/json'],
    ['*/*', 'application/json'],
    ['application/*', 'application/json'],
    ['application/json, */*', 'application/json'],
    ['APPLICATION/JSON', 'application/json'],
    ['application/yaml', 'application/yaml'],
    ['application/json;q=0.1,application/yaml', 'application/yaml'],
    ['application/vnd.kubernetes.protobuf,application/json', 'application/json'],
    [`${table},application/json`, 'application/json'],
    [`${aggregated('v2beta1')},application/json`, 'application/json'],
    [`${aggregated('v2')},${aggregated('v2beta1')},application/json`, aggregated('v2')],
    [`application/json,${aggregated('v2')}`, aggregated('v2')],
    [aggregated('v2', 'application/yaml'), aggregated('v2', 'application/yaml')],
    [aggregated('v2', '*/*'), aggregated('v2')],
  ])('accepts %s', (accept, expected) => {
    expect(answerTo(accept)).toBe(expected);
  });
});
