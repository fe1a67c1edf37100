/**
 * The further doors of an object: `/status`, `/scale`, `/eviction`. Each has its verbs; most write the object itself
 * under rules of their own, some do something with it.
 */
import type { Subresource, Verb } from '../../../kubernetes/types/index.ts';
import type { Resource } from '../../resources/index.ts';
import { methodNotAllowed, statusError } from '../../status/index.ts';
import type { Insight } from '../auth-context.ts';
import type { Call, World } from '../call.ts';
import type { Response } from '../http/http.ts';
import { checkPathName } from '../request-info.ts';
import { answerGet, answerLive } from '../verbs/dispatch.ts';
import { patchFromBody } from '../verbs/patch-object.ts';
import { updateFromBody } from '../verbs/update.ts';
import { bindPod } from './binding.ts';
import { evictPod } from './eviction.ts';
import { proxyNode } from './node-proxy.ts';
import { podLog } from './pod-log.ts';
import { readScale, writeScale } from './scale.ts';
import { requestToken } from './token.ts';

type Door = (world: World, call: Call, insight: Insight) => Promise<Response> | Response;

/** Undefined where the resource has no such door. */
export function doorOf(resource: Resource, name: string): Door | undefined {
  const offered = resource.subresources.find((one) => one.name === name);
  if (offered === undefined) return undefined;
  return (world, call, insight) => {
    const verb = (isConnection(offered) ? CONNECTION_METHODS : METHODS).get(call.request.method);
    if (verb === undefined || !offered.verbs.includes(verb) || call.info.name === '')
      throw methodNotAllowed();
    checkPathName(call.info.name);
    return throughDoor(resource, offered)(world, call, insight);
  };
}

const METHODS: ReadonlyMap<string, Verb> = new Map([
  ['GET', 'get'],
  ['POST', 'create'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
]);

/** What is passed on may come by any method. */
const CONNECTION_METHODS: ReadonlyMap<string, Verb> = new Map([
  ...METHODS,
  ['HEAD', 'get'],
  ['DELETE', 'delete'],
]);

function isConnection({ name }: Subresource): boolean {
  return name === 'proxy';
}

/** Whether a request goes through to somebody else: then paths lead on behind the door, and that one chooses the form. */
export function leadsOn({ origin, subresources }: Resource, name: string): boolean {
  return origin === 'builtin' && subresources.some((one) => one.name === name && isConnection(one));
}

const DEEDS: { readonly [place: string]: Door } = {
  'nodes/proxy': proxyNode,
  'pods/binding': bindPod,
  'pods/eviction': evictPod,
  'pods/log': podLog,
  'serviceaccounts/token': requestToken,
};

function throughDoor(resource: Resource, { name }: Subresource): Door {
  const deed = resource.group === '' ? DEEDS[`${resource.plural}/${name}`] : undefined;
  if (deed !== undefined) return deed;
  if (name === 'scale') return scaleSubresource;
  return resource.strategy.subresources[name] === undefined ? unsupported : objectDoor;
}

const objectDoor: Door = async (world, call) => {
  switch (call.request.method) {
    case 'GET':
      return answerGet(world, call);
    case 'PUT':
      return answerLive(world, call, 200, await updateFromBody(world, call));
    default:
      return answerLive(world, call, 200, await patchFromBody(world, call));
  }
};

const scaleSubresource: Door = (world, call) =>
  call.request.method === 'GET' ? readScale(world, call) : writeScale(world, call);

/** What needs running containers, or a way into the network of the nodes. */
const unsupported: Door = (_, { info, resource }) => {
  const message = `${resource.plural}/${info.subresource} is not supported by this server`;
  throw statusError({ code: 501, message });
};
