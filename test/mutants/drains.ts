/**
 * Mistakes about drains: what is drained, how, and when it counts as done.
 */
import type { Mutant } from './mutant.ts';

export const drainMutants: readonly Mutant[] = [
  {
    name: 'drained-while-pods-terminate',
    why: 'The drain counts as done once all pods are evicted; the node reboots while they still end.',
    ask: 34,
    seed: 1,
    patches: [
      {
        file: 'src/rollout/drain.ts',
        from: 'const left = [...staying, ...leaving];',
        to: 'const left = [...staying];',
      },
    ],
  },
  {
    name: 'deletes-pods',
    why: 'Pods are deleted instead of evicted, against their disruption budgets.',
    ask: 'budgets are never bypassed (docs/differences.md)',
    seed: 2,
    patches: [
      {
        file: 'src/kubernetes/client/client.ts',
        from: "await this.#requests.ask({ method: 'POST', path, body, isAnswer: isBudgetRefusal });",
        to: "await this.#requests.ask({ method: 'DELETE', path: objectPath(pod, place), body: body.deleteOptions, isAnswer: () => path === '' });",
      },
    ],
  },
  {
    name: 'drain-clock-begins-anew',
    why: 'Each attempt starts the clock of a drain again, so that nobody ever hears that it takes too long.',
    ask: 'the drain clock is on the object (docs/differences.md)',
    seed: 10,
    patches: [
      {
        file: 'src/rollout/drain.ts',
        from: 'const next = { ...rest, attempts: record.attempts + 1, attemptBeganMs: nowMs };',
        to: 'const next = { ...rest, beganMs: nowMs, attempts: record.attempts + 1, attemptBeganMs: nowMs };',
      },
    ],
  },
  {
    name: 'small-clusters-are-not-drained',
    why: 'The drain is left out where a cluster is small, not only where there is no other node.',
    ask: 'a drain is skipped only for a single node (docs/differences.md)',
    seed: 15,
    patches: [
      {
        file: 'src/rollout/drain.ts',
        from: 'if (nodeCount === 1) return skip(node, begun);',
        to: 'if (nodeCount <= 3) return skip(node, begun);',
      },
    ],
  },
  {
    name: 'drains-before-the-image-is-there',
    why: 'A node is cordoned and drained for an OS image that cannot be pulled.',
    ask: 'OS images are fetched before the drain (docs/differences.md)',
    seed: 2,
    patches: [
      {
        file: 'src/node/plan/plan-update.ts',
        from: "  if (image !== undefined) steps.push({ kind: 'fetch', image });\n  if (needsDrain) steps.push({ kind: 'drain' });\n",
        to: "  if (needsDrain) steps.push({ kind: 'drain' });\n  if (image !== undefined) steps.push({ kind: 'fetch', image });\n",
      },
    ],
  },
  {
    name: 'reboots-without-its-drain',
    why: 'The daemon goes on once the drain is requested, and does not wait for the answer.',
    ask: 34,
    seed: 2,
    patches: [
      {
        file: 'src/node/daemon/drain/decide-drain.ts',
        from: "if (progress === 'applied') return { kind: 'complete-drain', index };",
        to: "if (progress !== 'not-requested') return { kind: 'complete-drain', index };",
      },
      {
        file: 'src/node/daemon/drain/decide-drain.ts',
        from: "(name) => drainProgress(drain, { verb: 'drain', config: name }) === 'applied',",
        to: "(name) => drainProgress(drain, { verb: 'drain', config: name }) !== 'not-requested',",
      },
    ],
  },
  {
    name: 'writes-decisions-on-old-nodes',
    why: 'A step of a drain that was decided on an old version of a node is applied to the present one.',
    ask: 49,
    seed: 87,
    patches: [
      {
        file: 'src/rollout/node-change.ts',
        from: '...(resourceVersion === undefined ? {} : { resourceVersion }), annotations',
        to: "...(resourceVersion === '' ? { resourceVersion } : {}), annotations",
      },
    ],
  },
];
