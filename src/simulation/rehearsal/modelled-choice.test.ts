import { describe, expect, it } from 'vitest';
import { modelledNodes } from './modelled-choice.ts';

const nodesOf = (pool: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `${pool}-${index}`, pool, isUp: true }));

describe('the nodes of a rehearsal', () => {
  it('all have a machine and a daemon in a cluster of up to 60 nodes', () => {
    expect(modelledNodes(nodesOf('worker', 60), [])).toEqual(new Set());
  });

  it('are modelled in a larger cluster, but for the first ten of every pool', () => {
    const modelled = modelledNodes([...nodesOf('worker', 100), ...nodesOf('infra', 12)], []);
    expect(modelled.size).toBe(92);
    expect(modelled).not.toContain('worker-9');
    expect(modelled).toContain('worker-10');
    expect(modelled).not.toContain('infra-9');
    expect(modelled).toContain('infra-11');
  });

  it('that a fault is about have a machine', () => {
    const fault = { kind: 'node-lost', node: 'worker-70' } as const;
    expect(modelledNodes(nodesOf('worker', 100), [fault])).not.toContain('worker-70');
  });

  it('that are down are no part of the sample', () => {
    const nodes = nodesOf('worker', 100).map((node, index) => ({ ...node, isUp: index >= 5 }));
    const modelled = modelledNodes(nodes, []);
    expect(modelled).toContain('worker-0');
    expect(modelled).not.toContain('worker-14');
    expect(modelled).toContain('worker-15');
  });
});
