import { expect, it } from 'vitest';
import { aPool } from '../../../../test/support/build.ts';
import { found, texts } from '../../../../test/support/doctor-facts.ts';
import { invalidPoolSpec } from './invalid-pool-spec.ts';

it.each([
  [
    { nodeSelector: {} },
    /^SelectingAll: pool infra has no nodes because of its nodeSelector: it is empty, which would select all nodes$/,
  ],
  [
    { nodeSelector: { matchExpressions: [{ key: 'a', operator: 'In' as const, values: [] }] } },
    /^InvalidNodeSelector: pool infra has no nodes because of its nodeSelector: invalid label selector: /,
  ],
  [
    { maxUnavailable: 'some' },
    /^InvalidMaxUnavailable: pool infra sends no node, since its maxUnavailable is invalid: /,
  ],
])('names what is wrong with %j', (spec, expected) => {
  expect(texts(found(invalidPoolSpec, [aPool('infra', spec as never)]))).toEqual([
    expect.stringMatching(expected),
  ]);
});

it.each([{}, { maxUnavailable: '10%' }, { maxUnavailable: 0 }])('finds nothing wrong with %j', (spec) => {
  expect(found(invalidPoolSpec, [aPool('infra', spec as never)])).toEqual([]);
});
