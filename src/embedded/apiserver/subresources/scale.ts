/** `/scale`: the replicas of a workload as a Scale object. */

import type { JsonObject } from '../../../base/json.ts';
import { scale as scaleBody } from '../../../kubernetes/types/index.ts';
import {
  type CustomResource,
  scaleOf as customScaleOf,
  missingReplicas,
  scaleToUpdate,
  withScale as withCustomScale,
} from '../../crds/index.ts';
import { managerName } from '../../patch/index.ts';
import { type Resource, scaleOf, withScale } from '../../resources/index.ts';
import { badRequest, conflict, invalid, notFound, statusError, unknownError } from '../../status/index.ts';
import type { Call } from '../call.ts';
import type { Response } from '../http/http.ts';
import { jsonResponse } from '../response.ts';
import type { ServerContext } from '../server-context.ts';
import { readObject } from '../store/records.ts';
import { withNamespace } from '../verbs/before-create.ts';
import { decodeBody, unreadableBody } from '../verbs/decode-body.ts';
import { checkName, guaranteedUpdate } from '../verbs/guaranteed-update.ts';
import { patchedObject, patchTypeOf, readPatch } from '../verbs/patch-object.ts';
import { writeOptions } from '../verbs/query-options.ts';
import { readBody } from '../verbs/read-body.ts';
import { transformedObject } from '../verbs/transform.ts';
import { bodyResource } from './body-resource.ts';

/** A Scale is not a resource, but is decoded and patched like one. */
const scaleResource = bodyResource(scaleBody, 'scales');

export function readScale(server: ServerContext, call: Call): Response {
  const { resource, info } = call;
  const live = readObject(server.store, resource, info.namespace, info.name);
  if (live === undefined) throw notFound(resource, info.name);
  return answerScale(server, call, scaleNow(resource, live.object));
}

export async function writeScale(server: ServerContext, call: Call): Promise<Response> {
  const { resource, info, request, query, user, warnings } = call;
  const isPatch = request.method === 'PATCH';
  const options = writeOptions(query, isPatch ? 'PatchOptions' : 'UpdateOptions');
  const wanted = isPatch ? patchedScale(call) : sentScale(call);
  const { object } = await guaranteedUpdate(server, {
    resource,
    user,
    subresource: 'scale',
    namespace: resource.scope === 'Namespaced' ? info.namespace : '',
    name: info.name,
    isDryRun: options.isDryRun,
    sentBytes: request.body.length,
    manager: managerName(options.fieldManager, request.headers['user-agent'] ?? ''),
    mayCreate: false,
    updatedObject: (live = {}) => ({
      object: scaled(resource, info.name, live, wanted(live)),
      hasManagedFields: false,
    }),
    warnings,
  });
  return answerScale(server, call, scaleNow(resource, object));
}

type Wanted = (live: JsonObject) => JsonObject;

function sentScale(call: Call): Wanted {
  const { request, query, warnings, info } = call;
  const options = writeOptions(query, 'UpdateOptions');
  const toError = unreadableBody(scaleResource);
  const sent = decodeBody(scaleResource, readBody(request, scaleResource), { ...options, toError, warnings });
  const wanted = withNamespace(scaleResource, sent, info.namespace);
  checkName(wanted, info.name);
  return () => wanted;
}

function patchedScale(call: Call): Wanted {
  const { request, query, resource, warnings } = call;
  const patchType = patchTypeOf(call);
  if (patchType === 'apply') {
    const message = 'apply is not supported for scales by this server: patch or update them';
    throw statusError({ code: 415, reason: 'UnsupportedMediaType', message });
  }
  const options = writeOptions(query, 'PatchOptions');
  const { patch, duplicates } = readPatch(request.body, patchType, options, warnings);
  return (live) => {
    const scale = scaleBefore(resource, live);
    const input = { live: scale, patch, duplicates, options };
    const { object } = patchedObject({ ...call, resource: scaleResource }, patchType, input);
    checkName(object, call.info.name);
    return object;
  };
}

function scaled(resource: Resource, name: string, live: JsonObject, scale: JsonObject): JsonObject {
  const paths = pathsOf(resource);
  if (paths !== undefined) {
    const result = withCustomScale(live, scale, paths);
    if (result.kind === 'scaled') return result.object;
    throw result.badRequest ? badRequest(result.message) : unknownError(result.message);
  }
  const result = withScale(live, scale);
  switch (result.kind) {
    case 'scaled':
      return result.object;
    case 'invalid':
      throw invalid(scaleResource, name, result.problems);
    case 'conflict':
      throw conflict({ ...resource, plural: `${resource.plural}/scale` }, name, result.message);
  }
}

function scaleNow(resource: Resource, object: JsonObject): JsonObject {
  const paths = pathsOf(resource);
  if (paths === undefined) return scaleOf(object);
  const read = customScaleOf(object, paths);
  if (read.kind === 'failed') throw unknownError(read.message);
  if (!read.hasReplicas) throw unknownError(missingReplicas(paths));
  return read.scale;
}

function scaleBefore(resource: Resource, object: JsonObject): JsonObject {
  const paths = pathsOf(resource);
  if (paths === undefined) return scaleOf(object);
  const read = scaleToUpdate(object, paths);
  if (read.kind === 'failed') throw unknownError(read.message);
  return read.scale;
}

function pathsOf(resource: Resource): CustomResource['scale'] {
  // Custom resources are made by `crds`, with the paths of the replica fields.
  return resource.origin === 'custom' ? (resource as CustomResource).scale : undefined;
}

function answerScale(server: ServerContext, call: Call, scale: JsonObject): Response {
  const { request, format, warnings } = call;
  const shown = transformedObject(server, { ...call, resource: scaleResource }, scale);
  return jsonResponse(200, shown, { request, format, warnings });
}
