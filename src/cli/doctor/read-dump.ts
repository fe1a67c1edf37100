/**
 * Reads a dump in place of a cluster: a folder or a .tar.gz that `millwright dump` has written, a must-gather as a folder or an
 * archive, or the output of `kubectl get -o yaml` in a file or a folder.
 *
 * Ages are those at the time of the dump: our own says when it was taken; of others it is the newest time that a component has
 * written (a Lease or a heartbeat).
 */

import { readFile, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Failure } from '../../base/errors.ts';
import { isObject, type Json, parseJson } from '../../base/json.ts';
import { objectsAt, stringAt, stringsAt } from '../../base/json-fields.ts';
import { counted, parseTimestamp, printableLine } from '../../base/text/index.ts';
import { parseYaml } from '../../base/yaml/index.ts';
import { untar } from '../../images/index.ts';
import { clusterSnapshot, furtherNeeds, kindKey, type SnapshotObject } from '../../insight/index.ts';
import { nameOf, namespaceOf } from '../../kubernetes/meta/index.ts';
import { configMap, event, job, pod, podDisruptionBudget, secret } from '../../kubernetes/types/index.ts';
import { snapshotNamespace } from '../installed-namespace.ts';
import type { NamespaceOptions } from '../namespace-option.ts';
import type { Ports } from '../ports.ts';
import type { DoctorSources } from './doctor-sources.ts';
import { DUMP_FILE, DUMP_FORMAT } from './dump-files.ts';
import { DUMPED_KINDS } from './dump-kinds.ts';
import { type DumpedFile, findDumpFiles, isDumpedFile, isManifest, pluralIn } from './find-dump-files.ts';

type DumpOptions = NamespaceOptions & { readonly from: string };

/** Most of what a large dump holds. As in a cluster, they are read only where a rule would look at them. */
const DEFERRED = pluralsOf([pod, podDisruptionBudget, job, event]);
/** What no rule looks at. */
const IGNORED = pluralsOf([configMap, secret]);
/** What no simulation looks at. */
const NOT_SIMULATED = pluralsOf([job, event, secret]);

function pluralsOf(kinds: readonly { readonly plural: string }[]): ReadonlySet<string> {
  return new Set(kinds.map(({ plural }) => plural));
}

/** `use`: a simulation needs all pods and the ConfigMaps that configs come from. */
export async function readDump(
  options: DumpOptions,
  ports: Ports,
  use: 'diagnosis' | 'simulation' = 'diagnosis',
): Promise<DoctorSources> {
  const { from } = options;
  const all = await readFiles(resolve(ports.cwd, from), from);
  const ignored = use === 'diagnosis' ? IGNORED : NOT_SIMULATED;
  const files = all.filter(({ path }) => !ignored.has(pluralIn(path) ?? ''));
  const about = await aboutDump(files);
  const isDeferred = ({ path }: DumpedFile) => use === 'diagnosis' && DEFERRED.has(pluralIn(path) ?? '');
  const first = await objectsIn(files.filter((file) => !isDeferred(file)));
  const { nowMs, namespace } = circumstances(first.objects, about, options);
  const snapshotOf = ({ objects, broken }: ReadObjects) =>
    clusterSnapshot({ nowMs, objects, kinds: about.kinds, incomplete: damagedKinds(broken) });
  const needed = new Set(furtherNeeds(snapshotOf(first), namespace).map(({ kind: { plural } }) => plural));
  const more = await objectsIn(
    files.filter((file) => isDeferred(file) && needed.has(pluralIn(file.path) ?? '')),
  );
  const read = {
    objects: [...first.objects, ...more.objects],
    broken: [...first.broken, ...more.broken],
  };
  const [skipped] = read.broken;
  if (skipped !== undefined) {
    const why = printableLine(`${skipped.path}: ${skipped.problem}`);
    ports.stderr(`millwright: --from ${from}: ${counted(read.broken.length, 'file')} skipped: ${why}\n`);
  }
  const damaged = [...new Set(read.broken.map(({ path }) => pluralIn(path) ?? 'some objects'))].sort();
  return { snapshot: snapshotOf(read), namespace, unread: about.unread, damaged };
}

/** A file outside of the layout may hold any kind. */
function damagedKinds(broken: readonly BrokenFile[]): ReadonlySet<string> {
  const plurals = broken.map(({ path }) => pluralIn(path));
  const kinds = plurals.includes(undefined)
    ? DUMPED_KINDS
    : DUMPED_KINDS.filter(({ plural }) => plurals.includes(plural));
  return new Set(kinds.map(kindKey));
}

type Circumstances = { readonly nowMs: number; readonly namespace: string };

function circumstances(
  objects: readonly SnapshotObject[],
  about: AboutDump,
  { from, namespace }: DumpOptions,
): Circumstances {
  if (!objects.some(({ kind }) => kind === 'MachineConfigPool')) {
    throw new Failure(
      'usage',
      'NoDump',
      `--from ${from}: there are no MachineConfigPools in it: give the folder of a dump or a must-gather`,
    );
  }
  const nowMs = about.takenAtMs ?? newestTimeMs(objects);
  if (nowMs === undefined) {
    throw new Failure(
      'usage',
      'NoDump',
      `--from ${from}: nothing in it says when it was taken (no Lease, no heartbeat of a Node)`,
    );
  }
  const snapshot = clusterSnapshot({ nowMs, objects, kinds: [] });
  return { nowMs, namespace: namespace ?? (about.namespace || snapshotNamespace({}, snapshot)) };
}

