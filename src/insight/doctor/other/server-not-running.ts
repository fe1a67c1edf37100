/** The machine config server is installed and has no ready pod: machines cannot join. */
import { numberAt } from '../../../base/json-fields.ts';
import { nameOf } from '../../../kubernetes/meta/index.ts';
import { daemonSet as daemonSetKind, pod as podKind } from '../../../kubernetes/types/index.ts';
import { componentPods, podProblem } from '../component-pods.ts';
import type { Facts } from '../facts.ts';
import type { Rule } from '../rule.ts';
import { shell } from '../shell.ts';

const NAME = 'machine-config-server';

export const serverNotRunning: Rule = {
  codes: ['ServerNotRunning'],
  stage: 'other',
  needs: (facts) =>
    isDown(facts) ? [{ kind: podKind, namespace: facts.namespace, labelSelector: `k8s-app=${NAME}` }] : [],
  find(facts) {
    if (!isDown(facts)) return [];
    const { namespace, snapshot } = facts;
    const about = { kind: daemonSetKind.kind, name: NAME, namespace };
    const wanted = numberAt(snapshot.get(daemonSetKind, about), 'status', 'desiredNumberScheduled');
    const pods = componentPods(facts, NAME).flatMap((pod) => {
      const problem = podProblem(pod);
      return problem === undefined
        ? []
        : [{ object: { kind: 'Pod', name: nameOf(pod), namespace }, ...problem }];
    });
    return [
      {
        code: 'ServerNotRunning',
        cause: `${NAME} has no ready pod: no machine can join the cluster`,
        about,
        pools: [],
        evidence: [
          { object: about, field: 'status.numberReady', value: `0 of ${wanted}` },
          ...pods.slice(0, 3),
        ],
        next: [
          {
            command: shell`kubectl -n ${namespace} describe pods -l k8s-app=${NAME}`,
            why: 'why they are not ready',
          },
          {
            command: shell`kubectl -n ${namespace} logs -l k8s-app=${NAME} --prefix --tail 50`,
            why: 'certificates, token, ports',
          },
        ],
      },
    ];
  },
};

/** A status that nobody has written yet says nothing. */
function isDown({ snapshot, namespace }: Facts): boolean {
  const server = snapshot.get(daemonSetKind, { name: NAME, namespace });
  const isObserved = numberAt(server, 'status', 'observedGeneration') > 0;
  return isObserved && numberAt(server, 'status', 'numberReady') === 0;
}
