import { describe, expect, it } from 'vitest';
import { annotations, EMPTY_CONFIG_NAME } from '../api/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import { nodesToAdopt } from './adoption.ts';
import type { Gate } from './pool-gate.ts';
import { tallyOf } from './pool-tally.ts';

const TARGET = { config: 'rendered-worker-1' };
const OPEN: Gate = { kind: 'open' };
const closed = (reason: 'Paused' | 'RenderPending'): Gate => ({
  ...{ kind: 'closed', reason, message: '', hasStatus: true },
});

function aNode(
  name: string,
  current: string,
  { state = 'Done', ready = 'True', desired = current } = {},
): Node {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      annotations: {
        [annotations.currentConfig]: current,
        [annotations.desiredConfig]: desired,
        [annotations.state]: state,
      },
    },
    spec: {},
    status: { conditions: [{ type: 'Ready', status: ready }] },
  };
}

const adopted = (nodes: readonly Node[], gate: Gate, isTargetEmpty: boolean) =>
  nodesToAdopt({ gate, isTargetEmpty, candidates: tallyOf(TARGET, nodes).availability.candidates })
    .map(({ name }) => name)
    .sort();

describe('nodes that join a pool with an empty configuration', () => {
  const nodes = [
    aNode('a', EMPTY_CONFIG_NAME),
    aNode('b', EMPTY_CONFIG_NAME),
    aNode('not-ready', EMPTY_CONFIG_NAME, { ready: 'False' }),
    aNode('failing', EMPTY_CONFIG_NAME, { state: 'Degraded' }),
    aNode('sent-elsewhere', EMPTY_CONFIG_NAME, { desired: 'rendered-worker-0' }),
    aNode('with-a-config', 'rendered-worker-0'),
    aNode('there', 'rendered-worker-1'),
    { ...aNode('without-a-daemon', ''), metadata: { name: 'without-a-daemon' } },
  ];

  it.each<[string, Gate, boolean, readonly string[]]>([
    ['are sent all at once', OPEN, true, ['a', 'b']],
    ['are sent also while the pool is paused', closed('Paused'), true, ['a', 'b']],
    ['wait while the pool is about to get another target', closed('RenderPending'), true, []],
    ['are updated like any node if the configuration is not empty', OPEN, false, []],
    ['stay where they are if the configuration is not empty and paused', closed('Paused'), false, []],
  ])('%s', (_, gate, isTargetEmpty, expected) => {
    expect(adopted(nodes, gate, isTargetEmpty)).toEqual(expected);
  });
});
