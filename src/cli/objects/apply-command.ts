/**
 * `millwright apply`: makes the objects of files so on the server, by server-side apply.
 */

import type { JsonObject } from '../../base/json.ts';
import { stringAt } from '../../base/json-fields.ts';
import { printableLine } from '../../base/text/index.ts';
import { waited } from '../../base/waiting.ts';
import { isNotFound, KubeError, objectPath } from '../../kubernetes/client/index.ts';
import type { ClusterOptions } from '../embedded-access.ts';
import { INVALID, UNUSABLE } from '../exit-code.ts';
import type { Ports } from '../ports.ts';
import { formatFinding } from '../render/finding.ts';
import { objectLabel } from './api-resource.ts';
import { type ApplyRefusal, applyRefusal, applyVerdict } from './apply-verdict.ts';
import type { ClusterSession } from './cluster-session.ts';
import { type FoundKind, findKind } from './find-resource.ts';
import { type GivenObject, inside, namespaceOf, readGivenObjects } from './given-objects.ts';
import { jsonObject } from './list-and-watch.ts';
import { type Run, runInCluster } from './run-in-cluster.ts';

export type ApplyOptions = ClusterOptions & {
  /** Files, folders, `-`. */
  readonly filename: readonly string[];
  readonly namespace?: string;
  readonly forceConflicts?: boolean;
  readonly dryRun?: boolean;
};

/** The owner of what people write. */
export const FIELD_MANAGER = 'millwright';

/** Where something in the files cannot be read nothing is applied: half of a change is worse than none. */
export async function applyCommand(options: ApplyOptions, ports: Ports): Promise<number> {
  const { objects, unusable, problems } = await readGivenObjects(options.filename, ports);
  const lines = [...unusable, ...problems];
  if (objects.length === 0 && lines.length === 0) lines.push('there are no objects in the input');
  for (const line of lines) ports.stderr(`${printableLine(`millwright: ${line}`)}\n`);
  if (lines.length > 0) {
    ports.stderr('millwright: nothing applied\n');
    return unusable.length > 0 ? UNUSABLE : INVALID;
  }
  return await runInCluster(options, ports, async (run) => {
    const applying: Applying = { run, options, defined: new Set() };
    for (const given of inOrder(objects)) await applyOne(applying, given);
  });
}

type Applying = {
  readonly run: Run;
  readonly options: ApplyOptions;
  /** The kinds whose definitions were applied, as `kindKey` writes them. */
  readonly defined: Set<string>;
};

/** What others need comes first: namespaces, and the kinds of objects. Else as it was given. */
function inOrder(objects: readonly GivenObject[]): readonly GivenObject[] {
  const isFirst = ({ kind }: GivenObject) => kind === 'Namespace' || kind === 'CustomResourceDefinition';
  return [...objects.filter(isFirst), ...objects.filter((one) => !isFirst(one))];
}

async function applyOne(applying: Applying, given: GivenObject): Promise<void> {
  const { run, options, defined } = applying;
  const { session, ports, complain } = run;
  const refuse = (subject: string, { message, path }: ApplyRefusal) =>
    complain(formatFinding({ place: inside(given.place, path), subject, path: '', message }));
  const found = await servedKind(applying, given);
  if (found.kind === 'unknown') {
    refuse(`${given.kind}/${given.name}`, { message: found.message, path: 'kind' });
    return;
  }
  const { resource } = found;
  const label = objectLabel(resource, given.name);
  const space = namespaceOf(session, resource, given, options);
  if (space.kind === 'elsewhere') {
    refuse(label, { message: space.message, path: 'metadata.namespace' });
    return;
  }
  try {
    const path = objectPath(resource, { name: given.name, namespace: space.namespace });
    const before = await current(session, path, given.name);
    const { body } = await session.ask(patchOf(given, path, options));
    const verdict = applyVerdict(before, jsonObject(body));
    ports.stdout(`${label} ${verdict}${options.dryRun ? ' (server dry run)' : ''}\n`);
    if (!options.dryRun) for (const key of definedBy(given)) defined.add(key);
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    refuse(label, applyRefusal(error));
  }
}

function patchOf({ object }: GivenObject, path: string, { forceConflicts, dryRun }: ApplyOptions) {
  return {
    ...{ method: 'PATCH' as const, path, body: object },
    // JSON is YAML.
    contentType: 'application/apply-patch+yaml',
    query: {
      ...{ fieldManager: FIELD_MANAGER, fieldValidation: 'Strict' },
      ...{ force: forceConflicts ? 'true' : undefined, dryRun: dryRun ? 'All' : undefined },
    },
  };
}

async function current(session: ClusterSession, path: string, name: string): Promise<JsonObject | undefined> {
  try {
    return jsonObject((await session.ask({ path })).body);
  } catch (error) {
    if (isNotFound(error, name)) return undefined;
    throw error;
  }
}

/** A kind is served a moment after its definition is there. */
const SERVED_TIMEOUT_MS = 10_000;
const SERVED_POLL_MS = 100;

async function servedKind({ run: { session }, defined }: Applying, given: GivenObject): Promise<FoundKind> {
  const [group = ''] = given.apiVersion.includes('/') ? given.apiVersion.split('/') : [];
  let found = findKind(given, await session.resources());
  const deadline = session.clock.monotonic() + SERVED_TIMEOUT_MS;
  const { signal } = new AbortController();
  while (found.kind === 'unknown' && defined.has(kindKey(group, given.kind))) {
    if (session.clock.monotonic() > deadline) break;
    await waited(session.clock, { delayMs: SERVED_POLL_MS, signal });
    found = findKind(given, await session.resourcesAnew());
  }
  return found;
}

function definedBy({ kind, object }: GivenObject): readonly string[] {
  if (kind !== 'CustomResourceDefinition') return [];
  return [kindKey(stringAt(object, 'spec', 'group'), stringAt(object, 'spec', 'names', 'kind'))];
}

function kindKey(group: string, kind: string): string {
  return `${group}/${kind}`;
}
