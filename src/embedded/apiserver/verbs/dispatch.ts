/** The verbs of a resource at its main door. */

import { assert } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json.ts';
import type { Verb } from '../../../kubernetes/types/index.ts';
import { badRequest, methodNotAllowed, noSuchResource, notFound, statusError } from '../../status/index.ts';
import type { Insight } from '../auth-context.ts';
import type { Call, World } from '../call.ts';
import type { Response } from '../http/http.ts';
import { joinBytes } from '../http/join-bytes.ts';
import { checkPathName } from '../request-info.ts';
import { answerBytes, answerJson, wantsIndent } from '../response.ts';
import { type Live, readObject } from '../store/records.ts';
import { storedParts } from '../store/stored-object.ts';
import { storedPrefix } from '../store/stored-prefix.ts';
import { bindPod } from '../subresources/binding.ts';
import { verbOf } from '../verb.ts';
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

export async function answerVerb(world: World, call: Call, insight: Insight): Promise<Response> {
  const { resource, info } = call;
  const verb = verbAt(call);
  // Where nothing is kept no name leads anywhere.
  if (info.name !== '' && reviewOf(resource) !== undefined) throw noSuchResource();
  if (verb === undefined || !resource.verbs.includes(verb)) throw methodNotAllowed();
  if (verb !== 'watch') checkPathName(info.name);
  const review = verb === 'create' ? reviewOf(resource) : undefined;
  if (review !== undefined) return review(world, call, insight);
  if (resource.group === '' && resource.plural === 'bindings') return bindPod(world, podsCall(world, call));
  switch (verb) {
    case 'get':
      return answerGet(world, call);
    case 'list':
      return listObjects(world, call, listOptions(call.query, false));
    case 'watch':
      return watchObjects(world, watchedCall(call), listOptions(watchQuery(call), true));
    case 'create': {
      refuseTerminating(world, call);
      return answerLive(world, call, 201, await createFromBody(world, call));
    }
    case 'update': {
      const changed = await updateFromBody(world, call);
      return answerLive(world, call, changed.isNew ? 201 : 200, changed);
    }
    case 'patch': {
      const changed = await patchFromBody(world, call);
      return answerLive(world, call, changed.isNew ? 201 : 200, changed);
    }
    case 'delete': {
      const deleted = await deleteByName(world, call);
      const answer = deletionAnswer(resource, deleted);
      if (answer.kind === 'Status' && info.resource !== 'status') {
        const { request, form, warnings } = call;
        return answerJson(200, answer, { request, form, warnings });
      }
      return answerObject(world, call, 200, deleted.object);
    }
    case 'deletecollection':
      return deleteCollection(world, call);
  }
}

/** Undefined where the method means nothing at this path. */
function verbAt({ request, info, query, resource }: Call): Verb | undefined {
  const isNamed = info.name !== '';
  const isAllNamespaces = resource.scope === 'Namespaced' && info.namespace === '';
  switch (request.method) {
    case 'GET':
      if (info.isOldWatch || (!isNamed && query.flag('watch'))) return 'watch';
      return isNamed ? 'get' : 'list';
    case 'POST':
      return isNamed || isAllNamespaces ? undefined : 'create';
    case 'PUT':
      return isNamed ? 'update' : undefined;
    case 'PATCH':
      return isNamed ? 'patch' : undefined;
    case 'DELETE':
      if (isNamed) return 'delete';
      return isAllNamespaces ? undefined : 'deletecollection';
    default:
      return undefined;
  }
}

/** A binding that is posted as such is about the pod of its name. */
function podsCall({ catalog }: World, call: Call): Call {
  const pods = catalog.find('', 'v1', 'pods');
  assert(pods !== undefined, 'pods are served');
  return { ...call, resource: pods };
}

/** The old path of watches names the object where the new one selects it. */
function watchedCall(call: Call): Call {
  return call.info.isOldWatch ? { ...call, info: { ...call.info, name: '' } } : call;
}

function watchQuery({ info, query }: Call): Call['query'] {
  if (!info.isOldWatch || info.name === '') return query;
  if (query.text('fieldSelector') !== '' && verbOf('GET', { ...info, name: '' }, query).name !== info.name) {
    throw badRequest("fieldSelector metadata.name doesn't match requested name");
  }
  return query.with('fieldSelector', `metadata.name=${info.name}`);
}

export function answerGet(world: World, call: Call): Response {
  const { resource, info, query } = call;
  const version = parseVersion(query.text('resourceVersion'), false);
  if (version !== undefined && version > world.store.revision()) {
    throw tooLarge(version, world.store.revision());
  }
  const live = readObject(world.store, resource, info.namespace, info.name);
  if (live === undefined) throw notFound(resource, info.name);
  return answerLive(world, call, 200, live);
}

/** Whoever wants the object as it is gets the bytes of the store. */
export function answerLive(world: World, call: Call, status: number, live: Live): Response {
  const { request, form, warnings, resource } = call;
  const { object, revision, value } = live;
  const isPlain = form.as === 'object' && form.encoding === 'json' && !wantsIndent(request);
  const prefix = isPlain ? storedPrefix(world, resource, live) : undefined;
  if (prefix === undefined || value === undefined) return answerObject(world, call, status, object);
  const { head, rest } = storedParts({ value, revision }, prefix);
  const body = joinBytes([encoder.encode(head), rest, LINE_END]);
  return answerBytes(status, body, 'application/json', { request, warnings });
}

const encoder = new TextEncoder();
const LINE_END = encoder.encode('\n');

function answerObject(world: World, call: Call, status: number, object: JsonObject): Response {
  const { request, form, warnings } = call;
  return answerJson(status, transformedObject(world, call, object), { request, form, warnings });
}

function refuseTerminating({ catalog }: World, { resource }: Call): void {
  if (catalog.customOf(resource)?.isTerminating !== true) return;
  throw statusError({
    code: 405,
    reason: 'MethodNotAllowed',
    message: 'create not allowed while custom resource definition is terminating',
    details: { group: resource.group, kind: resource.plural },
  });
}
