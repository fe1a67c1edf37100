/**
 * `millwright delete`: deletes objects and waits until they are gone.
 */
import { stringAt } from '../../base/json-fields.ts';
import { isNotFound, KubeError, objectPath } from '../../kubernetes/client/index.ts';
import type { ClusterOptions } from '../cluster-options.ts';
import { durationMs } from '../duration.ts';
import type { Ports } from '../ports.ts';
import { formatLocation } from '../render/finding.ts';
import { kindLabel } from './api-resource.ts';
import { findKind } from './find-resource.ts';
import { namespaceOf, readManifestObjects } from './manifest-objects.ts';
import { namespaceFor, selectResources } from './resource-selection.ts';
import { type Run, runInCluster, throwUsageError } from './run-in-cluster.ts';
import { deletionReason } from './wait-condition.ts';
import { type ObjectReference, waitForObjects } from './wait-for-objects.ts';

export type DeleteOptions = ClusterOptions & {
  readonly filename?: readonly string[];
  readonly namespace?: string;
  readonly ignoreNotFound?: boolean;
  readonly dryRun?: boolean;
  /** False with `--no-wait`. */
  readonly wait: boolean;
  readonly timeout: string;
};

export function deleteCommand(
  args: readonly string[],
  options: DeleteOptions,
  ports: Ports,
): Promise<number> {
  return runInCluster(options, ports, async (run) => {
    const timeoutMs = durationMs('--timeout', options.timeout);
    const targets = await objectsToDelete(run, args, options);
    const deleted: DeletedObject[] = [];
    for (const target of targets) deleted.push(...(await deleteOne(run, target, options)));
    if (options.wait && deleted.length > 0) await waitForDeletion(run, deleted, timeoutMs);
  });
}

type ObjectToDelete = ObjectReference & {
  /** Its location in the manifests: `FILE:LINE`. */
  readonly from?: string;
};

type DeletedObject = ObjectReference & { readonly uid: string };

async function objectsToDelete(
  run: Run,
  args: readonly string[],
  options: DeleteOptions,
): Promise<readonly ObjectToDelete[]> {
  const { filename = [] } = options;
  if (filename.length > 0 && args.length > 0)
    throwUsageError('give names of objects or files with -f, not both');
  if (filename.length > 0) return await objectsOfFiles(run, filename, options);
  if (args.length === 0) throwUsageError('nothing to delete: give KIND NAME, or -f FILE');
  const wanted = await selectResources(run.session, args);
  return wanted.flatMap(({ resource, names }) => {
    if (names === undefined) return throwUsageError(`give the names of the ${resource.plural} to delete`);
    const namespace = namespaceFor(run.session, resource, options) ?? '';
    return names.map((name) => ({ resource, name, namespace }));
  });
}

/** If any manifest cannot be read nothing is deleted. */
async function objectsOfFiles(
  { session, ports }: Run,
  paths: readonly string[],
  options: DeleteOptions,
): Promise<readonly ObjectToDelete[]> {
  const { objects, unusable, problems } = await readManifestObjects(paths, ports);
  const lines = [...unusable, ...problems];
  if (lines.length > 0) throwUsageError(`nothing deleted: ${lines.join('; ')}`);
  if (objects.length === 0) throwUsageError('no objects in the input');
  const served = await session.resources();
  return objects.map((given) => {
    const from = formatLocation(given.location);
    const found = findKind(given, served);
    if (found.kind === 'unknown') return throwUsageError(`nothing deleted: ${from}: ${found.message}`);
    const space = namespaceOf(session, found.resource, given, options);
    if (space.kind === 'elsewhere') return throwUsageError(`nothing deleted: ${from}: ${space.message}`);
    return { resource: found.resource, name: given.name, namespace: space.namespace, from };
  });
}

/** Returns the object if the request was accepted. */
async function deleteOne(
  { session, ports, reportError }: Run,
  { from, ...object }: ObjectToDelete,
  { dryRun, ignoreNotFound }: DeleteOptions,
): Promise<readonly DeletedObject[]> {
  const { resource, namespace, name } = object;
  try {
    const { body } = await session.request({
      method: 'DELETE',
      path: objectPath(resource, { name, namespace }),
      // All options go into the body: a server that receives one ignores the query.
      body: {
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        propagationPolicy: 'Background',
        ...(dryRun ? { dryRun: ['All'] } : {}),
      },
    });
    ports.stdout(`${kindLabel(resource)} "${name}" deleted${dryRun ? ' (server dry run)' : ''}\n`);
    return dryRun ? [] : [{ ...object, uid: uidIn(body) }];
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    if (ignoreNotFound && isNotFound(error, name)) return [];
    reportError(from === undefined ? error.message : `${from}: ${error.message}`);
    return [];
  }
}

/** The response is the object, if it is still terminating, or a Status with details of the deleted one. */
function uidIn(answer: unknown): string {
  return stringAt(answer, 'metadata', 'uid') || stringAt(answer, 'details', 'uid');
}

async function waitForDeletion(
  { session, reportError }: Run,
  objects: readonly DeletedObject[],
  timeoutMs: number,
) {
  const uids = new Map<ObjectReference, string>(objects.map((object) => [object, object.uid]));
  const unmet = await waitForObjects(session, {
    objects,
    // Another object of the same name may have been created since.
    check: (reference, object) =>
      object === undefined || stringAt(object, 'metadata', 'uid') !== uids.get(reference) ? 'met' : 'pending',
    onSettled: () => undefined,
    // For this command 0 means no limit, rather than checking once.
    timeoutMs: timeoutMs === 0 ? durationMs('--timeout', '-1s') : timeoutMs,
  });
  for (const { reference, object } of unmet) {
    reportError(
      `timed out waiting for the deletion of ${reference.resource.plural}/${reference.name}: ${deletionReason(object)}`,
    );
  }
}
