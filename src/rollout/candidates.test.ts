import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { annotations } from '../api/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import { selectCandidates } from './candidates.ts';
import { formatDrainRecord } from './drain-record.ts';
import { tallyOf } from './pool-tally.ts';
import { desiredAnnotations, type PoolTarget } from './pool-target.ts';

const target: PoolTarget = { config: 'v1' };
const RECORD = {
  request: 'drain-x',
  cordonedBy: 'millwright',
  beganMs: 0,
  attempts: 1,
  attemptBeganMs: 0,
} as const;

/**
 * `v0→v1 Degraded cord`: runs v0, failed to update to v1, and is cordoned by us. `v1`: runs v1. `NR`: not ready. `theirs`:
 * cordoned by another client. `-`: no annotations; with `old`, for longer than a node takes to join.
 */
function aNode(text: string, index: number): Node {
  const [configs = '', ...marks] = text.split(' ');
  const [current = '', desired = current] = configs.split('→');
  const state = marks.find((mark) => /^(Working|Degraded|Unreconcilable|Done)$/.test(mark)) ?? 'Done';
  const isOurs = marks.includes('cord');
  const times = marks.includes('old') ? { lastHeartbeatTime: '2026-01-01T11:00:00Z' } : {};
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: String.fromCharCode(97 + index),
      ...(marks.includes('old') ? { creationTimestamp: '2026-01-01T10:00:00Z' } : {}),
      annotations: {
        ...(configs === '-'
          ? {}
          : {
              [annotations.currentConfig]: current,
              [annotations.desiredConfig]: desired,
              [annotations.state]: state,
            }),
        ...(isOurs ? { [annotations.drain]: formatDrainRecord(RECORD) } : {}),
      },
    },
    spec: { unschedulable: isOurs || marks.includes('theirs') },
    status: { conditions: [{ type: 'Ready', status: marks.includes('NR') ? 'False' : 'True', ...times }] },
  };
}

function select(nodes: readonly Node[], max: number) {
  const { candidates, capacity } = selectCandidates(tallyOf(target, nodes).availability, max);
  return { names: candidates.map(({ name }) => name), capacity };
}

describe('selectCandidates', () => {
  it.each<[string, number, readonly string[], string, number]>([
    ['all are updated', 1, ['v1', 'v1', 'v1'], '', 1],
    ['one is down', 1, ['v1', 'v1', 'v1 NR'], '', 0],
    ['one that is down uses capacity', 2, ['v0 NR', 'v0', 'v0'], 'bc', 1],
    [
      'nodes that are down or updating use capacity',
      3,
      ['v1', 'v1 NR', 'v0→v1 Working', 'v0', 'v0'],
      'de',
      1,
    ],
    ['one is updating', 1, ['v1', 'v0→v1 Working', 'v0'], '', 0],
    ['one fails at an older target', 1, ['v1', 'v0.1→v0.2 Degraded', 'v0'], 'bc', 1],
    ['one has drifted', 1, ['v1', 'v1→v1 Degraded', 'v0'], '', 0],
    ['one fails at a target that was reverted', 1, ['v1', 'v1→v2 Degraded', 'v1'], 'b', 1],
    ['one has another desired config and has not begun', 1, ['v1', 'v1→v2 Done', 'v1'], '', 0],
    ['one fails and is cordoned: it uses capacity once', 2, ['v0→v1 Degraded cord', 'v0', 'v0'], 'bc', 1],
    ['the same with more capacity', 3, ['v0→v1 Degraded cord', 'v0', 'v0'], 'bc', 2],
    ['one fails at an older target, cordoned by us', 1, ['v0→bad Degraded cord', 'v0'], 'a', 1],
    ['one works at an older target', 2, ['v0→old Working', 'v0'], 'ab', 1],
    ['one in service fails at the target', 2, ['v0→v1 Degraded', 'v0'], 'b', 1],
    ['one has no annotations', 1, ['-', 'v0'], '', 0],
  ])('%s, with %j allowed: %j', (_, max, states, names, capacity) => {
    expect(select(states.map(aNode), max)).toEqual({ names: [...names], capacity });
  });

  // Cases beyond those of upstream.
  it.each<[string, number, readonly string[], string, number]>([
    ['two fail in service: no capacity is left', 2, ['v0→v1 Degraded', 'v0→v1 Unreconcilable', 'v0'], '', 0],
    ['it is cordoned by another client: it is skipped', 1, ['v0→bad Degraded theirs', 'v0'], '', 0],
    ['it is cordoned by us and works: it continues', 1, ['v0→bad Working cord', 'v0'], '', 0],
    ['it is cordoned by us and not ready', 1, ['v0→bad Degraded cord NR', 'v0'], 'a', 1],
    ['its own capacity is not available to others', 2, ['v0→bad Degraded cord', 'v0 NR', 'v0'], 'a', 1],
    ['its own capacity is in addition to the rest', 2, ['v0→bad Degraded cord', 'v0'], 'ab', 2],
    ['more are down than allowed', 1, ['v0→bad Degraded cord', 'v0→bad Degraded cord', 'v0'], 'ab', 2],
    ['two have no daemon: they use no capacity and are not sent', 1, ['- old', 'v0', '- old'], 'b', 1],
    ['one has no daemon and is down', 1, ['- old NR', 'v0'], '', 0],
    ['no node', 1, [], '', 1],
  ])('%s, with %j allowed: %j', (_, max, states, names, capacity) => {
    expect(select(states.map(aNode), max)).toEqual({ names: [...names], capacity });
  });
});

