/**
 * Dispatch of requests for a subresource, such as `/status` or `/eviction`. Most of them update the object by the
 * strategy of the subresource; those in `subresourceHandlers` do something else.
 */
import type { Subresource } from '../../../kubernetes/types/index.ts';
import type { Resource } from '../../resources/index.ts';
import { methodNotAllowed, statusError } from '../../status/index.ts';
import type { AuthContext } from '../auth-context.ts';
import type { Call } from '../call.ts';
import type { Response } from '../http/http.ts';
import { checkPathName } from '../request-info.ts';
import type { ServerContext } from '../server-context.ts';
import { getObject, liveObjectResponse } from '../verbs/dispatch.ts';
import { patchFromBody } from '../verbs/patch-object.ts';
import { updateFromBody } from '../verbs/update.ts';
import { bindPod } from './binding.ts';
import { evictPod } from './eviction.ts';
import { proxyNode } from './node-proxy.ts';
import { rejectExec } from './pod-exec.ts';
import { podLog } from './pod-log.ts';
import { readScale, writeScale } from './scale.ts';
import { requestToken } from './token.ts';

type SubresourceHandler = (
  server: ServerContext,
  call: Call,
  auth: AuthContext,
) => Promise<Response> | Response;

/** By `RESOURCE/SUBRESOURCE` of the core group. */
const subresourceHandlers: { readonly [path: string]: SubresourceHandler } = {
  'nodes/proxy': proxyNode,
  'pods/attach': rejectExec,
  'pods/binding': bindPod,
  'pods/eviction': evictPod,
  'pods/exec': rejectExec,
  'pods/log': podLog,
  'serviceaccounts/token': requestToken,
};

/** Undefined if the resource has no such subresource. */
export function subresourceHandler(resource: Resource, name: string): SubresourceHandler | undefined {
  const offered = resource.subresources.find((one) => one.name === name);
  if (offered === undefined) return undefined;
  return (server, call, auth) => {
    const { request, info } = call;
    const methods = isConnect(offered) ? CONNECT_METHODS : METHODS;
    if (!methods.includes(request.method) || !offered.verbs.includes(info.verb) || info.name === '') {
      throw methodNotAllowed();
    }
    checkPathName(info.name);
    return handlerFor(resource, offered)(server, call, auth);
  };
}

const METHODS: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH'];
const CONNECT_METHODS: readonly string[] = [...METHODS, 'HEAD', 'DELETE'];

function isConnect({ name }: Subresource): boolean {
  return name === 'proxy';
}

/** Whether requests are forwarded: then further path segments may follow, and the backend negotiates the format. */
export function isProxySubresource({ origin, subresources }: Resource, name: string): boolean {
  return origin === 'builtin' && subresources.some((one) => one.name === name && isConnect(one));
}

function handlerFor(resource: Resource, { name }: Subresource): SubresourceHandler {
  const handler = resource.group === '' ? subresourceHandlers[`${resource.plural}/${name}`] : undefined;
  if (handler !== undefined) return handler;
  if (name === 'scale') return scaleHandler;
  return resource.strategy.subresources[name] === undefined ? notSupported : objectHandler;
}

const objectHandler: SubresourceHandler = async (server, call) => {
  switch (call.info.verb) {
    case 'get':
      return getObject(server, call);
    case 'update':
      return liveObjectResponse(server, call, 200, await updateFromBody(server, call));
    default:
      return liveObjectResponse(server, call, 200, await patchFromBody(server, call));
  }
};

const scaleHandler: SubresourceHandler = (server, call) =>
  call.info.verb === 'get' ? readScale(server, call) : writeScale(server, call);

/** Subresources that need running containers or the network of the nodes. */
const notSupported: SubresourceHandler = (_, { info, resource }) => {
  const message = `${resource.plural}/${info.subresource} is not supported by this server`;
  throw statusError({ code: 501, message });
};
