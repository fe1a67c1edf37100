/**
 * `millwright logs`: what the containers of pods have written.
 */

import type { JsonObject } from '../../base/json.ts';
import { KubeError, LineSplitter, objectPath } from '../../kubernetes/client/index.ts';
import { nameOf, namespaceOf } from '../../kubernetes/meta/index.ts';
import { durationMs } from '../duration.ts';
import type { ClusterOptions } from '../embedded-access.ts';
import type { Ports } from '../ports.ts';
import type { ApiResource } from './api-resource.ts';
import type { ClusterSession } from './cluster-session.ts';
import { itemsOf, jsonObject, listAll } from './list-and-watch.ts';
import { chooseContainer, type LogWish, logQuery, podSelector } from './log-source.ts';
import { type Run, refuseUsage, runInCluster } from './run-in-cluster.ts';
import { wantedObjects } from './wanted-objects.ts';

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

/** Of pods that are chosen by a label each shows this much, unless more is asked for. */
const SELECTED_TAIL_LINES = 10;
const ALL_LINES = -1;
/** Each that is followed holds a connection. */
const MAX_FOLLOWED = 20;

export function logsCommand(name: string | undefined, options: LogsOptions, ports: Ports): Promise<number> {
  return runInCluster(options, ports, async (run) => {
    const { selector, since, tail } = options;
    if ((name === undefined) === (selector === undefined)) refuseUsage('name a pod, or choose pods with -l');
    const sinceMs = since === undefined ? undefined : durationMs('--since', since);
    const pods = await chosenPods(run, name, options);
    if (options.follow && pods.length > MAX_FOLLOWED) {
      refuseUsage(
        `${pods.length} pods match, and no more than ${MAX_FOLLOWED} can be followed: narrow the selector`,
      );
    }
    const wish: LogWish = {
      follow: options.follow === true,
      previous: options.previous === true,
      timestamps: options.timestamps === true,
      tailLines: tail ?? (selector === undefined ? ALL_LINES : SELECTED_TAIL_LINES),
      sinceMs,
    };
    await printLogs(run, pods, { ...options, wish });
  });
}

type PrintOptions = LogsOptions & { readonly wish: LogWish };

/** Those that are followed at once, the others one after the other. */
async function printLogs(run: Run, pods: readonly JsonObject[], options: PrintOptions): Promise<void> {
  const { signal } = stopping(run.ports, options);
  if (options.wish.follow) {
    await Promise.all(pods.map((pod) => printLog(run, pod, { ...options, signal })));
    return;
  }
  for (const pod of pods) await printLog(run, pod, { ...options, signal });
}

/** Only what goes on by itself has to be told to stop. */
function stopping(ports: Ports, { wish }: PrintOptions): AbortController {
  const controller = new AbortController();
  if (wish.follow) ports.onStop(() => controller.abort());
  return controller;
}

async function chosenPods(
  { session, say }: Run,
  name: string | undefined,
  options: LogsOptions,
): Promise<readonly JsonObject[]> {
  const namespace = options.namespace ?? session.namespace;
  if (name === undefined) {
    const pods = await podsOf(session, namespace, options.selector ?? '');
    if (pods.length === 0) say(`No resources found in ${namespace} namespace.`);
    return pods;
  }
  const { resource, ownName } = await logOwner(session, name);
  const path = objectPath(resource, { name: ownName, namespace });
  const object = jsonObject((await session.ask({ path })).body);
  if (isPods(resource)) return [object];
  const selector = podSelector(object);
  if (selector === undefined) return refuseUsage(`a ${resource.kind} has no pods: name a pod`);
  const pods = await podsOf(session, namespace, selector);
  const [first] = pods;
  if (first === undefined) return refuseUsage(`${name} has no pods at the moment`);
  if (pods.length > 1) say(`Found ${pods.length} pods, using pod/${nameOf(first)}`);
  return [first];
}

/** A pod, or a workload that has pods: `deploy/NAME`. */
async function logOwner(session: ClusterSession, name: string) {
  if (!name.includes('/')) return { resource: PODS, ownName: name };
  const [owner] = await wantedObjects(session, [name]);
  const { resource = PODS, names: [ownName = ''] = [] } = owner ?? {};
  if (resource.scope !== 'Namespaced') refuseUsage(`a ${resource.kind} has no logs: name a pod`);
  return { resource, ownName };
}

const PODS: ApiResource = {
  ...{ group: '', version: 'v1', plural: 'pods', singular: 'pod', kind: 'Pod', scope: 'Namespaced' },
  ...{ shortNames: [], categories: [], verbs: [] },
};

function isPods({ group, plural }: ApiResource): boolean {
  return group === PODS.group && plural === PODS.plural;
}

async function podsOf(session: ClusterSession, namespace: string, labelSelector: string) {
  return itemsOf(await listAll(session, { resource: PODS, namespace, labelSelector }));
}

async function printLog(
  { session, ports, say, complain }: Run,
  pod: JsonObject,
  options: PrintOptions & { readonly signal: AbortSignal },
): Promise<void> {
  const name = nameOf(pod);
  const chosen = chooseContainer(pod, options.container);
  if (chosen === undefined) return complain(`pod/${name} has no containers`);
  const { container, note } = chosen;
  if (note !== undefined) say(note);
  const prefix = options.prefix ? `[pod/${name}/${container}] ` : '';
  try {
    const pieces = await session.open({
      path: objectPath(PODS, { name, namespace: namespaceOf(pod) }, 'log'),
      query: { container, ...logQuery(options.wish) },
      // It is plain text, whoever sends it.
      accept: 'application/json, */*',
      signal: options.signal,
    });
    await printLines(pieces, prefix, ports.stdout);
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    complain(error.message);
  }
}

/** Whole lines, so that those of several pods do not run into each other; the last may have no end. */
async function printLines(
  pieces: AsyncIterable<Uint8Array>,
  prefix: string,
  print: (text: string) => void,
): Promise<void> {
  const splitter = new LineSplitter();
  const text = (line: Uint8Array) => prefix + new TextDecoder().decode(line);
  for await (const piece of pieces) {
    const lines = splitter.push(piece);
    if (lines.length > 0) print(lines.map((line) => `${text(line)}\n`).join(''));
  }
  for (const line of splitter.push(LINE_END)) if (line.length > 0) print(text(line));
}

const LINE_END = new Uint8Array([10]);
