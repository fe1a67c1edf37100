/** `pods/eviction`: a pod is asked to go, if its disruption budget allows. */

import { assert } from '../../../base/errors.ts';
import { isObject, type JsonObject } from '../../../base/json.ts';
import { apiVersionOf } from '../../../kubernetes/meta/index.ts';
import { eviction } from '../../../kubernetes/types/index.ts';
import { updateManagedFields } from '../../patch/index.ts';
import { decideEviction, type Resource } from '../../resources/index.ts';
import { notFound, unknownError } from '../../status/index.ts';
import { type Call, nowText, type World } from '../call.ts';
import type { Response } from '../http/http.ts';
import { answerStatus } from '../response.ts';
import { allObjects, keyOf, readObject, storedBytes } from '../store/records.ts';
import type { Write } from '../store/store.ts';
import { metadataOf } from '../store/stored-object.ts';
import { deleteObject, optionsFrom } from '../verbs/delete.ts';
import { CREATED } from './binding.ts';
import { bodyResource, readDoorBody } from './body-resource.ts';

const evictions = bodyResource(eviction, 'evictions');
const MAX_ATTEMPTS = 100;

export async function evictPod(world: World, call: Call): Promise<Response> {
  const { resource: pods, info, request, user, warnings } = call;
  const { sent, options } = readDoorBody(call, evictions, asNewest);
  const deletion = optionsFrom(isObject(sent.deleteOptions) ? sent.deleteOptions : {});
  const isDryRun = options.isDryRun || deletion.isDryRun;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const live = readObject(world.store, pods, info.namespace, info.name);
    if (live === undefined) throw notFound(pods, info.name);
    const budgets = [...allObjects(world.store, budgetsOf(world), info.namespace)];
    const decision = decideEviction({ pod: live.object, eviction: sent, budgets, now: nowText(world) });
    if (decision.kind === 'error') throw decision;
    if (isDryRun) return answerStatus(CREATED, { request, warnings });
    // The pod and its budget change together or not at all: no disruption is paid for twice, or not at all.
    const paid = await world.store.commit([
      putOf(world, pods, { object: decision.pod, revision: live.revision }),
      ...(decision.budget === undefined ? [] : [budgetPut(world, budgets, decision.budget)]),
    ]);
    if (paid.kind === 'conflict') continue;
    const target = { resource: pods, namespace: info.namespace, name: info.name, user, warnings };
    await deleteObject(world, target, deletion);
    return answerStatus(CREATED, { request, warnings });
  }
  throw unknownError('the pod or its budget is changed too often for an eviction');
}

/** Older clients call it v1beta1, and mean the same. */
function asNewest(value: JsonObject): JsonObject {
  return value.apiVersion === 'policy/v1beta1' ? { ...value, apiVersion: 'policy/v1' } : value;
}

function budgetsOf({ catalog }: World): Resource {
  const found = catalog.find('policy', 'v1', 'poddisruptionbudgets');
  assert(found !== undefined, 'disruption budgets are served');
  return found;
}

/** The server itself writes it, by the door of the status. */
function budgetPut(world: World, budgets: readonly JsonObject[], after: JsonObject): Write {
  const resource = budgetsOf(world);
  const { name, resourceVersion } = metadataOf(after);
  const before = budgets.find((one) => metadataOf(one).name === name);
  const { value: object } = updateManagedFields({
    schema: resource.schema,
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    manager: 'kube-apiserver',
    subresource: 'status',
    resetFields: [['spec']],
    now: nowText(world),
    before,
    after,
  });
  return putOf(world, resource, { object, revision: Number(resourceVersion) });
}

type Known = { readonly object: JsonObject; readonly revision: number };

function putOf(world: World, resource: Resource, { object, revision }: Known): Write {
  const { namespace = '', name } = metadataOf(object);
  const value = storedBytes(world, resource, object);
  return { kind: 'put', key: keyOf(resource, namespace, name), expect: revision, value };
}