describe('selectCandidates with nodes in any state', () => {
  const states = fc
    .tuple(
      fc.constantFrom('v0', 'v1', 'v0→v1', 'v0→old', 'v1→v0', '-'),
      fc.constantFrom('Done', 'Working', 'Degraded'),
      fc.constantFrom('', 'NR', 'cord', 'theirs', 'cord NR'),
    )
    .map((parts) => parts.join(' ').trim());
  const nodes = fc.array(states, { maxLength: 12 }).map((all) => all.map(aNode));
  const max = fc.integer({ min: 1, max: 6 });

  /** Nodes that are out of service, or in service and failing at the target: those that maxUnavailable limits. */
  const taken = (all: readonly Node[]) => {
    const { unavailable, failing } = tallyOf(target, all).availability;
    return unavailable + failing;
  };

  const sent = (node: Node): Node => ({
    ...node,
    metadata: {
      ...node.metadata,
      annotations: Object.fromEntries(
        Object.entries({ ...node.metadata.annotations, ...desiredAnnotations(target) }).flatMap(
          ([key, value]) => (value === null ? [] : [[key, value]]),
        ),
      ),
    },
  });

  it('using all capacity never exceeds maxUnavailable', () => {
    fc.assert(
      fc.property(nodes, max, (all, allowed) => {
        const { names, capacity } = select(all, allowed);
        const chosen = new Set(names.slice(0, capacity));
        const after = all.map((node) => (chosen.has(node.metadata.name) ? sent(node) : node));
        expect(taken(after)).toBeLessThanOrEqual(Math.max(allowed, taken(all)));
      }),
    );
  });

  it('a larger maxUnavailable never selects fewer nodes', () => {
    fc.assert(
      fc.property(nodes, max, (all, allowed) => {
        const less = select(all, allowed);
        const more = select(all, allowed + 1);
        expect(more.capacity).toBeGreaterThanOrEqual(less.capacity);
        expect(more.names).toEqual(expect.arrayContaining(less.names));
      }),
    );
  });

  it('an unavailable node never adds capacity', () => {
    fc.assert(
      fc.property(nodes, max, (all, allowed) => {
        const [first, ...rest] = all;
        if (first === undefined) return;
        const down = { ...first, status: { conditions: [{ type: 'Ready', status: 'False' }] } };
        const room = (some: readonly Node[]) => {
          const { unavailable, failing } = tallyOf(target, some).availability;
          return Math.max(0, allowed - unavailable - failing);
        };
        expect(room([down, ...rest])).toBeLessThanOrEqual(room(all));
      }),
    );
  });

  it('no node is selected that another client cordoned, that is not ready, or that has the target', () => {
    fc.assert(
      fc.property(nodes, max, (all, allowed) => {
        for (const name of select(all, allowed).names) {
          const node = all.find(({ metadata }) => metadata.name === name);
          const isDown = node?.status?.conditions?.[0]?.status === 'False';
          const isOurs = node?.metadata.annotations?.[annotations.drain] !== undefined;
          expect(node?.metadata.annotations?.[annotations.desiredConfig]).not.toBe('v1');
          expect(node?.spec.unschedulable === true || isDown ? isOurs : true).toBe(true);
        }
      }),
    );
  });

  it('the order of the input has no effect', () => {
    fc.assert(
      fc.property(nodes, max, (all, allowed) => {
        expect(select(all.toReversed(), allowed)).toEqual(select(all, allowed));
      }),
    );
  });
});
