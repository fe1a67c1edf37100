/**
 * `nodes/proxy`: whatever is asked of `/api/v1/nodes/NAME/proxy/PATH` is asked of the node, by the server's own right, and
 * answered as the node answers.
 */
import { quoted } from '../../../base/text/index.ts';
import { badRequest, type StatusError, statusError } from '../../status/index.ts';
import type { Call, World } from '../call.ts';
import type { Request, Response } from '../http/http.ts';
import { passedBackHeaders, passedOnHeaders } from '../http/proxy-headers.ts';
import type { NodeProxyResponse } from './kubelet.ts';
import { addressOfNode, type NodeAddress } from './node-address.ts';

export async function proxyNode(world: World, call: Call): Promise<Response> {
  const { request, query } = call;
  if (query.has('dryRun')) throw badRequest('dryRun is not supported');
  checkPolicies(world, call);
  const node = findNode(world, call);
  const asked = pathBehind(call);
  const isReading = request.method === 'GET' || request.method === 'HEAD';
  if (asked.path === '' && isReading) return redirect(request);
  const { kubelet } = world;
  if (kubelet === undefined) throw unreachable('there is no way to reach nodes');
  try {
    const answer = await kubelet.proxy({
      node: node.name,
      host: node.host,
      port: node.port,
      method: request.method,
      path: asked.path === '' ? '/' : asked.path,
      query: request.query,
      headers: { ...passedOnHeaders(request.headers), 'x-forwarded-uri': `${asked.prefix}${asked.path}` },
      body: request.body,
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    });
    return { status: answer.status, headers: headersOf(answer, node, asked.prefix), body: answer.body };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    // Nobody waits for the answer of a client that has gone.
    if (request.signal?.aborted !== true) {
      world.env.log.warn('a node does not answer', { node: node.name, error: why });
    }
    throw unreachable(why);
  }
}

/** Policies see what is asked for as an object of its own kind. */
function checkPolicies({ gate }: World, { resource, info, user, warnings }: Call): void {
  const path = info.rest.join('/');
  gate.leave({
    operation: 'CONNECT',
    user,
    resource: { ...resource, kind: 'NodeProxyOptions' },
    subresource: info.subresource,
    namespace: '',
    name: info.name,
    object: { apiVersion: 'v1', kind: 'NodeProxyOptions', ...(path === '' ? {} : { path }) },
    isDryRun: false,
    warnings,
  });
}

/** `NAME`, `NAME:PORT` or `SCHEME:NAME:PORT`. */
function findNode(world: World, { info, resource }: Call): NodeAddress {
  const parts = info.name.split(':');
  const [scheme = '', name = '', port = ''] = parts.length < 3 ? ['', ...parts] : parts;
  if (parts.length > 3 || name === '' || !['', 'http', 'https'].includes(scheme)) {
    throw badRequest(`invalid node request ${quoted(info.name)}`);
  }
  const node = addressOfNode(world, name);
  if (port === '' || port === String(node.port)) return node;
  const message = `${resource.plural}/${info.subresource} to another port than the kubelet's is not supported by this server`;
  throw statusError({ code: 501, message });
}

type Asked = {
  /** Of this server, up to the door. */
  readonly prefix: string;
  /** Of the node, escaped, with its slash; empty where nothing stands behind the door, not even a slash. */
  readonly path: string;
};

/** Nothing leads out of the node's root, and slashes are slashes however they were written. */
function pathBehind({ request, info }: Call): Asked {
  const segments: string[] = [];
  for (const segment of info.rest) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  const path = segments.map((segment) => `/${encodeURIComponent(segment)}`).join('');
  const end = request.path.endsWith('/') ? '/' : '';
  return { prefix: `/api/v1/nodes/${encodeURIComponent(info.name)}/proxy`, path: `${path}${end}` };
}

/** Relative links of what the node shows would lead elsewhere without the slash. */
function redirect({ path, query }: Request): Response {
  const location = `${path}/${query === '' ? '' : `?${query}`}`;
  return { status: 301, headers: [['location', location]], body: new Uint8Array() };
}

/** A node that sends the client elsewhere within itself means a path behind this door. */
function headersOf({ headers }: NodeProxyResponse, node: NodeAddress, prefix: string): Response['headers'] {
  const own = `https://${node.host.includes(':') ? `[${node.host}]` : node.host}:${node.port}/`;
  return passedBackHeaders(headers).map(([name, value]) => {
    if (name.toLowerCase() !== 'location') return [name, value];
    const path = value.startsWith(own) ? value.slice(own.length - 1) : value;
    const isWithin = path.startsWith('/') && !path.startsWith('//') && !path.startsWith(`${prefix}/`);
    return [name, isWithin ? `${prefix}${path}` : path];
  });
}

function unreachable(why: string): StatusError {
  const message = `error trying to reach service: ${why}`;
  return statusError({ code: 503, reason: 'ServiceUnavailable', message });
}
