/**
 * `millwright logs`: prints the logs of containers.
 */

import type { JsonObject } from '../../base/json.ts';
import { KubeError, objectPath } from '../../kubernetes/client/index.ts';
import { nameOf, namespaceOf } from '../../kubernetes/meta/index.ts';
import type { ClusterOptions } from '../cluster-options.ts';
import { durationMs } from '../duration.ts';
import type { Ports } from '../ports.ts';
import type { ApiResource } from './api-resource.ts';
import type { ClusterSession } from './cluster-session.ts';
import { itemsOf, jsonObject, listAll } from './list-and-watch.ts';
import { chooseContainer, type LogRequest, logQuery, podSelector } from './log-request.ts';
import { printLines } from './print-lines.ts';
import { selectResources } from './resource-selection.ts';
import { type Run, runInCluster, throwUsageError } from './run-in-cluster.ts';

export type LogsOptions = ClusterOptions & {
  readonly container?: string;
  readonly namespace?: string;
  readonly follow?: boolean;
  readonly tail?: number;
  readonly since?: string;
  readonly previous?: boolean;
  readonly timestamps?: boolean;
  readonly selector?: string;
  readonly prefix?: boolean;
};

/** The default tail with a label selector, like in kubectl. */
const SELECTED_TAIL_LINES = 10;
const ALL_LINES = -1;
/** Each followed log holds a connection. */
const MAX_FOLLOWED = 20;

export function logsCommand(name: string | undefined, options: LogsOptions, ports: Ports): Promise<number> {
  return runInCluster(options, ports, async (run) => {
    const { selector, since, tail } = options;
    if ((name === undefined) === (selector === undefined))
      throwUsageError('give a pod, or a selector with -l');
    const sinceMs = since === undefined ? undefined : durationMs('--since', since);
    const pods = await selectPods(run, name, options);
    if (options.follow && pods.length > MAX_FOLLOWED) {
      throwUsageError(
        `${pods.length} pods match, but at most ${MAX_FOLLOWED} can be followed: narrow the selector`,
      );
    }
    const logRequest: LogRequest = {
      follow: options.follow === true,
      previous: options.previous === true,
      timestamps: options.timestamps === true,
      tailLines: tail ?? (selector === undefined ? ALL_LINES : SELECTED_TAIL_LINES),
      sinceMs,
    };
    await printLogs(run, pods, { ...options, logRequest });
  });
}

type PrintOptions = LogsOptions & { readonly logRequest: LogRequest };

/** Followed logs concurrently, others in sequence. */
async function printLogs(run: Run, pods: readonly JsonObject[], options: PrintOptions): Promise<void> {
  const { signal } = stopping(run.ports, options);
  if (options.logRequest.follow) {
    await Promise.all(pods.map((pod) => printLog(run, pod, { ...options, signal })));
    return;
  }
  for (const pod of pods) await printLog(run, pod, { ...options, signal });
}

/** Only followed logs need to handle Ctrl-C. */
function stopping(ports: Ports, { logRequest }: PrintOptions): AbortController {
  const controller = new AbortController();
  if (logRequest.follow) ports.onStop(() => controller.abort());
  return controller;
}

async function selectPods(
  { session, notify }: Run,
  name: string | undefined,
  options: LogsOptions,
): Promise<readonly JsonObject[]> {
  const namespace = options.namespace ?? session.namespace;
  if (name === undefined) {
    const pods = await podsOf(session, namespace, options.selector ?? '');
    if (pods.length === 0) notify(`No resources found in ${namespace} namespace.`);
    return pods;
  }
  const { resource, ownName } = await logTarget(session, name);
  const path = objectPath(resource, { name: ownName, namespace });
  const object = jsonObject((await session.request({ path })).body);
  if (isPods(resource)) return [object];
  const selector = podSelector(object);
  if (selector === undefined) return throwUsageError(`a ${resource.kind} has no pods: give a pod`);
  const pods = await podsOf(session, namespace, selector);
  const [first] = pods;
  if (first === undefined) return throwUsageError(`${name} has no pods`);
  if (pods.length > 1) notify(`Found ${pods.length} pods, using pod/${nameOf(first)}`);
  return [first];
}

/** A pod, or a workload that has pods: `deploy/NAME`. */
async function logTarget(session: ClusterSession, name: string) {
  if (!name.includes('/')) return { resource: PODS, ownName: name };
  const [owner] = await selectResources(session, [name]);
  const { resource = PODS, names: [ownName = ''] = [] } = owner ?? {};
  if (resource.scope !== 'Namespaced') throwUsageError(`a ${resource.kind} has no logs: give a pod`);
  return { resource, ownName };
}

const PODS: ApiResource = {
  group: '',
  version: 'v1',
  plural: 'pods',
  singular: 'pod',
  kind: 'Pod',
  scope: 'Namespaced',
  shortNames: [],
  categories: [],
  verbs: [],
};

function isPods({ group, plural }: ApiResource): boolean {
  return group === PODS.group && plural === PODS.plural;
}

async function podsOf(session: ClusterSession, namespace: string, labelSelector: string) {
  return itemsOf(await listAll(session, { resource: PODS, namespace, labelSelector }));
}

async function printLog(
  { session, ports, notify, reportError }: Run,
  pod: JsonObject,
  options: PrintOptions & { readonly signal: AbortSignal },
): Promise<void> {
  const name = nameOf(pod);
  const chosen = chooseContainer(pod, options.container);
  if (chosen === undefined) return reportError(`pod/${name} has no containers`);
  const { container, note } = chosen;
  if (note !== undefined) notify(note);
  const prefix = options.prefix ? `[pod/${name}/${container}] ` : '';
  try {
    const pieces = await session.stream({
      path: objectPath(PODS, { name, namespace: namespaceOf(pod) }, 'log'),
      query: { container, ...logQuery(options.logRequest) },
      // Logs are plain text; errors are JSON.
      accept: 'application/json, */*',
      signal: options.signal,
    });
    await printLines(pieces, prefix, ports.stdout);
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    reportError(error.message);
  }
}
