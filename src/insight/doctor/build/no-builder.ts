/** A pool waits for a build, and no builder runs. The controller says so after a minute, by the Lease of the builder. */
import { BUILDER_LEASE } from '../../../api/index.ts';
import { stringAt } from '../../../base/json-fields.ts';
import { nameOf } from '../../../kubernetes/meta/index.ts';
import { lease as leaseKind } from '../../../kubernetes/types/index.ts';
import { reportedOutage } from '../../../rollout/index.ts';
import { since } from '../../timestamp.ts';
import { aPool, condition, conditionSince } from '../objects.ts';
import type { Rule } from '../rule.ts';
import { shell } from '../shell.ts';

export const noBuilder: Rule = {
  codes: ['NoBuilder'],
  stage: 'build',
  find({ pools, snapshot, namespace }) {
    return pools.flatMap(({ name, pool, layering }) => {
      const outage = layering === undefined ? undefined : reportedOutage(pool);
      if (layering === undefined || outage === undefined) return [];
      const lease = snapshot.get(leaseKind, { name: BUILDER_LEASE, namespace });
      const renewed = stringAt(lease, 'spec', 'renewTime');
      return [
        {
          code: 'NoBuilder',
          cause: `pool ${name} waits for the build of its OS image, and no builder runs`,
          about: { kind: 'MachineOSConfig', name: nameOf(layering.config) },
          pools: [name],
          ...conditionSince(pool, 'BuildPending'),
          evidence: [
            ...condition(aPool(name), pool, 'BuildPending'),
            ...(snapshot.has(leaseKind)
              ? [
                  {
                    object: { kind: 'Lease', name: BUILDER_LEASE, namespace },
                    field: 'spec.renewTime',
                    value: renewed === '' ? 'none' : renewed,
                    ...since(renewed),
                  },
                ]
              : []),
          ],
          next: [
            {
              command: shell`kubectl -n ${namespace} get deployment,pods -l k8s-app=machine-os-builder`,
              why: 'is it installed, and do its pods start?',
            },
          ],
        },
      ];
    });
  },
};
