/**
 * `millwright delete`: asks objects to go, and waits until they are gone.
 */
import { stringAt } from '../../base/json-fields.ts';
import { isNotFound, KubeError, objectPath } from '../../kubernetes/client/index.ts';
import { durationMs } from '../duration.ts';
import type { ClusterOptions } from '../embedded-access.ts';
import type { Ports } from '../ports.ts';
import { formatPlace } from '../render/finding.ts';
import { kindLabel } from './api-resource.ts';
import { type AwaitedObject, awaitObjects } from './await-objects.ts';
import { findKind } from './find-resource.ts';
import { namespaceOf, readGivenObjects } from './given-objects.ts';
import { type Run, refuseUsage, runInCluster } from './run-in-cluster.ts';
import { deletionReason } from './wait-condition.ts';
import { namespaceFor, wantedObjects } from './wanted-objects.ts';

export type DeleteOptions = ClusterOptions & {
  readonly filename?: readonly string[];
  readonly namespace?: string;
  readonly ignoreNotFound?: boolean;
  readonly dryRun?: boolean;
  /** False for who does not want to wait. */
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
    const doomed = await doomedObjects(run, args, options);
    const going: GoingObject[] = [];
    for (const one of doomed) going.push(...(await deleteOne(run, one, options)));
    if (options.wait && going.length > 0) await awaitEnd(run, going, timeoutMs);
  });
}

type DoomedObject = AwaitedObject & {
  /** Where it was read: `FILE:LINE`. */
  readonly from?: string;
};

type GoingObject = AwaitedObject & { readonly uid: string };

async function doomedObjects(
  run: Run,
  args: readonly string[],
  options: DeleteOptions,
): Promise<readonly DoomedObject[]> {
  const { filename = [] } = options;
  if (filename.length > 0 && args.length > 0) refuseUsage('name objects, or files with -f, but not both');
  if (filename.length > 0) return await objectsOfFiles(run, filename, options);
  if (args.length === 0) refuseUsage('nothing is named: write KIND NAME, or -f FILE');
  const wanted = await wantedObjects(run.session, args);
  return wanted.flatMap(({ resource, names }) => {
    if (names === undefined) return refuseUsage(`which ${resource.plural}? Name those that are to go`);
    const namespace = namespaceFor(run.session, resource, options) ?? '';
    return names.map((name) => ({ resource, name, namespace }));
  });
}

/** Where something in the files cannot be read nothing is deleted. */
async function objectsOfFiles(
  { session, ports }: Run,
  paths: readonly string[],
  options: DeleteOptions,
): Promise<readonly DoomedObject[]> {
  const { objects, unusable, problems } = await readGivenObjects(paths, ports);
  const lines = [...unusable, ...problems];
  if (lines.length > 0) refuseUsage(`nothing deleted: ${lines.join('; ')}`);
  if (objects.length === 0) refuseUsage('there are no objects in the input');
  const served = await session.resources();
  return objects.map((given) => {
    const from = formatPlace(given.place);
    const found = findKind(given, served);
    if (found.kind === 'unknown') return refuseUsage(`nothing deleted: ${from}: ${found.message}`);
    const space = namespaceOf(session, found.resource, given, options);
    if (space.kind === 'elsewhere') return refuseUsage(`nothing deleted: ${from}: ${space.message}`);
    return { resource: found.resource, name: given.name, namespace: space.namespace, from };
  });
}

/** The object, where it was asked to go. */
async function deleteOne(
  { session, ports, complain }: Run,
  { from, ...object }: DoomedObject,
  { dryRun, ignoreNotFound }: DeleteOptions,
): Promise<readonly GoingObject[]> {
  const { resource, namespace, name } = object;
  try {
    const { body } = await session.ask({
      ...{ method: 'DELETE', path: objectPath(resource, { name, namespace }) },
      // All of it in the body: a server that is sent one does not look at the query.
      body: {
        ...{ kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' },
        ...(dryRun ? { dryRun: ['All'] } : {}),
      },
    });
    ports.stdout(`${kindLabel(resource)} "${name}" deleted${dryRun ? ' (server dry run)' : ''}\n`);
    return dryRun ? [] : [{ ...object, uid: uidIn(body) }];
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    if (ignoreNotFound && isNotFound(error, name)) return [];
    complain(from === undefined ? error.message : `${from}: ${error.message}`);
    return [];
  }
}

/** The answer is the object that is to go, or a Status that tells of the one that is gone. */
function uidIn(answer: unknown): string {
  return stringAt(answer, 'metadata', 'uid') || stringAt(answer, 'details', 'uid');
}

async function awaitEnd({ session, complain }: Run, objects: readonly GoingObject[], timeoutMs: number) {
  const uids = new Map<AwaitedObject, string>(objects.map((object) => [object, object.uid]));
  const late = await awaitObjects(session, {
    objects,
    // Another object of that name may have taken its place by now.
    judge: (awaited, object) =>
      object === undefined || stringAt(object, 'metadata', 'uid') !== uids.get(awaited) ? 'met' : 'not yet',
    onEnd: () => undefined,
    // No limit was named, and nothing is looked at just once here.
    timeoutMs: timeoutMs === 0 ? durationMs('--timeout', '-1s') : timeoutMs,
  });
  for (const { awaited, object } of late) {
    complain(
      `timed out waiting for the end of ${awaited.resource.plural}/${awaited.name}: ${deletionReason(object)}`,
    );
  }
}
