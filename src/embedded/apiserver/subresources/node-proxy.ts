/** `nodes/proxy`: forwards `/api/v1/nodes/NAME/proxy/PATH` to the kubelet, with the credentials of the server. */
import { quoted } from '../../../base/text/index.ts';
import { badRequest, type StatusError, statusError } from '../../status/index.ts';
import type { Call } from '../call.ts';
import type { Request, Response } from '../http/http.ts';
import { forwardedHeaders, returnedHeaders } from '../http/proxy-headers.ts';
import type { ServerContext } from '../server-context.ts';
import type { NodeProxyResponse } from './kubelet.ts';
import { addressOfNode, type NodeAddress } from './node-address.ts';

export async function proxyNode(server: ServerContext, call: Call): Promise<Response> {
  const { request, query } = call;
  if (query.has('dryRun')) throw badRequest('dryRun is not supported');
  checkPolicies(server, call);
  const node = findNode(server, call);
  const target = proxyTarget(call);
  const isReading = request.method === 'GET' || request.method === 'HEAD';
  if (target.path === '' && isReading) return redirect(request);
  const { kubelet } = server;
  if (kubelet === undefined) throw unreachable('nodes cannot be reached');
  try {
    const response = await kubelet.proxy({
      node: node.name,
      host: node.host,
      port: node.port,
      method: request.method,
      path: target.path === '' ? '/' : target.path,
      query: request.query,
      headers: { ...forwardedHeaders(request.headers), 'x-forwarded-uri': `${target.prefix}${target.path}` },
      body: request.body,
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    });
    return {
      status: response.status,
      headers: headersOf(response, node, target.prefix),
      body: response.body,
    };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    // The client has closed the connection.
    if (request.signal?.aborted !== true) {
      server.env.log.warn('node unreachable', { node: node.name, error: why });
    }
    throw unreachable(why);
  }
}

/** Policies see a CONNECT with NodeProxyOptions. */
function checkPolicies({ admission }: ServerContext, { resource, info, user, warnings }: Call): void {
  const path = info.rest.join('/');
  admission.admitValidating({
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
function findNode(server: ServerContext, { info, resource }: Call): NodeAddress {
  const parts = info.name.split(':');
  const [scheme = '', name = '', port = ''] = parts.length < 3 ? ['', ...parts] : parts;
  if (parts.length > 3 || name === '' || !['', 'http', 'https'].includes(scheme)) {
    throw badRequest(`invalid node request ${quoted(info.name)}`);
  }
  const node = addressOfNode(server, name);
  if (port === '' || port === String(node.port)) return node;
  const message = `${resource.plural}/${info.subresource} to another port than the kubelet's is not supported by this server`;
  throw statusError({ code: 501, message });
}

type ProxyTarget = {
  /** The path of this server, up to and including `proxy`. */
  readonly prefix: string;
  /** The path on the node, escaped, with its leading slash; empty if nothing follows `proxy`. */
  readonly path: string;
};

/** Dot segments cannot leave the root, and escaped slashes count as slashes. */
function proxyTarget({ request, info }: Call): ProxyTarget {
  const segments: string[] = [];
  for (const segment of info.rest) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  const path = segments.map((segment) => `/${encodeURIComponent(segment)}`).join('');
  const end = request.path.endsWith('/') ? '/' : '';
  return { prefix: `/api/v1/nodes/${encodeURIComponent(info.name)}/proxy`, path: `${path}${end}` };
}

/** Relative links in the response would resolve wrongly without the trailing slash. */
function redirect({ path, query }: Request): Response {
  const location = `${path}/${query === '' ? '' : `?${query}`}`;
  return { status: 301, headers: [['location', location]], body: new Uint8Array() };
}

/** Redirects within the node are rewritten to paths of the proxy. */
function headersOf({ headers }: NodeProxyResponse, node: NodeAddress, prefix: string): Response['headers'] {
  const own = `https://${node.host.includes(':') ? `[${node.host}]` : node.host}:${node.port}/`;
  return returnedHeaders(headers).map(([name, value]) => {
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
