/** A reconcile that fails again and again, as the controllers report it on the ControllerConfig. */
import { CONTROLLER_CONFIG_NAME, controllerConfig as controllerConfigKind } from '../../../api/index.ts';
import { conditionOf } from '../../../kubernetes/meta/index.ts';
import { condition, conditionSince } from '../objects.ts';
import type { Rule } from '../rule.ts';
import { shell } from '../shell.ts';

export const controllersFailing: Rule = {
  codes: ['ControllersFailing'],
  stage: 'cluster',
  find({ snapshot, namespace }) {
    const config = snapshot.get(controllerConfigKind, { name: CONTROLLER_CONFIG_NAME });
    const failing = conditionOf(config, 'ControllersFailing');
    if (failing?.status !== 'True') return [];
    const about = { kind: controllerConfigKind.kind, name: CONTROLLER_CONFIG_NAME };
    return [
      {
        code: 'ControllersFailing',
        cause: `a controller fails again and again: ${failing.message}`,
        about,
        pools: [],
        ...conditionSince(config, 'ControllersFailing'),
        evidence: condition(about, config, 'ControllersFailing'),
        next: [
          {
            command: shell`kubectl -n ${namespace} logs deployment/machine-config-controller --since 10m`,
            why: 'all failures',
          },
          {
            command: 'millwright install | kubectl apply --server-side -f -',
            why: 'restores permissions and policies that were changed',
          },
        ],
      },
    ];
  },
};
