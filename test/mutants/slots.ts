/**
 * Mistakes about how many nodes of a pool may be down, and which.
 */
import type { Mutant } from './mutant.ts';

export const slotMutants: readonly Mutant[] = [
  {
    name: 'counts-only-nodes-that-are-not-ready',
    why: 'A node that was sent and is still ready does not count, so that more follow than maxUnavailable allows.',
    ask: 52,
    seed: 2,
    patches: [
      {
        file: 'src/rollout/node-state.ts',
        from: 'return !isReady(node) || (!isDone(node) && !isFailing(node) && !isWithoutDaemon(node));',
        to: 'return !isReady(node);',
      },
    ],
  },
  {
    name: 'no-limit-for-the-control-plane',
    why: 'maxUnavailable of the pool master is taken as it is, and etcd loses its quorum.',
    ask: 'the control plane keeps its quorum (docs/differences.md)',
    seed: 145,
    patches: [
      {
        file: 'src/rollout/capacity.ts',
        from: "return nameOf(pool) === 'master' ? withinQuorum(atLeastOne, nodeCount) : ok(atLeastOne);",
        to: "return nameOf(pool) === '' ? withinQuorum(atLeastOne, nodeCount) : ok(atLeastOne);",
      },
    ],
  },
  {
    name: 'rounds-percentages-up',
    why: 'A third of four nodes is two: more nodes are down than the percentage allows.',
    ask: 52,
    seed: 150,
    patches: [
      {
        file: 'src/rollout/capacity.ts',
        from: 'return Math.floor((Number(percent) * nodeCount) / 100);',
        to: 'return Math.ceil((Number(percent) * nodeCount) / 100);',
      },
    ],
  },
  {
    name: 'deleted-nodes-keep-their-slot',
    why: 'A node that no longer exists holds its place in the pool for ever.',
    ask: 27,
    seed: 8,
    patches: [
      {
        file: 'src/controllers/pool-index.ts',
        from: '    this.#leave(name, pool);\n    return new Set([pool]);',
        to: '    return new Set([pool]);',
      },
    ],
  },
  {
    name: 'failing-nodes-hold-no-slot',
    why: 'A node that fails at a config lets the next one fail at it, until all of them have.',
    ask: 'a failing node keeps its place (docs/differences.md)',
    seed: 2,
    patches: [
      {
        file: 'src/rollout/candidates.ts',
        from: 'maxUnavailable - availability.unavailable - availability.failing',
        to: 'maxUnavailable - availability.unavailable',
      },
    ],
  },
  {
    name: 'slot-leaks-after-a-failure',
    why: 'A node that failed and recovered still holds its place, and the pool stands still.',
    ask: 52,
    seed: 2,
    patches: [
      {
        file: 'src/rollout/pool-tally.ts',
        from: "if (contribution.part === 'failing') this.#failing += by;",
        to: "if (contribution.part === 'failing' && by === 1) this.#failing += by;",
      },
    ],
  },
  {
    name: 'one-node-at-a-time',
    why: 'Whatever maxUnavailable says, the next node waits for the one before: one that is blocked blocks the pool.',
    ask: 52,
    seed: 241,
    patches: [
      {
        file: 'src/rollout/candidates.ts',
        from: 'const room = Math.max(0, maxUnavailable - availability.unavailable - availability.failing);',
        to: 'const room = availability.unavailable + availability.failing > 0 ? 0 : Math.min(1, maxUnavailable);',
      },
    ],
  },
  {
    name: 'sends-nodes-of-paused-pools',
    why: 'A paused pool moves.',
    ask: 'a paused pool does not move',
    seed: 56,
    patches: [
      {
        file: 'src/rollout/pool-gate.ts',
        from: "if (pool.spec?.paused === true) return closed('Paused', `Pool ${name} is paused`);",
        to: '',
      },
    ],
  },
];
