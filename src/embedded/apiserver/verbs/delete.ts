/** `DELETE` of one object, and the options of deletions. */

import { isJsonObject, isObject, type JsonObject, own } from '../../../base/json.ts';
import { quoted, readJson, timeText } from '../../../base/text/index.ts';
import { deleteOptions as deleteOptionsSchema, type Status } from '../../../kubernetes/types/index.ts';
import { decodeProtobuf } from '../../protobuf/index.ts';
import { decodeBuiltin, type Resource } from '../../resources/index.ts';
import { conflict, notFound, unknownError } from '../../status/index.ts';
import type { AdmissionAttributes } from '../admission.ts';
import type { Call } from '../call.ts';
import type { Request } from '../http/http.ts';
import { nowText, type ServerContext } from '../server-context.ts';
import { keyOf, type Live, readObject, storedBytes } from '../store/records.ts';
import { metadataOf, withMetadata } from '../store/stored-object.ts';
import { unregistered } from './body-kind.ts';
import { type DeleteOptions, type Propagation, planDeletion, propagationProblems } from './deletion.ts';
import { dryRunProblems, rejectOptions } from './query-options.ts';
import { mediaTypeOf, noObjectText, readYaml, unknownFormat } from './read-body.ts';

type Deleted =
  | { readonly kind: 'gone'; readonly object: JsonObject }
  /** Marked with a deletionTimestamp. */
  | { readonly kind: 'marked'; readonly object: JsonObject };

export async function deleteByName(server: ServerContext, call: Call): Promise<Deleted> {
  const { resource, info, user, warnings } = call;
  const options = deleteOptions(call);
  warnJobs(call, options);
  const namespace = resource.scope === 'Namespaced' ? info.namespace : '';
  return deleteObject(server, { resource, namespace, name: info.name, user, warnings }, options);
}

type DeletionTarget = Pick<AdmissionAttributes, 'resource' | 'namespace' | 'name' | 'user' | 'warnings'>;

const MAX_ATTEMPTS = 100;

export async function deleteObject(
  server: ServerContext,
  target: DeletionTarget,
  options: DeleteOptions,
): Promise<Deleted> {
  const { resource, namespace, name } = target;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const live = readObject(server.store, resource, namespace, name);
    if (live === undefined) throw notFound(resource, name);
    checkPreconditions(resource, live, options);
    const attributes: AdmissionAttributes = {
      ...target,
      operation: 'DELETE',
      subresource: '',
      oldObject: live.object,
      isDryRun: options.isDryRun,
    };
    server.admission.admitDeletion(attributes);
    server.admission.admitValidating(attributes);
    const result = await tryDelete(server, target, { live, options });
    if (result !== 'conflict') return result;
  }
  throw unknownError(`${resource.plural} ${quoted(name)} changes too often to be deleted`);
}

type DeleteAttempt = { readonly live: Live; readonly options: DeleteOptions };

async function tryDelete(
  server: ServerContext,
  { resource, namespace, name }: DeletionTarget,
  { live, options }: DeleteAttempt,
): Promise<Deleted | 'conflict'> {
  const plan = planDeletion({
    resource,
    live: live.object,
    options,
    now: nowText(server),
    later: (seconds) => laterText(server, seconds),
  });
  if (plan.kind === 'unchanged') return { kind: 'marked', object: live.object };
  if (options.isDryRun) return plan;
  const key = keyOf(resource, namespace, name);
  const expect = live.revision;
  if (plan.kind === 'gone') {
    const gone = await server.store.commit([{ kind: 'delete', key, expect }]);
    return gone.kind === 'committed' ? plan : 'conflict';
  }
  const value = storedBytes(server, resource, plan.object);
  const put = await server.store.commit([{ kind: 'put', key, expect, value }]);
  if (put.kind === 'conflict') return 'conflict';
  const resourceVersion = String(put.revision);
  return { kind: 'marked', object: withMetadata(plan.object, { resourceVersion }) };
}

function laterText({ env }: ServerContext, seconds: number): string {
  return timeText(BigInt(Math.floor(env.clock.now() / 1000) + seconds) * 1_000_000_000n);
}

/** kube-apiserver names the kind here, where elsewhere it names the resource. */
function checkPreconditions(resource: Resource, { object, revision }: Live, options: DeleteOptions): void {
  const { name, uid = '' } = metadataOf(object);
  const named = { ...resource, plural: resource.kind };
  if (options.uid !== undefined && options.uid !== uid) {
    const why = `the UID in the precondition (${options.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`;
    throw conflict(named, name, why);
  }
  if (options.resourceVersion !== undefined && options.resourceVersion !== String(revision)) {
    const why = `the ResourceVersion in the precondition (${options.resourceVersion}) does not match the ResourceVersion in record (${revision}). The object might have been modified`;
    throw conflict(named, name, why);
  }
}

