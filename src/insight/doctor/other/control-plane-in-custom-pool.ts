/** A control plane node that a custom pool selects, too: the pool master is honoured, the custom one has no effect on it. */

import { canonicalJson } from '../../../base/json.ts';
import { nameOf } from '../../../kubernetes/meta/index.ts';
import { aNode, aPool } from '../objects.ts';
import type { Rule } from '../rule.ts';
import { shell } from '../shell.ts';

export const controlPlaneInCustomPool: Rule = {
  codes: ['ControlPlaneInCustomPool'],
  stage: 'other',
  severity: 'warning',
  find: ({ nodes }) =>
    nodes.flatMap(({ name, membership }) => {
      if (membership.kind !== 'member' || membership.ignored === undefined) return [];
      const custom = nameOf(membership.ignored);
      return [
        {
          code: 'ControlPlaneInCustomPool',
          cause: `pool ${custom} selects control plane node ${name}, and has no effect on it: it stays in pool master`,
          about: aNode(name),
          pools: [custom],
          evidence: [
            {
              object: aPool(custom),
              field: 'spec.nodeSelector',
              value: canonicalJson(membership.ignored.spec?.nodeSelector),
            },
          ],
          next: [
            {
              command: shell`kubectl get node ${name} --show-labels`,
              why: 'remove the label of the custom pool',
            },
          ],
        },
      ];
    }),
};
