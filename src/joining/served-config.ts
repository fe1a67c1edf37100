/**
 * The Ignition that a joining machine boots with: the rendered config of its pool, and what makes it a node of this cluster.
 *
 *     rendered config ── its Ignition, in the version that the machine knows
 *       + CAs and credentials of the ControllerConfig, as they are now: those of a paused pool may be older
 *       + the first annotations of its Node        ─┐ files that the daemon reads
 *       + the MachineConfig itself, twice          ─┘ when it starts for the first time
 *       + the kubeconfig with which the kubelet asks for its certificate
 *
 * A file of the rendered config at one of these paths is replaced: without ours the machine would not join.
 */
import {
  annotations,
  type ControllerConfigSpec,
  ENCAPSULATED_CONFIG,
  INITIAL_ANNOTATIONS,
  type MachineConfig,
  type MachineConfigPool,
  type MachineOSBuild,
  type MachineOSConfig,
  SERVED_CONFIG,
} from '../api/index.ts';
import { invalid, type Outcome, ok } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import { base64Text } from '../base/text/index.ts';
import { formatYaml } from '../base/yaml/index.ts';
import {
  downConvert,
  type File,
  type IgnitionConfig,
  parseIgnition,
  percentDataUrl,
  type TargetVersion,
} from '../config/ignition/index.ts';
import { nameOf } from '../kubernetes/meta/index.ts';
import { BOOTSTRAP_KUBECONFIG, isRegistryPath, syncedFiles } from '../node/plan/index.ts';
import { imageOf, imageReadiness, layeringOf } from '../rollout/index.ts';

/** With which the kubelet of a new machine asks the API server for its certificate. */
export type BootstrapAccess = {
  readonly server: string;
  readonly authorityPem: string;
  readonly token: string;
};

export type JoinSnapshot = {
  readonly pool: MachineConfigPool;
  /** The one that `servedConfigName` names. */
  readonly config: MachineConfig;
  readonly controllerConfig: ControllerConfigSpec;
  readonly osConfigs: readonly MachineOSConfig[];
  readonly osBuilds: readonly MachineOSBuild[];
  readonly bootstrap: BootstrapAccess;
  /** Registries with the name of a Service that machines reach all the same. */
  readonly reachableRegistries?: readonly string[];
};

/**
 * The rendered config that a new machine of the pool gets: the new one once a machine has shown that it works, until then the
 * one that the pool runs. Empty where the pool has none yet.
 */
export function servedConfigName({ spec, status }: MachineConfigPool): string {
  const target = spec?.configuration?.name ?? '';
  if ((status?.updatedMachineCount ?? 0) > 0) return target;
  return status?.configuration?.name || target;
}

/** The bytes of the response, as text. Problems have paths in the rendered config. */
export function servedConfig(snapshot: JoinSnapshot, version: TargetVersion): Outcome<string> {
  const { spec } = snapshot.config;
  const parsed = spec?.config === undefined ? undefined : parseIgnition(spec.config);
  if (parsed?.kind === 'invalid') return parsed;
  const empty: IgnitionConfig = { ignition: { version: '3.5.0' } };
  const moved = movedKernelArguments(parsed?.value ?? empty, version);
  if (moved.kind === 'invalid') return moved;
  const { ignition, kernelArguments } = moved.value;
  const image = firstImage(snapshot);
  const config = withImage(snapshot.config, image);
  const files = [
    ...certificateFiles(snapshot.controllerConfig, ignition),
    textFile(INITIAL_ANNOTATIONS, JSON.stringify(firstAnnotations(nameOf(config), image)), PUBLIC_MODE),
    textFile(BOOTSTRAP_KUBECONFIG, kubeconfigText(snapshot.bootstrap), PRIVATE_MODE),
    textFile(SERVED_CONFIG, JSON.stringify(config, null, SERVED_INDENTATION), PRIVATE_MODE),
    // The last one: its presence means that the others are written.
    textFile(ENCAPSULATED_CONFIG, encapsulated(config, kernelArguments, version), PRIVATE_MODE),
  ];
  const older = downConvert(withFiles(ignition, files), version);
  return older.kind === 'invalid' ? older : ok(JSON.stringify(older.value));
}

const SERVED_INDENTATION = 4;
const PUBLIC_MODE = 0o644;
/** The kubeconfig has a token, and configs may have credentials. */
const PRIVATE_MODE = 0o600;

type MovedArguments = { readonly ignition: IgnitionConfig; readonly kernelArguments: readonly string[] };

