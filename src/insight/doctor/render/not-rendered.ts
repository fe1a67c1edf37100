/** A pool that has no config although controllers run, and says nothing about why. */
import {
  annotations,
  CONTROLLER_CONFIG_NAME,
  controllerConfig as controllerConfigKind,
} from '../../../api/index.ts';
import { stringAt } from '../../../base/json-fields.ts';
import { annotationOf } from '../../../kubernetes/meta/index.ts';
import { isOver, LIMITS } from '../limits.ts';
import { aPool } from '../objects.ts';
import type { Rule } from '../rule.ts';
import { shell } from '../shell.ts';

export const notRendered: Rule = {
  codes: ['NotRendered'],
  stage: 'render',
  find({ pools, nowMs, namespace, snapshot }) {
    return pools.flatMap(({ name, pool, summary }) => {
      const created = stringAt(pool, 'metadata', 'creationTimestamp');
      if (summary.target !== '' || annotationOf(pool, annotations.renderProblem) !== undefined) return [];
      if (stringAt(pool, 'metadata', 'deletionTimestamp') !== '') return [];
      if (!isOver(created, LIMITS.restartMs, nowMs)) return [];
      return [
        {
          code: 'NotRendered',
          cause: `pool ${name} has no config yet, and nothing says why`,
          about: aPool(name),
          pools: [name],
          since: created,
          evidence: [
            { object: aPool(name), field: 'spec.configuration.name', value: 'none', since: created },
            ...(snapshot.has(controllerConfigKind) && snapshot.all(controllerConfigKind).length === 0
              ? [
                  {
                    object: { kind: controllerConfigKind.kind, name: CONTROLLER_CONFIG_NAME },
                    field: 'metadata',
                    value: 'there is none: the operator writes it first',
                  },
                ]
              : []),
          ],
          next: [
            {
              command: shell`kubectl -n ${namespace} logs deployment/machine-config-controller --since 10m`,
              why: 'what the render controller waits for',
            },
            {
              command: shell`kubectl get controllerconfig ${CONTROLLER_CONFIG_NAME} -o yaml`,
              why: 'is it complete?',
            },
          ],
        },
      ];
    });
  },
};