/** Far above any dump. */
const MAX_ARCHIVE_BYTES = 1024 * 1024 * 1024;

async function readFiles(path: string, given: string): Promise<readonly DumpedFile[]> {
  try {
    if ((await stat(path)).isDirectory()) return await findDumpFiles(path);
    const bytes = await readFile(path);
    // The output of `kubectl get -o yaml`.
    if (isManifest(path))
      return [{ path: basename(path), read: async () => ({ text: bytes.toString('utf8') }) }];
    return filesOf(isGzip(bytes) ? gunzipSync(bytes, { maxOutputLength: MAX_ARCHIVE_BYTES }) : bytes);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const why = 'code' in error ? whyText(String(error.code)) : error.message;
    throw new Failure(
      'usage',
      'NoDump',
      `--from ${given}: no folder, archive or manifest of a dump: ${why}`,
      error,
    );
  }
}

function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

function filesOf(archive: Uint8Array): readonly DumpedFile[] {
  const entries = untar(archive);
  if (entries.kind === 'invalid') throw new Failure('usage', 'NoDump', entries.problems[0]?.message ?? '');
  return entries.value.flatMap((entry) =>
    entry.kind === 'file' && isDumpedFile(entry.path)
      ? [{ path: entry.path, read: async () => ({ text: new TextDecoder().decode(entry.content) }) }]
      : [],
  );
}

const ARCHIVE_PROBLEMS: { readonly [code: string]: string } = {
  Z_BUF_ERROR: 'the archive is cut off',
  Z_DATA_ERROR: 'the archive is damaged',
  ERR_BUFFER_TOO_LARGE: 'the archive is too large',
  ENOENT: 'it does not exist',
};

function whyText(code: string): string {
  return ARCHIVE_PROBLEMS[code] ?? code;
}

type AboutDump = {
  readonly takenAtMs?: number;
  readonly namespace: string;
  readonly kinds: readonly string[];
  readonly unread: readonly string[];
};

/** Of a dump that we have written. */
async function aboutDump(files: readonly DumpedFile[]): Promise<AboutDump> {
  const file = await files.find(({ path }) => isAboutFile(path))?.read();
  const about = parseJson(file !== undefined && 'text' in file ? file.text : 'null');
  if (stringAt(about, 'format') !== DUMP_FORMAT) return { namespace: '', kinds: [], unread: [] };
  const takenAtMs = parseTimestamp(stringAt(about, 'takenAt'));
  return {
    ...(takenAtMs === undefined ? {} : { takenAtMs }),
    namespace: stringAt(about, 'namespace'),
    kinds: stringsAt(about, 'kinds'),
    unread: stringsAt(about, 'unread'),
  };
}

function isAboutFile(path: string): boolean {
  return path === DUMP_FILE || path.endsWith(`/${DUMP_FILE}`);
}

type BrokenFile = { readonly path: string; readonly problem: string };
type ReadObjects = {
  readonly objects: readonly SnapshotObject[];
  readonly broken: readonly BrokenFile[];
};

/** What cannot be read is skipped: must-gathers are often cut off. */
async function objectsIn(files: readonly DumpedFile[]): Promise<ReadObjects> {
  const [objects, broken]: [SnapshotObject[], BrokenFile[]] = [[], []];
  for (const { path, read } of files) {
    if (isAboutFile(path)) continue;
    const file = await read();
    const found = 'problem' in file ? file.problem : objectsOf(path, file.text);
    if (typeof found === 'string') broken.push({ path, problem: found });
    else objects.push(...found);
  }
  return { objects, broken };
}

/** A file may hold one object, several documents, or a list. A text is why it cannot be read. */
function objectsOf(path: string, text: string): readonly SnapshotObject[] | string {
  const json = /\.json$/.test(path) ? parseJson(text) : undefined;
  if (json !== undefined) return flattened(json);
  const parsed = parseYaml(text);
  if (parsed.kind === 'invalid') return parsed.problems[0]?.message ?? 'it is no YAML';
  return parsed.value.flatMap(({ value }) => flattened(value));
}

/** What an API server accepts as a name: others were not written by one, and end up on a terminal. */
function isName(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9.:_-]*$/.test(text);
}

function flattened(value: Json | undefined): readonly SnapshotObject[] {
  if (!isObject(value)) return [];
  const kind = stringAt(value, 'kind');
  if (/List$/.test(kind) && Array.isArray(value.items)) {
    const type = { apiVersion: stringAt(value, 'apiVersion'), kind: kind.slice(0, -'List'.length) };
    // Items of a typed list do not name their kind; those of a plain List do.
    return objectsAt(value, 'items').flatMap((item) =>
      flattened({ ...(type.kind && type), ...item } as Json),
    );
  }
  if (kind === '' || stringAt(value, 'apiVersion') === '') return [];
  if (!isName(nameOf(value)) || !isName(namespaceOf(value) || 'none')) return [];
  // Rules tolerate any shape beyond that.
  return [value as unknown as SnapshotObject];
}

/** The time at which something was alive for the last time. */
function newestTimeMs(objects: readonly SnapshotObject[]): number | undefined {
  const times = objects.flatMap((object) => [
    parseTimestamp(stringAt(object, 'spec', 'renewTime')),
    ...objectsAt(object, 'status', 'conditions').map((one) => parseTimestamp(one.lastHeartbeatTime)),
  ]);
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : known.reduce((most, time) => Math.max(most, time), 0);
}
