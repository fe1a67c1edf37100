/** The controllers or the operator do not run: by the Lease of the leading process, and by its Deployment. */
import { CONTROLLER_LEASE, OPERATOR_LEASE } from '../../../api/index.ts';
import { numberAt, stringAt } from '../../../base/json-fields.ts';
import { conditionOf, nameOf } from '../../../kubernetes/meta/index.ts';
import {
  deployment as deploymentKind,
  lease as leaseKind,
  pod as podKind,
} from '../../../kubernetes/types/index.ts';
import type { AbsentComponents } from '../../absent-components.ts';
import { since } from '../../timestamp.ts';
import { componentPods, podProblem } from '../component-pods.ts';
import type { Facts } from '../facts.ts';
import type { Evidence, Found } from '../finding.ts';
import type { Rule } from '../rule.ts';
import { shell } from '../shell.ts';

type Component = AbsentComponents['components'][number];

const COMPONENTS: {
  readonly [name: string]: { readonly code: string; readonly lease: string; readonly effect: string };
} = {
  'machine-config-controller': {
    code: 'ControllerNotRunning',
    lease: CONTROLLER_LEASE,
    effect: 'nothing is rendered, no node is sent or drained, and the status of pools is not written',
  },
  'machine-config-operator': {
    code: 'OperatorNotRunning',
    lease: OPERATOR_LEASE,
    effect: 'new nodes and changes of the cluster are not noticed',
  },
};

export const componentNotRunning: Rule = {
  codes: ['ControllerNotRunning', 'OperatorNotRunning'],
  stage: 'cluster',
  needs: ({ absent, namespace }) =>
    (absent?.components ?? []).map(({ name }) => ({
      kind: podKind,
      namespace,
      labelSelector: `k8s-app=${name}`,
    })),
  find(facts) {
    if (facts.absent === undefined || facts.absent.isNotInstalled === true) return [];
    return facts.absent.components.flatMap((component) => finding(facts, component));
  },
};

function finding(facts: Facts, component: Component): readonly Found[] {
  const known = COMPONENTS[component.name];
  if (known === undefined) return [];
  const { namespace } = facts;
  const { name } = component;
  return [
    {
      code: known.code,
      cause: `${name} ${stateText(component)}: ${known.effect}`,
      about: { kind: 'Deployment', name, namespace },
      pools: [],
      ...since(component.since),
      evidence: evidenceOf(facts, component, known.lease),
      next: [
        {
          command: shell`kubectl -n ${namespace} get deployment,pods -l k8s-app=${name}`,
          why: 'is it installed, and do its pods start?',
        },
        { command: shell`kubectl -n ${namespace} logs deployment/${name} --previous`, why: 'why it ended' },
      ],
    },
  ];
}

function stateText({ since: last, pods }: Component): string {
  if (pods === 'none-desired') return 'is scaled to 0';
  if (pods === 'none-ready') return 'has no ready pod';
  return last === undefined ? 'has never run' : 'does not run';
}

function evidenceOf(facts: Facts, { name, pods }: Component, leaseName: string): readonly Evidence[] {
  const { snapshot, namespace } = facts;
  const lease = snapshot.get(leaseKind, { name: leaseName, namespace });
  const renewed = stringAt(lease, 'spec', 'renewTime');
  const deployment = snapshot.get(deploymentKind, { name, namespace });
  const about = { kind: 'Deployment', name, namespace };
  const wanted = deployment?.spec?.replicas;
  const available = conditionOf(deployment, 'Available');
  return [
    {
      object: { kind: 'Lease', name: leaseName, namespace },
      field: 'spec.renewTime',
      value:
        renewed === ''
          ? 'none'
          : `${renewed}, by ${stringAt(lease, 'spec', 'holderIdentity') || 'nobody: released'}`,
      ...since(renewed),
    },
    ...(pods === 'none-desired' ? [{ object: about, field: 'spec.replicas', value: `${wanted}` }] : []),
    ...(pods === 'none-ready'
      ? [
          {
            object: about,
            field: 'status.readyReplicas',
            value: `${numberAt(deployment, 'status', 'readyReplicas')} of ${wanted ?? 1}${available?.message ? `: ${available.message}` : ''}`,
          },
        ]
      : []),
    ...componentPods(facts, name).flatMap((pod) => {
      const problem = podProblem(pod);
      return problem === undefined
        ? []
        : [{ object: { kind: 'Pod', name: nameOf(pod), namespace }, ...problem }];
    }),
  ];
}