/** From the body if there is one, otherwise from the query. */
export function deleteOptions(call: Call): DeleteOptions {
  const { request, query } = call;
  if (request.body.length > 0) return optionsFrom(bodyOptions(call));
  const orphans = query.has('orphanDependents') ? query.flag('orphanDependents') : undefined;
  return optionsFrom({
    gracePeriodSeconds: query.whole('gracePeriodSeconds'),
    propagationPolicy: query.text('propagationPolicy') || undefined,
    orphanDependents: orphans,
    dryRun: query.all('dryRun'),
  });
}

/** Unknown options must not be ignored: they may be what protects an object. */
function bodyOptions({ request }: Call): JsonObject {
  const value = sentOptions(request);
  const kind = own(value, 'kind') ?? 'DeleteOptions';
  if (kind !== 'DeleteOptions') {
    const apiVersion = String(own(value, 'apiVersion') ?? 'v1');
    throw unknownError(unregistered({ apiVersion, kind: String(kind) }));
  }
  const decoded = decodeOptions(value);
  if (decoded.kind === 'failed') throw unknownError(decoded.message);
  return decoded.object;
}

const decodeOptions = decodeBuiltin(deleteOptionsSchema);

function sentOptions({ headers, body }: Request): JsonObject {
  const type = mediaTypeOf(headers['content-type']);
  if (type === undefined) throw unknownFormat();
  if (type === 'protobuf') {
    const decoded = decodeProtobuf(body);
    if (decoded.kind === 'invalid') throw unknownError(decoded.problems[0]?.message ?? '');
    const { apiVersion, kind, object } = decoded.value;
    return { ...object, apiVersion, kind };
  }
  const read = type === 'yaml' ? readYaml(body) : readJson(body);
  if (read.kind === 'mistake') {
    throw unknownError(`couldn't get version/kind; json parse error: ${read.message}`);
  }
  if (read.value === null) return {};
  if (!isJsonObject(read.value)) throw unknownError(noObjectText(read.value));
  return read.value;
}

/** From a body, a query, or an Eviction. */
export function optionsFrom(fields: { readonly [name: string]: unknown }): DeleteOptions {
  const policy = own(fields, 'propagationPolicy');
  const orphans = own(fields, 'orphanDependents');
  const dryRunField = own(fields, 'dryRun');
  const dryRun = Array.isArray(dryRunField) ? dryRunField.map(String) : [];
  const grace = own(fields, 'gracePeriodSeconds');
  const preconditions = own(fields, 'preconditions');
  const demands = isObject(preconditions) ? preconditions : {};
  rejectOptions('DeleteOptions', [...propagationProblems(policy, orphans), ...dryRunProblems(dryRun)]);
  return {
    gracePeriodSeconds: typeof grace === 'number' ? graceOf(Math.trunc(grace)) : undefined,
    propagation: propagationOf(policy, orphans),
    uid: textOr(own(demands, 'uid')),
    resourceVersion: textOr(own(demands, 'resourceVersion')),
    isDryRun: dryRun.length > 0,
  };
}

/** Negative grace periods count as one second. */
function graceOf(seconds: number): number {
  return seconds < 0 ? 1 : seconds;
}

function propagationOf(policy: unknown, orphans: unknown): Propagation | undefined {
  // Validated above.
  if (typeof policy === 'string') return policy as Propagation;
  if (typeof orphans === 'boolean') return orphans ? 'Orphan' : 'Background';
  return undefined;
}

function textOr(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function warnJobs({ resource, warnings }: Call, { propagation }: DeleteOptions): void {
  if (resource.group !== 'batch' || resource.plural !== 'jobs' || propagation !== undefined) return;
  warnings.push(
    'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
  );
}

/** Kinds whose deletion is answered with the object itself. */
const SHOWN: ReadonlySet<string> = new Set(['pods', 'namespaces', 'serviceaccounts', 'services']);

export function deletionAnswer({ group, plural }: Resource, deleted: Deleted): JsonObject | Status {
  if (deleted.kind === 'marked' || (group === '' && SHOWN.has(plural))) return deleted.object;
  const { name, uid } = metadataOf(deleted.object);
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name,
      ...(group === '' ? {} : { group }),
      kind: plural,
      ...(uid === undefined ? {} : { uid }),
    },
  };
}
