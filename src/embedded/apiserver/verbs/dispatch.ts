/** Dispatch of requests for a resource to the code of their verb. */

import { assert } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json.ts';
import { badRequest, methodNotAllowed, noSuchResource, notFound, statusError } from '../../status/index.ts';
import type { AuthContext } from '../auth-context.ts';
import type { Call } from '../call.ts';
import type { Response } from '../http/http.ts';
import { joinBytes } from '../http/join-bytes.ts';
import { checkPathName, selectedName } from '../request-info.ts';
import { bytesResponse, jsonResponse, wantsIndent } from '../response.ts';
import type { ServerContext } from '../server-context.ts';
import { type Live, readObject } from '../store/records.ts';
import { storedParts } from '../store/stored-object.ts';
import { storedPrefix } from '../store/stored-prefix.ts';
import { bindPod } from '../subresources/binding.ts';
import { createFromBody } from './create.ts';
import { deleteByName, deletionAnswer } from './delete.ts';
import { deleteCollection } from './delete-collection.ts';
import { listObjects, tooLarge } from './list.ts';
import { patchFromBody } from './patch-object.ts';
import { listOptions, parseVersion } from './query-options.ts';
import { reviewOf } from './reviews.ts';
import { transformedObject } from './transform.ts';
import { updateFromBody } from './update.ts';
import { watchObjects } from './watch.ts';

export async function dispatchVerb(server: ServerContext, call: Call, auth: AuthContext): Promise<Response> {
  const { resource, info } = call;
  const { verb } = info;
  // Reviews are not stored, so no name exists.
  if (info.name !== '' && reviewOf(resource) !== undefined) throw noSuchResource();
  if (!isRouted(call) || !resource.verbs.includes(verb)) throw methodNotAllowed();
  if (verb !== 'watch') checkPathName(info.name);
  const review = verb === 'create' ? reviewOf(resource) : undefined;
  if (review !== undefined) return review(server, call, auth);
  if (resource.group === '' && resource.plural === 'bindings') return bindPod(server, podsCall(server, call));
  switch (verb) {
    case 'get':
      return getObject(server, call);
    case 'list':
      return listObjects(server, call, listOptions(call.query, false));
    case 'watch':
      return watchObjects(server, watchedCall(call), listOptions(watchQuery(call), true));
    case 'create': {
      checkNotTerminating(server, call);
      return liveObjectResponse(server, call, 201, await createFromBody(server, call));
    }
    case 'update': {
      const changed = await updateFromBody(server, call);
      return liveObjectResponse(server, call, changed.isNew ? 201 : 200, changed);
    }
    case 'patch': {
      const changed = await patchFromBody(server, call);
      return liveObjectResponse(server, call, changed.isNew ? 201 : 200, changed);
    }
    case 'delete': {
      const deleted = await deleteByName(server, call);
      const answer = deletionAnswer(resource, deleted);
      if (answer.kind === 'Status' && info.resource !== 'status') {
        const { request, format, warnings } = call;
        return jsonResponse(200, answer, { request, format, warnings });
      }
      return objectResponse(server, call, 200, deleted.object);
    }
    case 'deletecollection':
      return deleteCollection(server, call);
  }
}

/** Whether the method exists at the path, as kube-apiserver registers its routes. */
function isRouted({ request, info, resource }: Call): boolean {
  const isNamed = info.name !== '';
  const isAllNamespaces = resource.scope === 'Namespaced' && info.namespace === '';
  switch (info.verb) {
    case 'create':
      return !isNamed && !isAllNamespaces;
    case 'update':
    case 'patch':
    case 'delete':
      return isNamed;
    case 'deletecollection':
      return !isAllNamespaces;
    case 'get':
    case 'list':
    case 'watch':
      return request.method === 'GET';
  }
}

/** A POST to `bindings` binds the pod of that name. */
function podsCall({ catalog }: ServerContext, call: Call): Call {
  const pods = catalog.find('', 'v1', 'pods');
  assert(pods !== undefined, 'pods are served');
  return { ...call, resource: pods };
}

/** Deprecated watch paths contain the name of the object, others select it. */
function watchedCall(call: Call): Call {
  return call.info.isOldWatch ? { ...call, info: { ...call.info, name: '' } } : call;
}

function watchQuery({ info, query }: Call): Call['query'] {
  if (!info.isOldWatch || info.name === '') return query;
  if (query.text('fieldSelector') !== '' && selectedName(query) !== info.name) {
    throw badRequest("fieldSelector metadata.name doesn't match requested name");
  }
  return query.with('fieldSelector', `metadata.name=${info.name}`);
}

export function getObject(server: ServerContext, call: Call): Response {
  const { resource, info, query } = call;
  const version = parseVersion(query.text('resourceVersion'), false);
  if (version !== undefined && version > server.store.revision()) {
    throw tooLarge(version, server.store.revision());
  }
  const live = readObject(server.store, resource, info.namespace, info.name);
  if (live === undefined) throw notFound(resource, info.name);
  return liveObjectResponse(server, call, 200, live);
}

/** Untransformed objects are sent as the bytes of the store. */
export function liveObjectResponse(server: ServerContext, call: Call, status: number, live: Live): Response {
  const { request, format, warnings, resource } = call;
  const { object, revision, value } = live;
  const isPlain = format.as === 'object' && format.encoding === 'json' && !wantsIndent(request);
  const prefix = isPlain ? storedPrefix(server, resource, live) : undefined;
  if (prefix === undefined || value === undefined) return objectResponse(server, call, status, object);
  const { head, rest } = storedParts({ value, revision }, prefix);
  const body = joinBytes([encoder.encode(head), rest, LINE_END]);
  return bytesResponse(status, body, 'application/json', { request, warnings });
}

const encoder = new TextEncoder();
const LINE_END = encoder.encode('\n');

function objectResponse(server: ServerContext, call: Call, status: number, object: JsonObject): Response {
  const { request, format, warnings } = call;
  return jsonResponse(status, transformedObject(server, call, object), { request, format, warnings });
}

function checkNotTerminating({ catalog }: ServerContext, { resource }: Call): void {
  if (catalog.customOf(resource)?.isTerminating !== true) return;
  throw statusError({
    code: 405,
    reason: 'MethodNotAllowed',
    message: 'create not allowed while custom resource definition is terminating',
    details: { group: resource.group, kind: resource.plural },
  });
}
