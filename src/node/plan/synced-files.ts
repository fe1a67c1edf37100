/**
 * Files that follow the ControllerConfig, outside of MachineConfigs: certificates, and the credentials of the internal
 * registry. They change without an update: nothing is drained or rebooted, and a paused pool does not hold them up.
 *
 *     syncedFiles   ControllerConfig → the files that a node should have
 *     planSync      these files, and what the disk has → what to write and what to remove
 *
 * A MachineConfig may have a file at the path of a registry's CA. Then the config's counts, since it is compared with the
 * disk: overwriting it would be drift.
 */
import { type ControllerConfigSpec, type RegistryBundle, registryOfBundle } from '../../api/index.ts';
import { sameBytes } from '../../base/bytes.ts';
import { compareBytes } from '../../base/json.ts';
import { base64Bytes, quoted } from '../../base/text/index.ts';
import { CLOUD_CA, INTERNAL_PULL_SECRET, KUBELET_CA, REGISTRY_CERTIFICATES } from './node-paths.ts';

export type SyncedFile = { readonly path: string; readonly bytes: Uint8Array; readonly mode: number };

type SyncedFiles = {
  readonly files: readonly SyncedFile[];
  /** Lines for the log: what is left out. */
  readonly problems: readonly string[];
};

export function syncedFiles(spec: ControllerConfigSpec): SyncedFiles {
  const registries = new Map<string, SyncedFile>();
  const problems: string[] = [];
  // The list of users is last: it wins.
  for (const bundle of [
    ...(spec.imageRegistryBundleData ?? []),
    ...(spec.imageRegistryBundleUserData ?? []),
  ]) {
    const file = registryFile(bundle);
    if (file === undefined) problems.push(`Ignoring CA bundle ${quoted(bundle.file)}: it names no registry`);
    else registries.set(file.path, file);
  }
  return {
    files: [
      ...file(INTERNAL_PULL_SECRET, spec.internalRegistryPullSecret, 0o600),
      ...file(KUBELET_CA, spec.kubeAPIServerServingCAData).map(endingWithNewline),
      ...file(CLOUD_CA, spec.cloudProviderCAData).map(endingWithNewline),
      ...registries.values(),
    ],
    problems,
  };
}

/** The path of a registry's CA; `registry` is `host` or `host:port`. */
export function registryCaPath(registry: string): string {
  return `${REGISTRY_CERTIFICATES}/${registry}/ca.crt`;
}

function registryFile({ file: name, data }: RegistryBundle): SyncedFile | undefined {
  const registry = registryOfBundle(name);
  const bytes = base64Bytes(data);
  if (registry === undefined || bytes === undefined) return undefined;
  return { path: registryCaPath(registry), bytes, mode: 0o644 };
}

/** Without data nothing is synced: the file stays as it is. A required field without data has a newline. */
function file(path: string, data: string | null | undefined, mode = 0o644): readonly SyncedFile[] {
  const bytes = data ? base64Bytes(data) : undefined;
  const newline = 0x0a;
  return bytes === undefined || bytes.every((byte) => byte === newline) ? [] : [{ path, bytes, mode }];
}

function endingWithNewline(synced: SyncedFile): SyncedFile {
  const newline = 0x0a;
  const { bytes } = synced;
  return bytes.at(-1) === newline ? synced : { ...synced, bytes: new Uint8Array([...bytes, newline]) };
}

type SyncedDisk = {
  /** Of the paths of synced files: undefined where there is no plain file, or one of another size. */
  readonly bytesAt: (path: string) => Uint8Array | undefined;
  /** The mode of the plain file at the path. */
  readonly modeAt: (path: string) => number | undefined;
  /** Files in the folders of registries that the daemon has written, from a config or from the ControllerConfig. */
  readonly written: readonly string[];
  /** Paths that the configs of the node write: the current one, and those of an update in progress. */
  readonly configPaths: ReadonlySet<string>;
};

type SyncPlan = {
  readonly writes: readonly SyncedFile[];
  /** Paths, sorted. */
  readonly removals: readonly string[];
  /** Lines for the log: what is not synced. */
  readonly log: readonly string[];
};

export function planSync(files: readonly SyncedFile[], disk: SyncedDisk): SyncPlan {
  const isOfConfig = ({ path }: SyncedFile) => isRegistryPath(path) && disk.configPaths.has(path);
  const ours = files.filter((synced) => !isOfConfig(synced));
  const wanted = new Set(ours.map(({ path }) => path));
  return {
    log: files.filter(isOfConfig).map(({ path }) => `Not syncing ${quoted(path)}: the config has this file`),
    writes: ours.flatMap((synced) => {
      const mode = modeOf(synced, disk.modeAt(synced.path));
      const isSame = mode === disk.modeAt(synced.path) && areEqual(synced.bytes, disk.bytesAt(synced.path));
      return isSame ? [] : [{ ...synced, mode }];
    }),
    removals: disk.written
      .filter((path) => isRegistryPath(path) && !wanted.has(path) && !disk.configPaths.has(path))
      .toSorted(compareBytes),
  };
}

/** A changed mode is kept, except of CAs of registries, which every tool must be able to read. */
function modeOf({ path, mode }: SyncedFile, present: number | undefined): number {
  return present === undefined || present > 0o777 || isRegistryPath(path) ? mode : present;
}

/** Whether it belongs to the certificates of registries. */
export function isRegistryPath(path: string): boolean {
  return path.startsWith(`${REGISTRY_CERTIFICATES}/`);
}

function areEqual(bytes: Uint8Array, present: Uint8Array | undefined): boolean {
  return present !== undefined && sameBytes(bytes, present);
}
