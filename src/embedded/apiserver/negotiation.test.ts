import { describe, expect, it } from 'vitest';
import { createBuiltinResources } from '../resources/index.ts';
import { negotiate, type Offer } from './negotiation.ts';

const resource = createBuiltinResources().find(({ plural }) => plural === 'leases');
if (resource === undefined) throw new Error('leases are served');
const one: Offer = { resource, subresource: '', verb: 'get' };
const custom: Offer = { ...one, resource: { ...resource, origin: 'custom' } };

describe('negotiate', () => {
  const json = { encoding: 'json', as: 'object', version: 'v1' };
  it.each([
    [undefined, json],
    ['', json],
    ['*/*', json],
    ['application/json, */*', json],
    ['application/vnd.kubernetes.protobuf,application/json', json],
    ['application/vnd.kubernetes.protobuf', { ...json, encoding: 'protobuf' }],
    ['application/yaml', { ...json, encoding: 'yaml' }],
    ['application/json;as=Table;v=v1;g=meta.k8s.io,application/json', { ...json, as: 'Table' }],
    ['application/json;as=Table;v=v1beta1;g=meta.k8s.io', { ...json, as: 'Table', version: 'v1beta1' }],
    ['application/json; as=Table; v=v9; g=meta.k8s.io, application/json', json],
    [
      'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
      { ...json, as: 'PartialObjectMetadata' },
    ],
  ])('%s', (accept, format) => {
    expect(negotiate(accept, one)).toEqual(format);
  });

  const wrong = 'application/json;as=Table;v=v9;g=meta.k8s.io';
  const partial = (kind: string) => `application/json;as=${kind};v=v1;g=meta.k8s.io`;
  const all = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';
  const streams = 'application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch';
  it.each<[string, string, Offer, string]>([
    ['an unknown type', 'text/html', one, `406: Not Acceptable\n\nAvailable representations: ${all}`],
    [
      'the same of a list',
      'text/html',
      { ...one, verb: 'list' },
      `406: Not Acceptable\n\nAvailable representations: ${all}, ${streams}`,
    ],
    [
      'the same of a log',
      'text/html',
      { ...one, subresource: 'log' },
      `406: Not Acceptable\n\nAvailable representations: text/plain, ${all}`,
    ],
    ['the same of a custom kind', 'text/html', custom, `only the following media types are accepted: ${all}`],
    ['a Table of the future', wrong, one, `only the following media types are accepted: ${all}`],
    [
      'a watch in YAML',
      'application/yaml',
      { ...one, verb: 'watch' },
      `only the following media types are accepted: ${streams}`,
    ],
    [
      'one object of a list',
      partial('PartialObjectMetadata'),
      { ...one, verb: 'list' },
      'you requested PartialObjectMetadata, but the requested object is a list (*coordination.LeaseList)',
    ],
    [
      'a list of one object',
      partial('PartialObjectMetadataList'),
      custom,
      'you requested PartialObjectMetadataList, but the requested object is not a list (*unstructured.Unstructured)',
    ],
  ])('rejects %s', (_, accept, offer, message) => {
    expect(() => negotiate(accept, offer)).toThrow(message);
  });
});
