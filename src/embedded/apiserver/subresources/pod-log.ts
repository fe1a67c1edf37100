/** `pods/log`: the log of a container, from the kubelet of its node. */
import { isObject, type JsonObject, own } from '../../../base/json.ts';
import { type LogQuery, logTargetOf } from '../../resources/index.ts';
import { badRequest, notFound, StatusError, statusError } from '../../status/index.ts';
import type { Call } from '../call.ts';
import type { Response } from '../http/http.ts';
import { statusResponse } from '../response.ts';
import type { ServerContext } from '../server-context.ts';
import { readObject } from '../store/records.ts';
import type { Query } from '../verbs/query-options.ts';
import { kubeletError } from './kubelet-error.ts';
import { addressOfNode } from './node-address.ts';

export async function podLog(server: ServerContext, call: Call): Promise<Response> {
  const { resource: pods, info, query, request } = call;
  checkSinceTime(call);
  const live = readObject(server.store, pods, info.namespace, info.name);
  if (live === undefined) throw notFound(pods, info.name);
  const target = logTargetOf(live.object, logQuery(query));
  switch (target.kind) {
    case 'error':
      throw target;
    case 'nowhere':
      return { status: 204, headers: [], body: new Uint8Array() };
  }
  const node = addressOfNode(server, nodeNameOf(live.object));
  const { kubelet } = server;
  if (kubelet === undefined) throw logUnavailable(node.name);
  try {
    const log = await kubelet.containerLog({
      node: node.name,
      host: node.host,
      port: node.port,
      namespace: info.namespace,
      pod: info.name,
      container: target.name,
      query: forwarded(query),
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    });
    if (log.status !== 200) throw await kubeletError(log, info.name);
    return { status: 200, headers: [['content-type', 'text/plain']], body: log.body };
  } catch (error) {
    if (error instanceof StatusError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    server.env.log.warn('node unreachable', { node: node.name, error: why });
    return statusResponse(logUnavailable(node.name, why).status, { request });
  }
}

function nodeNameOf(pod: JsonObject): string {
  return String(isObject(pod.spec) ? (own(pod.spec, 'nodeName') ?? '') : '');
}

/** Times in a query are parsed like those in objects. */
function checkSinceTime({ resource: pods, query }: Call): void {
  const time = query.text('sinceTime');
  if (time === '' || time === 'null') return;
  const read = pods.strategy.decode({ metadata: { creationTimestamp: time } });
  if (read.kind === 'failed') throw badRequest(read.message);
}

function logUnavailable(node: string, why = 'nodes cannot be reached') {
  return statusError({
    code: 500,
    reason: 'InternalError',
    message: `Internal error occurred: the log cannot be read from node ${node}: ${why}`,
    details: { causes: [{ message: why }] },
  });
}

/** The parameters that are forwarded to the kubelet. */
const FORWARDED = [
  'follow',
  'previous',
  'timestamps',
  'sinceSeconds',
  'sinceTime',
  'tailLines',
  'limitBytes',
];

function forwarded(query: Query): string {
  const kept = new URLSearchParams();
  for (const name of FORWARDED) if (query.has(name)) kept.set(name, query.text(name));
  return kept.toString();
}

function logQuery(query: Query): LogQuery {
  const numbers = ['tailLines', 'limitBytes', 'sinceSeconds'].flatMap((name) => {
    const value = query.whole(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  const texts = ['container', 'sinceTime', 'stream'].flatMap((name) =>
    query.text(name) === '' ? [] : [[name, query.text(name)] as const],
  );
  return Object.fromEntries<string | number>([...numbers, ...texts]);
}
