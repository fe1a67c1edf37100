/**
 * Syncs certificates and the credentials of the internal registry from the ControllerConfig. That is no update: nothing is
 * drained or rebooted. New CAs of the API server restart the kubelet (`kubeconfigs.ts`).
 *
 * It runs when the ControllerConfig changes, when the configs of the node change, and once per process: an older deployment
 * that was booted again has the older files.
 */
import { annotations, type ControllerConfig, EMPTY_CONFIG_NAME } from '../../../api/index.ts';
import { quoted } from '../../../base/text/index.ts';
import type { Node } from '../../../kubernetes/types/index.ts';
import { folderOf } from '../../host/index.ts';
import {
  isRegistryPath,
  type NodeConfig,
  pathsOf,
  planSync,
  REGISTRY_CERTIFICATES,
  registryCaPath,
  type SyncedFile,
  syncedFiles,
} from '../../plan/index.ts';
import type { HostContext } from '../context.ts';
import { knownAnnotations, type Memory, type Observation } from '../observe.ts';
import { forgetOriginals, keepOriginal, revertFile } from '../originals.ts';
import { noOriginalPath, originalPath } from '../state-paths.ts';
import { syncKubeconfigs } from './kubeconfigs.ts';

type SyncInput = {
  readonly node: Node;
  readonly controllerConfig: ControllerConfig | undefined;
  readonly snapshot: Observation;
};

/** Returns the annotation with the synced version, or undefined where it is there already. */
export async function syncCertificates(
  work: HostContext,
  memory: Memory,
  { node, controllerConfig, snapshot }: SyncInput,
): Promise<{ readonly [key: string]: string } | undefined> {
  const version = controllerConfig?.metadata.resourceVersion;
  if (controllerConfig === undefined || version === undefined) return undefined;
  const key = annotations.lastSyncedControllerConfigResourceVersion;
  const isReported = node.metadata.annotations?.[key] === version;
  const state = [version, ...configNames(memory, snapshot)].join(' ');
  if (memory.syncedState !== state) {
    await sync(work, controllerConfig, await configsOf(work, memory, snapshot));
    memory.syncedState = state;
    if (!isReported) work.log.line(`Certificate was synced from controllerconfig resourceVersion ${version}`);
  }
  return isReported ? undefined : { [key]: version };
}

function configNames({ fetched }: Memory, snapshot: Observation): readonly string[] {
  const { config = fetched, disk } = snapshot;
  return [config?.name ?? '', disk.journal?.from.config ?? '', disk.journal?.to.config ?? ''];
}

/**
 * The current config, and both of an update in progress: a rollback may restore any file of theirs. Undefined where they are
 * not known yet, as on a node that was installed with its config and joins.
 */
async function configsOf(
  { host }: HostContext,
  memory: Memory,
  snapshot: Observation,
): Promise<readonly NodeConfig[] | undefined> {
  const { config = memory.fetched, disk } = snapshot;
  const stored = config === undefined ? [] : [config];
  if (disk.journal !== undefined) {
    const { from, to } = disk.journal;
    const updating = [await memory.configs.from(host, from.image), await memory.configs.to(host, to.image)];
    return [...stored, ...updating];
  }
  const named = knownAnnotations(snapshot)?.current.config;
  const hasNone = !disk.isJoining && named === EMPTY_CONFIG_NAME;
  return config === undefined && !hasNone ? undefined : stored;
}

async function sync(
  work: HostContext,
  { metadata, spec }: ControllerConfig,
  configs: readonly NodeConfig[] | undefined,
): Promise<void> {
  const { host, log } = work;
  const configPaths = new Set((configs ?? []).flatMap(pathsOf));
  const { files: all, problems } = syncedFiles(spec);
  // Which files of registries are the config's may not be known yet: then they wait, as do kubeconfigs.
  const files = configs === undefined ? all.filter(({ path }) => !isRegistryPath(path)) : all;
  const present = await presentFiles(host, files);
  const plan = planSync(files, {
    bytesAt: (path) => present.get(path)?.bytes,
    modeAt: (path) => present.get(path)?.mode,
    written: configs === undefined ? [] : await writtenFiles(host),
    configPaths,
  });
  for (const line of [...problems, ...plan.log]) log.warn(line);
  for (const { path, bytes, mode } of plan.writes) {
    // Marks the file as the daemon's: only those are ever removed.
    if (isRegistryPath(path)) await keepOriginal(host, path, { isForeign: true });
    await host.files.write(path, { bytes, mode });
    log.line(`Synced file ${quoted(path)}`);
  }
  for (const path of plan.removals) {
    await revertFile(host, path);
    await forgetOriginals(host, [path]);
    log.line(`Removed synced file ${quoted(path)}`);
  }
  if (configs === undefined) return;
  await removeEmptyFolders(host);
  const isFollowed = metadata.annotations?.[annotations.serviceCaRotate] === 'true';
  if (isFollowed) await syncKubeconfigs(work, spec, configPaths);
}

type PresentFile = { readonly mode: number; readonly bytes?: Uint8Array };

async function presentFiles(
  { files: disk }: HostContext['host'],
  files: readonly SyncedFile[],
): Promise<ReadonlyMap<string, PresentFile>> {
  const present = new Map<string, PresentFile>();
  for (const { path, bytes } of files) {
    const stat = await disk.stat(path);
    if (stat?.kind !== 'file') continue;
    const read = stat.sizeBytes === bytes.length ? await disk.read(path, bytes.length) : undefined;
    present.set(path, { mode: stat.mode, ...(read === undefined ? {} : { bytes: read }) });
  }
  return present;
}

/**
 * In the folders of registries: those that the daemon has marked before it wrote them. A CA that is marked counts also where
 * it is gone: a power cut came before the mark was removed, too.
 */
async function writtenFiles({ files }: HostContext['host']): Promise<readonly string[]> {
  const written: string[] = [];
  for (const registry of (await files.list(REGISTRY_CERTIFICATES)) ?? []) {
    const folder = `${REGISTRY_CERTIFICATES}/${registry}`;
    const names = (await files.list(folder)) ?? [];
    for (const path of new Set([...names.map((name) => `${folder}/${name}`), registryCaPath(registry)])) {
      const marks = [await files.stat(noOriginalPath(path)), await files.stat(originalPath(path))];
      if (marks.some((mark) => mark !== undefined)) written.push(path);
    }
  }
  return written;
}

/**
 * Last, as they show where an interrupted removal has to go on. Only folders that the daemon has written to, of which the
 * folder of its marks tells: others leave empty folders for their own reasons.
 */
async function removeEmptyFolders({ files }: HostContext['host']): Promise<void> {
  for (const registry of (await files.list(REGISTRY_CERTIFICATES)) ?? []) {
    const folder = `${REGISTRY_CERTIFICATES}/${registry}`;
    const marks = folderOf(noOriginalPath(registryCaPath(registry)));
    if ((await files.stat(folder))?.kind !== 'folder' || (await files.stat(marks)) === undefined) continue;
    if ((await files.list(folder))?.length === 0) await files.removeFolder(folder);
  }
}
