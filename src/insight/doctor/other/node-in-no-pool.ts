/** A managed node that no pool selects: it keeps its config, and gets no update. */
import { annotations } from '../../../api/index.ts';
import { annotationOf } from '../../../kubernetes/meta/index.ts';
import { aNode, annotation } from '../objects.ts';
import type { Rule } from '../rule.ts';
import { shell } from '../shell.ts';

export const nodeInNoPool: Rule = {
  codes: ['NodeInNoPool'],
  stage: 'other',
  severity: 'warning',
  find: ({ nodes }) =>
    nodes.flatMap(({ name, node, membership }) => {
      if (membership.kind !== 'none' || membership.message === undefined) return [];
      const config = annotationOf(node, annotations.currentConfig) ?? '';
      return [
        {
          code: 'NodeInNoPool',
          cause: `node ${name} is managed, and no pool selects it: it keeps ${config}`,
          about: aNode(name),
          pools: [],
          evidence: [annotation(aNode(name), annotations.currentConfig, config)],
          next: [
            {
              command: shell`kubectl get node ${name} --show-labels`,
              why: 'give it the labels that a pool selects',
            },
          ],
        },
      ];
    }),
};
