/** A build that has begun, whose pod does not run: it is not created, not scheduled, or its image cannot be pulled. */
import type { MachineOSBuild } from '../../../api/index.ts';
import { numberAt, stringAt } from '../../../base/json-fields.ts';
import { labelOf, nameOf, namespaceOf } from '../../../kubernetes/meta/index.ts';
import {
  event as eventKind,
  job as jobKind,
  type Pod,
  pod as podKind,
} from '../../../kubernetes/types/index.ts';
import { buildStateOf } from '../../../rollout/index.ts';
import { JOB_NAME_LABEL } from '../../pod-wait.ts';
import { type PodProblem, podProblem } from '../component-pods.ts';
import type { Facts } from '../facts.ts';
import type { Evidence, Found } from '../finding.ts';
import { isOver, LIMITS } from '../limits.ts';
import { named } from '../objects.ts';
import type { Need, Rule } from '../rule.ts';
import { shell } from '../shell.ts';

export const buildPodWaiting: Rule = {
  codes: ['BuildPodUnschedulable', 'BuilderImageNotPulled', 'BuildPodRefused'],
  stage: 'build',
  needs: (facts) =>
    runningBuilds(facts).flatMap(({ build }): readonly Need[] => {
      const job = `build-${nameOf(build)}`;
      const { namespace } = facts;
      return [
        { kind: podKind, namespace, labelSelector: `${JOB_NAME_LABEL}=${job}` },
        { kind: jobKind, namespace, fieldSelector: `metadata.name=${job}` },
        {
          kind: eventKind,
          namespace,
          fieldSelector: `involvedObject.kind=Job,involvedObject.name=${job},type=Warning`,
        },
      ];
    }),
  find: (facts) => runningBuilds(facts).flatMap((running) => findingOf(facts, running)),
};

type RunningBuild = { readonly pool: string; readonly build: MachineOSBuild };

function runningBuilds({ pools }: Facts): readonly RunningBuild[] {
  return pools.flatMap(({ name, layering }) => {
    const build = layering?.build;
    const state = build === undefined ? undefined : buildStateOf(build);
    return build !== undefined && (state === 'Prepared' || state === 'Building')
      ? [{ pool: name, build }]
      : [];
  });
}

function findingOf(facts: Facts, running: RunningBuild): readonly Found[] {
  const { snapshot, nowMs } = facts;
  const job = `build-${nameOf(running.build)}`;
  const pods = snapshot
    .all(podKind)
    .filter((pod) => namespaceOf(pod) === facts.namespace && labelOf(pod, JOB_NAME_LABEL) === job);
  for (const pod of pods) {
    const problem = podProblem(pod);
    const created = stringAt(pod, 'metadata', 'creationTimestamp');
    if (problem === undefined || !isOver(problem.since ?? created, LIMITS.restartMs, nowMs)) continue;
    if (problem.field.includes('PodScheduled')) return [unschedulable(facts, running, { pod, problem })];
    if (/Image|ErrPull|Registry/.test(problem.value)) return [notPulled(facts, running, { pod, problem })];
  }
  return pods.length === 0 && snapshot.has(podKind) ? refused(facts, running, job) : [];
}

type WaitingPod = { readonly pod: Pod; readonly problem: PodProblem };

function unschedulable(
  { namespace }: Facts,
  { pool, build }: RunningBuild,
  { pod, problem }: WaitingPod,
): Found {
  return {
    code: 'BuildPodUnschedulable',
    cause: `the OS image of pool ${pool} is not built, since no node takes the pod of its build: ${problem.value.replace(/^False: /, '')}`,
    about: { kind: 'MachineOSBuild', name: nameOf(build) },
    pools: [pool],
    ...(problem.since && { since: problem.since }),
    evidence: [{ object: named('Pod', pod), ...problem }],
    next: [
      { command: shell`kubectl -n ${namespace} describe pod ${nameOf(pod)}`, why: 'what each node lacks' },
    ],
  };
}

function notPulled({ namespace }: Facts, { pool, build }: RunningBuild, { pod, problem }: WaitingPod): Found {
  const created = stringAt(pod, 'metadata', 'creationTimestamp');
  return {
    code: 'BuilderImageNotPulled',
    cause: `the OS image of pool ${pool} is not built, since the image of the builder cannot be pulled: ${problem.value}`,
    about: { kind: 'MachineOSBuild', name: nameOf(build) },
    pools: [pool],
    ...(created === '' ? {} : { since: created }),
    evidence: [{ object: named('Pod', pod), ...problem }],
    next: [
      {
        command: shell`kubectl -n ${namespace} describe pod ${nameOf(pod)}`,
        why: 'the answer of the registry',
      },
      {
        command: shell`kubectl -n ${namespace} get deployment machine-os-builder -o yaml`,
        why: 'its flag --builder-image',
      },
    ],
  };
}

/** A Job without a pod: the API server refuses it. */
function refused(
  { snapshot, namespace, nowMs }: Facts,
  { pool, build }: RunningBuild,
  name: string,
): readonly Found[] {
  const job = snapshot.get(jobKind, { name, namespace });
  const created = stringAt(job, 'metadata', 'creationTimestamp');
  const counted = ['succeeded', 'failed'].reduce((sum, field) => sum + numberAt(job, 'status', field), 0);
  if (job === undefined || counted > 0 || !isOver(created, LIMITS.restartMs, nowMs)) return [];
  const warning = snapshot
    .all(eventKind)
    .findLast((one) => stringAt(one, 'involvedObject', 'name') === name && one.reason === 'FailedCreate');
  const message = stringAt(warning, 'message');
  const about = named('Job', job);
  const ofEvent: readonly Evidence[] =
    warning === undefined ? [] : [{ object: about, field: 'event FailedCreate', value: message }];
  return [
    {
      code: 'BuildPodRefused',
      cause: `the OS image of pool ${pool} is not built, since the pod of its build cannot be created${message === '' ? '' : `: ${message}`}`,
      about: { kind: 'MachineOSBuild', name: nameOf(build) },
      pools: [pool],
      since: created,
      evidence: [{ object: about, field: 'its pods', value: 'none', since: created }, ...ofEvent],
      next: [
        { command: shell`kubectl -n ${namespace} describe job ${name}`, why: 'who refuses the pod' },
        { command: shell`kubectl -n ${namespace} get resourcequotas`, why: 'is there room?' },
      ],
    },
  ];
}
