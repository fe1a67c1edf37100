/** A task of the operator that fails, as OpenShift's ClusterOperator has it. Pools and controllers have rules of their own. */
import { clusterOperator as clusterOperatorKind } from '../../../api/index.ts';
import { conditionOf } from '../../../kubernetes/meta/index.ts';
import { condition, conditionSince } from '../objects.ts';
import { isOfOtherVersion } from '../render/other-version.ts';
import type { Rule } from '../rule.ts';
import { shell } from '../shell.ts';

const NAME = 'machine-config';
const OTHERS: ReadonlySet<string> = new Set(['RequiredPoolsFailed', 'MachineConfigControllerFailed']);

export const operatorFailing: Rule = {
  codes: ['OperatorFailing'],
  stage: 'cluster',
  find({ snapshot, namespace }) {
    const operator = snapshot.get(clusterOperatorKind, { name: NAME });
    const degraded = conditionOf(operator, 'Degraded');
    if (degraded?.status !== 'True' || OTHERS.has(degraded.reason)) return [];
    if (isOfOtherVersion(degraded.message)) return [];
    const about = { kind: clusterOperatorKind.kind, name: NAME };
    return [
      {
        code: 'OperatorFailing',
        cause: `the operator fails: ${degraded.message}`,
        about,
        pools: [],
        ...conditionSince(operator, 'Degraded'),
        evidence: condition(about, operator, 'Degraded'),
        next: [
          {
            command: shell`kubectl -n ${namespace} logs deployment/machine-config-operator --since 10m`,
            why: 'all failures',
          },
        ],
      },
    ];
  },
};