/** Ignition before 3.3 knows no kernel arguments: the daemon sets those of the MachineConfig in its first boot. */
function movedKernelArguments(config: IgnitionConfig, version: TargetVersion): Outcome<MovedArguments> {
  const { kernelArguments: given, ...ignition } = config;
  const isKnown = version.startsWith('3.') && version >= '3.3.0';
  if (given === undefined || isKnown) return ok({ ignition: config, kernelArguments: [] });
  if ((given.shouldNotExist ?? []).length > 0) {
    const message = `kernel arguments that should not exist are not supported on ${version.slice(0, 3)}`;
    return invalid([
      { path: 'kernelArguments.shouldNotExist', message, reason: 'FieldValueNotSupported' as const },
    ]);
  }
  return ok({ ignition, kernelArguments: given.shouldExist ?? [] });
}

/**
 * The image of a layered pool that a machine boots at once. Only a build of the served config that succeeded and that machines run,
 * in a registry that a machine outside of the cluster's network reaches; otherwise it joins with the base OS and is then updated.
 */
function firstImage(snapshot: JoinSnapshot): string {
  const { pool, config, osConfigs, osBuilds, reachableRegistries = [] } = snapshot;
  const isServed = nameOf(config) === pool.spec?.configuration?.name;
  if (!isServed || (pool.status?.updatedMachineCount ?? 0) === 0) return '';
  const layering = layeringOf(pool, osConfigs, osBuilds);
  if (layering === undefined || !imageReadiness(layering).isReady) return '';
  const image = imageOf(layering);
  const [host = ''] = image.split('/', 1);
  return isService(host) && !reachableRegistries.includes(host) ? '' : image;
}

/** Names of Services are known inside of the cluster alone. */
function isService(host: string): boolean {
  return /^[^.]+\.[^.]+\.svc(\.[^:]*)?(:\d+)?$/.test(host);
}

/** A copy: the given one belongs to a cache. Who wrote which field is of no use on a machine. */
function withImage({ metadata, spec, ...config }: MachineConfig, image: string): MachineConfig {
  const { managedFields: _, ...kept } = metadata as JsonObject & MachineConfig['metadata'];
  return {
    ...config,
    metadata: kept as MachineConfig['metadata'],
    spec: { ...spec, ...(image === '' ? {} : { osImageURL: image }) },
  };
}

function firstAnnotations(name: string, image: string): JsonObject {
  return {
    [annotations.currentConfig]: name,
    [annotations.desiredConfig]: name,
    [annotations.firstPivotConfig]: name,
    [annotations.state]: 'Done',
    ...(image === '' ? {} : { [annotations.currentImage]: image, [annotations.desiredImage]: image }),
  };
}

/** Of registries, the files of the rendered config count, as they do on running nodes. */
function certificateFiles(spec: ControllerConfigSpec, ignition: IgnitionConfig): readonly File[] {
  const own = new Set(ignition.storage?.files?.map(({ path }) => path));
  return syncedFiles(spec)
    .files.filter(({ path }) => !(isRegistryPath(path) && own.has(path)))
    .map(({ path, bytes, mode }) => ({
      path,
      mode,
      overwrite: true,
      contents: { source: percentDataUrl(bytes) },
    }));
}

function textFile(path: string, text: string, mode: number): File {
  return { path, mode, overwrite: true, contents: { source: percentDataUrl(text) } };
}

function kubeconfigText({ server, authorityPem, token }: BootstrapAccess): string {
  const authority = base64Text(new TextEncoder().encode(authorityPem));
  return formatYaml({
    apiVersion: 'v1',
    clusters: [{ cluster: { 'certificate-authority-data': authority, server }, name: 'local' }],
    contexts: [{ context: { cluster: 'local', user: 'kubelet' }, name: 'kubelet' }],
    'current-context': 'kubelet',
    kind: 'Config',
    preferences: {},
    users: [{ name: 'kubelet', user: { token } }],
  });
}

/** The MachineConfig without its files, which Ignition writes itself. */
function encapsulated(config: MachineConfig, moved: readonly string[], version: TargetVersion): string {
  const { spec } = config;
  const given = spec?.kernelArguments ?? [];
  const all = [...given, ...moved];
  return JSON.stringify({
    ...config,
    spec: {
      ...spec,
      config: { ignition: { version } },
      ...(moved.length === 0 ? {} : { kernelArguments: all }),
    },
  });
}

/** With these files at their paths, whatever else was there. */
function withFiles(config: IgnitionConfig, files: readonly File[]): IgnitionConfig {
  const paths = new Set(files.map(({ path }) => path));
  const others = <T extends { readonly path: string }>(nodes: readonly T[] = []) =>
    nodes.filter(({ path }) => !paths.has(path));
  const { storage } = config;
  return {
    ...config,
    storage: {
      ...storage,
      files: [...others(storage?.files), ...files],
      directories: others(storage?.directories),
      links: others(storage?.links),
    },
  };
}
