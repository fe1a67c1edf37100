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
 * `v0→v1 Degraded cord`: has v0, was sent to v1 and failed, and we cordoned it. `v1`: has arrived. `NR` is not ready, `theirs`
 * is cordoned by somebody else, `-` has no annotations.
 */
function aNode(words: string, index: number): Node {
  const [configs = '', ...marks] = words.split(' ');
  const [current = '', desired = current] = configs.split('→');
  const state = marks.find((mark) => /^(Working|Degraded|Unreconcilable|Done)$/.test(mark)) ?? 'Done';
  const isOurs = marks.includes('cord');
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: String.fromCharCode(97 + index),
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
    status: { conditions: [{ type: 'Ready', status: marks.includes('NR') ? 'False' : 'True' }] },
  };
}

function select(nodes: readonly Node[], max: number) {
  const { candidates, capacity } = selectCandidates(tallyOf(target, nodes).availability, max);
  return { names: candidates.map(({ name }) => name), capacity };
}

describe('of nodes in these states', () => {
  it.each<[string, number, readonly string[], string, number]>([
    ['all have arrived', 1, ['v1', 'v1', 'v1'], '', 1],
    ['one is down', 1, ['v1', 'v1', 'v1 NR'], '', 0],
    ['one that is down takes a place', 2, ['v0 NR', 'v0', 'v0'], 'bc', 1],
    ['down and under way each take one', 3, ['v1', 'v1 NR', 'v0→v1 Working', 'v0', 'v0'], 'de', 1],
    ['one is under way', 1, ['v1', 'v0→v1 Working', 'v0'], '', 0],
    ['one fails at an older target', 1, ['v1', 'v0.1→v0.2 Degraded', 'v0'], 'bc', 1],
    ['one has drifted', 1, ['v1', 'v1→v1 Degraded', 'v0'], '', 0],
    ['one fails at a target that was taken back', 1, ['v1', 'v1→v2 Degraded', 'v1'], 'b', 1],
    ['one was sent elsewhere and has not begun', 1, ['v1', 'v1→v2 Done', 'v1'], '', 0],
    ['one fails and is cordoned: it takes one place', 2, ['v0→v1 Degraded cord', 'v0', 'v0'], 'bc', 1],
    ['the same with more room', 3, ['v0→v1 Degraded cord', 'v0', 'v0'], 'bc', 2],
    ['one fails at an older target, cordoned by us', 1, ['v0→bad Degraded cord', 'v0'], 'a', 1],
    ['one works at an older target', 2, ['v0→old Working', 'v0'], 'ab', 1],
    ['one in service fails at the target', 2, ['v0→v1 Degraded', 'v0'], 'b', 1],
    ['one has no annotations', 1, ['-', 'v0'], '', 0],
  ])('%s, with %j allowed: %j', (_, max, words, names, capacity) => {
    expect(select(words.map(aNode), max)).toEqual({ names: [...names], capacity });
  });

  // What the vectors above leave open.
  it.each<[string, number, readonly string[], string, number]>([
    ['two fail in service: no room is left', 2, ['v0→v1 Degraded', 'v0→v1 Unreconcilable', 'v0'], '', 0],
    ['somebody else cordoned it: it is left alone', 1, ['v0→bad Degraded theirs', 'v0'], '', 0],
    ['we cordoned it and it works: it goes on', 1, ['v0→bad Working cord', 'v0'], '', 0],
    ['we cordoned it and it is down as well', 1, ['v0→bad Degraded cord NR', 'v0'], 'a', 1],
    ['its own place is not one for others', 2, ['v0→bad Degraded cord', 'v0 NR', 'v0'], 'a', 1],
    ['its own place comes on top of the room', 2, ['v0→bad Degraded cord', 'v0'], 'ab', 2],
    ['more are down than allowed', 1, ['v0→bad Degraded cord', 'v0→bad Degraded cord', 'v0'], 'ab', 2],
    ['no node', 1, [], '', 1],
  ])('%s, with %j allowed: %j', (_, max, words, names, capacity) => {
    expect(select(words.map(aNode), max)).toEqual({ names: [...names], capacity });
  });
});

describe('for nodes in any state', () => {
  const words = fc
    .tuple(
      fc.constantFrom('v0', 'v1', 'v0→v1', 'v0→old', 'v1→v0', '-'),
      fc.constantFrom('Done', 'Working', 'Degraded'),
      fc.constantFrom('', 'NR', 'cord', 'theirs', 'cord NR'),
    )
    .map((parts) => parts.join(' ').trim());
  const nodes = fc.array(words, { maxLength: 12 }).map((all) => all.map(aNode));
  const max = fc.integer({ min: 1, max: 6 });

  /** Nodes that are out of service, or in service and failing at the target: what the maximum is there to limit. */
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

  it('sending as many as there is capacity for never takes more than is allowed', () => {
    fc.assert(
      fc.property(nodes, max, (all, allowed) => {
        const { names, capacity } = select(all, allowed);
        const chosen = new Set(names.slice(0, capacity));
        const after = all.map((node) => (chosen.has(node.metadata.name) ? sent(node) : node));
        expect(taken(after)).toBeLessThanOrEqual(Math.max(allowed, taken(all)));
      }),
    );
  });

  it('allowing more never sends fewer', () => {
    fc.assert(
      fc.property(nodes, max, (all, allowed) => {
        const less = select(all, allowed);
        const more = select(all, allowed + 1);
        expect(more.capacity).toBeGreaterThanOrEqual(less.capacity);
        expect(more.names).toEqual(expect.arrayContaining(less.names));
      }),
    );
  });

  it('losing a node never adds capacity', () => {
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

  it('no node is sent that others cordoned, that is not ready, or that was sent already', () => {
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
