import { describe, expect, it } from 'vitest';
import type { Container } from '../../kubernetes/types/index.ts';
import { amountsOf, nodeAllocatable, podRequests } from './pod-resources.ts';

const asking = (name: string, requests: { readonly [resource: string]: string }): Container => ({
  name,
  resources: { requests },
});
const staying = (name: string, requests: { readonly [resource: string]: string }): Container => ({
  ...asking(name, requests),
  restartPolicy: 'Always',
});

describe('amounts', () => {
  it.each([
    ['cpu', '250m', 250],
    ['cpu', '1.5', 1500],
    ['cpu', '0.0001', 1],
    ['cpu', 2, 2000],
    ['memory', '1Gi', 1_073_741_824],
    ['memory', '1G', 1_000_000_000],
    ['memory', '100m', 1],
    ['pods', '110', 110],
    ['memory', 'much', 0],
    ['memory', '', 0],
  ])('of %s: %s is %d', (resource, quantity, amount) => {
    expect(amountsOf({ [resource]: quantity })).toEqual(new Map([[resource, amount]]));
  });
});

describe('the requests of a pod', () => {
  const table: readonly (readonly [string, Parameters<typeof podRequests>[0]['spec'], object])[] = [
    ['are empty if no container has any', { containers: [{ name: 'a' }] }, {}],
    [
      'are the sum of its containers',
      { containers: [asking('a', { cpu: '100m', memory: '1Gi' }), asking('b', { cpu: '1' })] },
      { cpu: 1100, memory: 2 ** 30 },
    ],
    [
      'are those of the largest init container if that is more',
      {
        containers: [asking('a', { cpu: '100m' })],
        initContainers: [asking('i', { cpu: '300m' }), asking('j', { cpu: '700m' })],
      },
      { cpu: 700 },
    ],
    [
      'include sidecars with the containers',
      {
        containers: [asking('a', { cpu: '100m' })],
        initContainers: [staying('i', { cpu: '300m' }), asking('j', { cpu: '50m' })],
      },
      { cpu: 400 },
    ],
    [
      'include sidecars with the init containers after them',
      {
        containers: [asking('a', { cpu: '100m' })],
        initContainers: [
          asking('h', { cpu: '400m' }),
          staying('i', { cpu: '300m' }),
          asking('j', { cpu: '500m' }),
        ],
      },
      { cpu: 800 },
    ],
    [
      'include the overhead',
      { containers: [asking('a', { cpu: '100m' })], overhead: { cpu: '20m', memory: '1Mi' } },
      { cpu: 120, memory: 2 ** 20 },
    ],
  ];
  it.each(table)('%s', (_, spec, expected) => {
    expect(Object.fromEntries(podRequests({ spec }))).toEqual(expected);
  });
});

describe('the allocatable resources of a node', () => {
  it('is allocatable, else capacity', () => {
    const capacity = { cpu: '4', pods: '250' };
    expect(nodeAllocatable({ status: { capacity, allocatable: { cpu: '3500m' } } })).toEqual(
      new Map([['cpu', 3500]]),
    );
    expect(nodeAllocatable({ status: { capacity } }).get('pods')).toBe(250);
    expect(nodeAllocatable({}).size).toBe(0);
  });
});
