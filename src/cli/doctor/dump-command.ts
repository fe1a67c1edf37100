/**
 * `millwright dump`: writes what `doctor` and `plan` read into a folder or an archive, without secrets.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Failure } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { listAt, objectsAt, stringAt } from '../../base/json-fields.ts';
import { formatTimestamp } from '../../base/text/index.ts';
import { writeTar } from '../../images/index.ts';
import {
  type ClusterSnapshot,
  groupOf,
  redactionWith,
  redactObject,
  type SnapshotObject,
} from '../../insight/index.ts';
import { collectionPath, KubeError } from '../../kubernetes/client/index.ts';
import { secret } from '../../kubernetes/types/index.ts';
import type { ClusterOptions } from '../cluster-options.ts';
import { INSTALLED_NAMESPACES, snapshotNamespace } from '../installed-namespace.ts';
import type { NamespaceOptions } from '../namespace-option.ts';
import type { ClusterSession } from '../objects/cluster-session.ts';
import { runInCluster } from '../objects/run-in-cluster.ts';
import type { Ports } from '../ports.ts';
import { ClusterReader } from '../snapshot/cluster-reader.ts';
import { POOLS, throwUnlessInstalled } from './doctor-sources.ts';
import { type DumpedObject, type DumpFile, dumpFiles } from './dump-files.ts';
import { dumpListings, pluralOf, READABLE_CONFIG_MAPS } from './dump-kinds.ts';

export type DumpOptions = ClusterOptions & NamespaceOptions & { readonly output?: string };

/** Returns the exit code. */
export function dumpCommand(options: DumpOptions, ports: Ports): Promise<number> {
  return runInCluster(options, ports, async ({ session, notify }) => {
    const { files, unread } = await takeDump(session, options);
    const at = formatTimestamp(session.clock.now()).replaceAll(/[-:]/g, '');
    const output = options.output ?? `millwright-dump-${at}.tar.gz`;
    await write(resolve(ports.cwd, output), output, files);
    if (unread.length > 0) notify(`note: not readable for you, so not in it: ${unread.join(', ')}`);
    notify(`${files.length - 1} objects, without secrets: look through it before you send it to anybody`);
    ports.stdout(`${output}\n`);
  });
}

type Dump = { readonly files: readonly DumpFile[]; readonly unread: readonly string[] };

async function takeDump(session: ClusterSession, options: NamespaceOptions): Promise<Dump> {
  const reader = new ClusterReader(session);
  // A dump without pools would say nothing.
  await reader.read([INSTALLED_NAMESPACES, POOLS]);
  throwUnlessInstalled(reader);
  const namespace = snapshotNamespace(options, reader.snapshot());
  await reader.read(dumpListings(namespace));
  const snapshot = reader.snapshot();
  const secrets = await secretNames(session, namespace);
  const objects = [...redacted(snapshot, namespace), ...(secrets ?? [])];
  const unread = [...reader.unread(), ...(secrets === undefined ? [secret.plural] : [])].sort();
  return { files: dumpFiles({ snapshot, objects, namespace, unread }), unread };
}

function redacted(snapshot: ClusterSnapshot, namespace: string): readonly DumpedObject[] {
  // Thrown away: marks of equal secrets are equal in this dump, and say nothing else.
  const options = { ...redactionWith(randomBytes(32)), readableConfigMaps: READABLE_CONFIG_MAPS };
  return snapshot.objects.map((object) => {
    const { name, namespace: own } = object.metadata;
    const kept = object.kind === 'Pod' && own !== namespace ? withoutContents(object) : object;
    return {
      group: groupOf(object),
      plural: pluralOf(object),
      name,
      ...(own !== undefined && { namespace: own }),
      // Objects are JSON: they were read from it.
      object: redactObject(kept as unknown as JsonObject, options),
    };
  });
}

/** Of a pod that is not ours: what a drain and a disruption budget depend on. */
function withoutContents(pod: SnapshotObject): object {
  const { annotations: _, managedFields: __, ...metadata } = pod.metadata;
  const mirror = pod.metadata.annotations?.['kubernetes.io/config.mirror'];
  const status = objectsAt(pod, 'status', 'conditions').map(
    ({ type, status, reason, lastTransitionTime }) => ({
      ...{ type, status, reason, lastTransitionTime },
    }),
  );
  return {
    ...{ apiVersion: pod.apiVersion, kind: pod.kind },
    metadata: {
      ...metadata,
      ...(mirror !== undefined && { annotations: { 'kubernetes.io/config.mirror': mirror } }),
    },
    spec: { nodeName: stringAt(pod, 'spec', 'nodeName'), containers: [] },
    status: { phase: stringAt(pod, 'status', 'phase'), conditions: status },
  };
}

const ACCEPT_TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';

/** Their names and types, as the server prints them: their data is not even read. Undefined where that is not allowed. */
async function secretNames(
  session: ClusterSession,
  namespace: string,
): Promise<readonly DumpedObject[] | undefined> {
  try {
    const { body } = await session.request({ path: collectionPath(secret, namespace), accept: ACCEPT_TABLE });
    const columns = objectsAt(body, 'columnDefinitions').map((column) => stringAt(column, 'name'));
    return objectsAt(body, 'rows').map((row) => {
      const cell = (column: string) => String(listAt(row, 'cells')[columns.indexOf(column)] ?? '');
      const name = stringAt(row, 'object', 'metadata', 'name') || cell('Name');
      const metadata = { name, namespace };
      const object = { apiVersion: 'v1', kind: secret.kind, metadata, type: cell('Type') };
      return { group: '', plural: secret.plural, name, namespace, object };
    });
  } catch (error) {
    if (error instanceof KubeError) return undefined;
    throw error;
  }
}

const ARCHIVE = /\.(tar\.gz|tgz)$/;
/** What is in it is for those who run the cluster. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

async function write(path: string, given: string, files: readonly DumpFile[]): Promise<void> {
  try {
    if (ARCHIVE.test(path)) await writeArchive(path, files);
    else await writeFolder(path, given, files);
  } catch (error) {
    if (error instanceof Failure || !(error instanceof Error) || !('code' in error)) throw error;
    throw new Failure('usage', 'NotWritten', `${given} cannot be written (${String(error.code)})`, error);
  }
}

async function writeArchive(path: string, files: readonly DumpFile[]): Promise<void> {
  const folder = 'millwright-dump';
  const items = files.map(({ path: name, text }) => ({
    ...{ kind: 'file' as const, path: `${folder}/${name}`, mode: FILE_MODE, mtime: 0 },
    content: new TextEncoder().encode(text),
  }));
  await writeFile(path, gzipSync(writeTar(items)), { mode: FILE_MODE, flag: 'wx' });
}

async function writeFolder(path: string, given: string, files: readonly DumpFile[]): Promise<void> {
  await mkdir(path, { recursive: true, mode: FOLDER_MODE });
  if ((await readdir(path)).length > 0) {
    throw new Failure(
      'usage',
      'NotEmpty',
      `${given} is not empty: choose another folder, or a file *.tar.gz`,
    );
  }
  for (const { path: name, text } of files) {
    const file = join(path, name);
    await mkdir(dirname(file), { recursive: true, mode: FOLDER_MODE });
    await writeFile(file, text, { mode: FILE_MODE });
  }
}
