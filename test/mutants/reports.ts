/**
 * Mistakes about what is reported, and about the objects that are left.
 */
import type { Mutant } from './mutant.ts';

export const reportMutants: readonly Mutant[] = [
  {
    name: 'updated-by-what-is-desired',
    why: 'A pool is Updated once all its nodes were sent, not once they are there.',
    ask: 23,
    seed: 2,
    patches: [
      {
        file: 'src/rollout/pool-target.ts',
        from: '    isDone(node) &&\n    annotationOf(node, annotations.desiredConfig) === target.config &&',
        to: '    annotationOf(node, annotations.desiredConfig) === target.config &&',
      },
    ],
  },
  {
    name: 'degraded-in-one-place',
    why: 'The node is done again, and its MachineConfigNode still says that it is degraded.',
    ask: 23,
    seed: 18,
    patches: [
      {
        file: 'src/node/report/state.ts',
        from: "    draft.retireConditions({ applies: (type) => type === 'NodeDegraded' });\n  }\n}\n\nexport function isFailing",
        to: '  }\n}\n\nexport function isFailing',
      },
      {
        file: 'src/node/report/apply-event.ts',
        from: "  if (draft.hasCondition('NodeDegraded', 'True')) draft.setCondition(updates.succeeded(draft.nodeName));\n",
        to: '',
      },
      {
        file: 'src/node/report/apply-event.ts',
        from: 'if (!isFailing(draft)) draft.setCondition(updates.succeeded(draft.nodeName));',
        to: "if (!isFailing(draft) && !draft.hasCondition('NodeDegraded', 'True')) draft.setCondition(updates.succeeded(draft.nodeName));",
      },
      {
        file: 'src/node/report/recover.ts',
        from: "draft.setCondition(wasUpdated(draft) ? updates.succeeded(draft.nodeName) : notYetOccurred('NodeDegraded'));",
        to: 'void draft.nodeName;',
      },
    ],
  },
  {
    name: 'keeps-records-of-deleted-nodes',
    why: 'The MachineConfigNode of a node that is gone stays.',
    ask: 27,
    seed: 8,
    patches: [
      {
        file: 'src/controllers/operator.ts',
        from: '    if (existing !== undefined) await kube.delete(machineConfigNodeKind, { name });\n',
        to: '',
      },
    ],
  },
  {
    name: 'names-renderings-by-more-than-their-content',
    why: 'Reverting a change gives another rendered name for the same content, and reboots all nodes for nothing.',
    ask: 'the same content has one name (docs/differences.md)',
    seed: 2,
    patches: [
      {
        file: 'src/config/render/render.ts',
        from: 'name: renderedName(pool.metadata.name, specText),',
        to: 'name: renderedName(pool.metadata.name, `${specText}${sources.map(({ machineConfig }) => machineConfig.metadata.generation).join()}`),',
      },
    ],
  },
];
