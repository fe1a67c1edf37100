/** `pods/eviction`: deletes a pod if its PodDisruptionBudget allows. */

import { assert } from '../../../base/errors.ts';
import { isObject, type JsonObject } from '../../../base/json.ts';
import { apiVersionOf } from '../../../kubernetes/meta/index.ts';
import { eviction } from '../../../kubernetes/types/index.ts';
import { updateManagedFields } from '../../patch/index.ts';
import { decideEviction, type Resource } from '../../resources/index.ts';
import { notFound, unknownError } from '../../status/index.ts';
import type { Call } from '../call.ts';
import type { Response } from '../http/http.ts';
import { statusResponse } from '../response.ts';
import { nowText, type ServerContext } from '../server-context.ts';
import { allObjects, keyOf, readObject, storedBytes } from '../store/records.ts';
import type { Write } from '../store/store.ts';
import { metadataOf } from '../store/stored-object.ts';
import { deleteObject, optionsFrom } from '../verbs/delete.ts';
import { CREATED } from './binding.ts';
import { bodyResource, readSubresourceBody } from './body-resource.ts';

const evictions = bodyResource(eviction, 'evictions');
const MAX_ATTEMPTS = 100;

export async function evictPod(server: ServerContext, call: Call): Promise<Response> {
  const { resource: pods, info, request, user, warnings } = call;
  const { sent, options } = readSubresourceBody(call, evictions, asNewest);
  const deletion = optionsFrom(isObject(sent.deleteOptions) ? sent.deleteOptions : {});
  const isDryRun = options.isDryRun || deletion.isDryRun;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const live = readObject(server.store, pods, info.namespace, info.name);
    if (live === undefined) throw notFound(pods, info.name);
    const budgets = [...allObjects(server.store, budgetsOf(server), info.namespace)];
    const decision = decideEviction({ pod: live.object, eviction: sent, budgets, now: nowText(server) });
    if (decision.kind === 'error') throw decision;
    if (isDryRun) return statusResponse(CREATED, { request, warnings });
    // The pod and its budget are written in one transaction, so that every disruption is counted exactly once.
    const committed = await server.store.commit([
      putOf(server, pods, { object: decision.pod, revision: live.revision }),
      ...(decision.budget === undefined ? [] : [budgetPut(server, budgets, decision.budget)]),
    ]);
    if (committed.kind === 'conflict') continue;
    const target = { resource: pods, namespace: info.namespace, name: info.name, user, warnings };
    await deleteObject(server, target, deletion);
    return statusResponse(CREATED, { request, warnings });
  }
  throw unknownError('the pod or its budget changes too often to be evicted');
}

/** v1beta1 has the same fields. */
function asNewest(value: JsonObject): JsonObject {
  return value.apiVersion === 'policy/v1beta1' ? { ...value, apiVersion: 'policy/v1' } : value;
}

function budgetsOf({ catalog }: ServerContext): Resource {
  const found = catalog.find('policy', 'v1', 'poddisruptionbudgets');
  assert(found !== undefined, 'disruption budgets are served');
  return found;
}

/** Written by the server itself, as the status subresource. */
function budgetPut(server: ServerContext, budgets: readonly JsonObject[], after: JsonObject): Write {
  const resource = budgetsOf(server);
  const { name, resourceVersion } = metadataOf(after);
  const before = budgets.find((one) => metadataOf(one).name === name);
  const { value: object } = updateManagedFields({
    schema: resource.schema,
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    manager: 'kube-apiserver',
    subresource: 'status',
    resetFields: [['spec']],
    now: nowText(server),
    before,
    after,
  });
  return putOf(server, resource, { object, revision: Number(resourceVersion) });
}

type RevisedObject = { readonly object: JsonObject; readonly revision: number };

function putOf(server: ServerContext, resource: Resource, { object, revision }: RevisedObject): Write {
  const { namespace = '', name } = metadataOf(object);
  const value = storedBytes(server, resource, object);
  return { kind: 'put', key: keyOf(resource, namespace, name), expect: revision, value };
}
