/**
 * Mistakes about cordons: whose they are, and when they end.
 */
import type { Mutant } from './mutant.ts';

export const cordonMutants: readonly Mutant[] = [
  {
    name: 'removes-cordons-of-people',
    why: 'A node that an administrator has cordoned takes pods again after an update.',
    ask: 18,
    seed: 374,
    patches: [
      {
        file: 'src/rollout/drain.ts',
        from: "const isOurs = isCordoned(node) && cordonHolder(node, record, fieldManager) === 'millwright';",
        to: 'const isOurs = isCordoned(node);',
      },
    ],
  },
  {
    name: 'does-not-hold-the-cordon',
    why: 'Somebody uncordons a node in the middle of its drain; it is not cordoned again, and reboots with new pods.',
    ask: 19,
    seed: 332,
    patches: [
      {
        file: 'src/rollout/drain.ts',
        from: "  if (!isCordoned(node)) {\n    return write('cordon'",
        to: "  if (!isCordoned(node) && begun !== currentRecord) {\n    return write('cordon'",
      },
    ],
  },
  {
    name: 'no-uncordon-after-a-failure',
    why: 'An update fails after the drain and is reverted; the node recovers, and stays cordoned.',
    ask: 49,
    seed: 42,
    patches: [
      {
        file: 'src/node/daemon/decide.ts',
        from: "const isInService = drainProgress(drain, { verb: 'uncordon', config: current.config }) === 'applied';",
        to: 'const isInService = true;',
      },
    ],
  },
  {
    name: 'forgets-its-own-cordon',
    why: 'Who cordoned a node is not written down, so that nobody uncordons it after the update.',
    ask: 26,
    seed: 2,
    patches: [
      {
        file: 'src/rollout/drain.ts',
        from: "        cordonedBy: 'millwright',\n",
        to: '',
      },
      {
        file: 'src/rollout/cordon.ts',
        from: 'fieldManager === undefined || managers.length === 0',
        to: 'fieldManager === undefined || managers.length >= 0',
      },
    ],
  },
  {
    name: 'cordons-the-last-node',
    why: 'No node takes pods any more, the pod of the controller included: nobody is left to uncordon one.',
    ask: 45,
    seed: 185,
    patches: [
      {
        file: 'src/controllers/drain/drain.ts',
        from: "if (step.kind === 'cordon' && isLastSchedulableNode(",
        to: "if (step.kind === 'begin' && isLastSchedulableNode(",
      },
    ],
  },
  {
    name: 'daemon-cordons-its-node',
    why: 'The daemon writes a field of the controllers, with a token that may not: two writers of one field.',
    ask: 'one writer for each field (docs/architecture.md)',
    seed: 2,
    patches: [
      {
        file: 'src/node/daemon/reporter.ts',
        from: 'const body = { metadata: { annotations: changes } };',
        to: "const isWorking = changes[annotations.state] === 'Working';\n    const body = { metadata: { annotations: changes }, ...(isWorking ? { spec: { unschedulable: true } } : {}) };",
      },
    ],
  },
];
