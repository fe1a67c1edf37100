/**
 * A node whose daemon does not run: no daemon has ever reported from it, its pod does not become ready, or nothing has reacted to
 * the config that the node was given a minute ago (a daemon reacts at once).
 */
import { annotations } from '../../../api/index.ts';
import { compareBytes } from '../../../base/json.ts';
import { objectAt, objectsAt, optionalStringAt, stringAt } from '../../../base/json-fields.ts';
import { annotationOf, nameOf } from '../../../kubernetes/meta/index.ts';
import { type Node, type Pod, pod as podKind } from '../../../kubernetes/types/index.ts';
import { componentPods, isPodReady, podProblem } from '../component-pods.ts';
import type { Facts, NodeFacts } from '../facts.ts';
import type { Evidence, Found } from '../finding.ts';
import { isOver, LIMITS } from '../limits.ts';
import { aNode, annotation, condition, conditionFields } from '../objects.ts';
import type { Rule } from '../rule.ts';
import { shell } from '../shell.ts';

const APP = 'machine-config-daemon';

export const daemonNotRunning: Rule = {
  codes: ['DaemonNotRunning'],
  stage: 'node',
  needs: (facts) => {
    const isNeeded =
      facts.absent?.daemons !== undefined ||
      facts.nodes.some((node) => silentSince(facts, node) !== undefined);
    return isNeeded ? [{ kind: podKind, namespace: facts.namespace, labelSelector: `k8s-app=${APP}` }] : [];
  },
  find(facts) {
    const pods = new Map(componentPods(facts, APP).map((pod) => [stringAt(pod, 'spec', 'nodeName'), pod]));
    return facts.nodes.flatMap((node) => findingOf(facts, node, pods.get(node.name)));
  },
};

function findingOf(facts: Facts, node: NodeFacts, pod: Pod | undefined): readonly Found[] {
  const { name, pool, summary } = node;
  // A machine that is down has no daemon either.
  if (summary === undefined || summary.notReady !== undefined || summary.phase === 'rebooting') return [];
  const silent = silentSince(facts, node);
  const broken = pod === undefined ? undefined : brokenSince(facts, pod);
  const isWithout = summary.state === 'without-daemon';
  if (!isWithout && silent === undefined && broken === undefined) return [];
  const since = silent ?? broken;
  return [
    {
      code: 'DaemonNotRunning',
      cause: isWithout
        ? `node ${name} has no daemon: it is not updated until the DaemonSet ${APP} runs on it`
        : `the daemon of node ${name} does not run${silent === undefined ? '' : `: nothing on the node reacts to ${summary.desired}`}`,
      about: aNode(name),
      pools: [pool],
      ...(since === undefined || since === '' ? {} : { since }),
      evidence: evidenceOf(node, pod, silent),
      next: [
        {
          command: shell`kubectl -n ${facts.namespace} get pods -o wide -l k8s-app=${APP} --field-selector spec.nodeName=${name}`,
          why: isWithout
            ? 'none: see daemon.nodeSelector and the taints of the node'
            : 'is there one, and is it ready?',
        },
        ...(pod === undefined
          ? []
          : [
              {
                command: shell`kubectl -n ${facts.namespace} logs ${nameOf(pod)} --all-containers --previous`,
                why: 'why it ended',
              },
            ]),
      ],
    },
  ];
}

function evidenceOf(
  { name, node, record }: NodeFacts,
  pod: Pod | undefined,
  silent: string | undefined,
): readonly Evidence[] {
  const current = annotationOf(node, annotations.currentConfig) ?? 'none';
  const desired = annotationOf(node, annotations.desiredConfig) ?? 'none';
  const problem = pod === undefined ? undefined : podProblem(pod);
  const object = { kind: 'Pod', name: nameOf(pod), namespace: stringAt(pod, 'metadata', 'namespace') };
  return [
    annotation(aNode(name), annotations.currentConfig, current),
    annotation(aNode(name), annotations.desiredConfig, desired, silent),
    ...(problem === undefined ? [] : [{ object, ...problem }]),
    ...(pod !== undefined && problem === undefined && !isPodReady(pod)
      ? condition(object, pod, 'Ready')
      : []),
    ...condition({ kind: 'MachineConfigNode', name }, record, 'Updated'),
  ];
}

/** Since when the node has a config that nothing has reacted to; undefined where that is less than a minute ago. */
function silentSince({ nowMs, pools }: Facts, { node, pool, summary }: NodeFacts): string | undefined {
  if (summary?.phase !== 'starting' || summary.failure !== undefined) return undefined;
  const given = toldSince(node);
  if (given !== undefined) return isOver(given, LIMITS.restartMs, nowMs) ? given : undefined;
  // Dumps may have no managed fields: then only the pool says since when, and its node may have been sent later.
  const since = pools.find(({ name }) => name === pool)?.summary.since;
  return isOver(since, LIMITS.phaseMs, nowMs) ? since : undefined;
}

/** The last write of what a rollout and a daemon tell each other, by whomever. */
function toldSince(node: Node): string | undefined {
  const times = objectsAt(node, 'metadata', 'managedFields')
    .filter(({ fieldsV1 }) =>
      TOLD.some((key) => objectAt(fieldsV1, 'f:metadata', 'f:annotations', `f:${key}`)),
    )
    .flatMap((entry) => optionalStringAt(entry, 'time') ?? []);
  return times.toSorted(compareBytes).at(-1);
}

const TOLD = [annotations.desiredConfig, annotations.currentConfig, annotations.state] as const;

/** Since when its pod is not ready; undefined where it is, or has been for less than a minute. */
function brokenSince({ nowMs }: Facts, pod: Pod): string | undefined {
  if (isPodReady(pod)) return undefined;
  const since =
    optionalStringAt(conditionFields(pod, 'Ready'), 'lastTransitionTime') ??
    stringAt(pod, 'metadata', 'creationTimestamp');
  return isOver(since, LIMITS.restartMs, nowMs) ? since : undefined;
}
