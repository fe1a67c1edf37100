/**
 * `millwright apply`: applies manifests by server-side apply.
 */

import type { JsonObject } from '../../base/json.ts';
import { stringAt } from '../../base/json-fields.ts';
import { printableLine } from '../../base/text/index.ts';
import { sleep } from '../../base/waiting.ts';
import { isNotFound, KubeError, objectPath } from '../../kubernetes/client/index.ts';
import type { ClusterOptions } from '../cluster-options.ts';
import { INVALID_INPUT, USAGE_ERROR } from '../exit-code.ts';
import type { Ports } from '../ports.ts';
import { formatFinding } from '../render/finding.ts';
import { objectLabel } from './api-resource.ts';
import { type ApplyError, applyError, applyResult } from './apply-result.ts';
import type { ClusterSession } from './cluster-session.ts';
import { type FoundKind, findKind } from './find-resource.ts';
import { jsonObject } from './list-and-watch.ts';
import { inside, type ManifestObject, namespaceOf, readManifestObjects } from './manifest-objects.ts';
import { type Run, runInCluster } from './run-in-cluster.ts';

export type ApplyOptions = ClusterOptions & {
  /** Files, directories, `-`. */
  readonly filename: readonly string[];
  readonly namespace?: string;
  readonly forceConflicts?: boolean;
  readonly dryRun?: boolean;
};

export const FIELD_MANAGER = 'millwright';

/** If any manifest cannot be read nothing is applied: a partial change is worse than none. */
export async function applyCommand(options: ApplyOptions, ports: Ports): Promise<number> {
  const { objects, unusable, problems } = await readManifestObjects(options.filename, ports);
  const lines = [...unusable, ...problems];
  if (objects.length === 0 && lines.length === 0) lines.push('no objects in the input');
  for (const line of lines) ports.stderr(`${printableLine(`millwright: ${line}`)}\n`);
  if (lines.length > 0) {
    ports.stderr('millwright: nothing applied\n');
    return unusable.length > 0 ? USAGE_ERROR : INVALID_INPUT;
  }
  return await runInCluster(options, ports, async (run) => {
    const context: ApplyContext = { run, options, defined: new Set() };
    for (const manifest of inOrder(objects)) await applyOne(context, manifest);
  });
}

type ApplyContext = {
  readonly run: Run;
  readonly options: ApplyOptions;
  /** The kinds whose CRDs were applied, as formatted by `kindKey`. */
  readonly defined: Set<string>;
};

/** Namespaces and CRDs first, since others may need them; otherwise in the given order. */
function inOrder(objects: readonly ManifestObject[]): readonly ManifestObject[] {
  const isFirst = ({ kind }: ManifestObject) => kind === 'Namespace' || kind === 'CustomResourceDefinition';
  return [...objects.filter(isFirst), ...objects.filter((one) => !isFirst(one))];
}

async function applyOne(context: ApplyContext, manifest: ManifestObject): Promise<void> {
  const { run, options, defined } = context;
  const { session, ports, reportError } = run;
  const reject = (subject: string, { message, path }: ApplyError) =>
    reportError(formatFinding({ location: inside(manifest.location, path), subject, path: '', message }));
  const found = await servedKind(context, manifest);
  if (found.kind === 'unknown') {
    reject(`${manifest.kind}/${manifest.name}`, { message: found.message, path: 'kind' });
    return;
  }
  const { resource } = found;
  const label = objectLabel(resource, manifest.name);
  const space = namespaceOf(session, resource, manifest, options);
  if (space.kind === 'elsewhere') {
    reject(label, { message: space.message, path: 'metadata.namespace' });
    return;
  }
  try {
    const path = objectPath(resource, { name: manifest.name, namespace: space.namespace });
    const before = await current(session, path, manifest.name);
    const { body } = await session.request(patchOf(manifest, path, options));
    const verdict = applyResult(before, jsonObject(body));
    ports.stdout(`${label} ${verdict}${options.dryRun ? ' (server dry run)' : ''}\n`);
    if (!options.dryRun) for (const key of definedBy(manifest)) defined.add(key);
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    reject(label, applyError(error));
  }
}

function patchOf({ object }: ManifestObject, path: string, { forceConflicts, dryRun }: ApplyOptions) {
  return {
    method: 'PATCH' as const,
    path,
    body: object,
    // JSON is YAML.
    contentType: 'application/apply-patch+yaml',
    query: {
      fieldManager: FIELD_MANAGER,
      fieldValidation: 'Strict',
      force: forceConflicts ? 'true' : undefined,
      dryRun: dryRun ? 'All' : undefined,
    },
  };
}

async function current(session: ClusterSession, path: string, name: string): Promise<JsonObject | undefined> {
  try {
    return jsonObject((await session.request({ path })).body);
  } catch (error) {
    if (isNotFound(error, name)) return undefined;
    throw error;
  }
}

/** A kind is served shortly after its CRD is created. */
const SERVED_TIMEOUT_MS = 10_000;
const SERVED_POLL_MS = 100;

async function servedKind(
  { run: { session }, defined }: ApplyContext,
  manifest: ManifestObject,
): Promise<FoundKind> {
  const [group = ''] = manifest.apiVersion.includes('/') ? manifest.apiVersion.split('/') : [];
  let found = findKind(manifest, await session.resources());
  const deadline = session.clock.monotonic() + SERVED_TIMEOUT_MS;
  const { signal } = new AbortController();
  while (found.kind === 'unknown' && defined.has(kindKey(group, manifest.kind))) {
    if (session.clock.monotonic() > deadline) break;
    await sleep(session.clock, { delayMs: SERVED_POLL_MS, signal });
    found = findKind(manifest, await session.refreshResources());
  }
  return found;
}

function definedBy({ kind, object }: ManifestObject): readonly string[] {
  if (kind !== 'CustomResourceDefinition') return [];
  return [kindKey(stringAt(object, 'spec', 'group'), stringAt(object, 'spec', 'names', 'kind'))];
}

function kindKey(group: string, kind: string): string {
  return `${group}/${kind}`;
}
