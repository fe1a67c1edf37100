/**
 * One machine with its real daemon: a sandbox in memory, and a process that ends with each boot.
 */

import { NAMESPACE } from '../../src/api/index.ts';
import type { Env } from '../../src/base/env.ts';
import type { ApiServer } from '../../src/embedded/apiserver/index.ts';
import {
  type ContainerImages,
  createMemoryDisk,
  createSandboxMachine,
  type MemoryDisk,
  type SandboxDurations,
  type SandboxMachine,
} from '../../src/embedded/sandbox/index.ts';
import {
  createCaches,
  createEventRecorder,
  createInProcessTransport,
  createKube,
  type EventRecorder,
  runControllers,
} from '../../src/kubernetes/client/index.ts';
import {
  createDaemon,
  createDaemonLog,
  DaemonMetrics,
  type DaemonSettings,
  DEFAULT_DAEMON_SETTINGS,
  writeInitialConfig,
} from '../../src/node/daemon/index.ts';
import type { Host, HostOs, PulledImage, PullImage } from '../../src/node/host/index.ts';
import type { NodeConfig } from '../../src/node/plan/index.ts';
import { anImage, pullFrom } from '../host/an-image.ts';
import { daemonIdentity } from '../support/manifests-identities.ts';
import { seededRandom, type VirtualEnv } from '../support/virtual-env.ts';

export type DaemonNode = {
  readonly name: string;
  readonly machine: SandboxMachine;
  readonly disk: MemoryDisk;
  /** The log lines of its daemons, over all boots. */
  readonly lines: string[];
  /** Of the present daemon. */
  readonly metrics: DaemonMetrics;
  /** Kills the daemon and starts another one, without a reboot. */
  readonly restartDaemon: () => void;
  readonly stopDaemon: () => void;
  readonly startDaemon: () => void;
  readonly text: (path: string) => Promise<string | undefined>;
  readonly write: (path: string, text: string, mode?: number) => Promise<void>;
};

export type NodeOptions = {
  readonly env: VirtualEnv;
  readonly handle: ApiServer['handle'];
  readonly name: string;
  /** By reference. Tests may add some later. */
  readonly images: Record<string, PulledImage>;
  readonly image: string;
  /** Pulls what is not among the images, for a machine that has been installed. */
  readonly pullerFor?: (host: () => Host | undefined) => PullImage;
  /** Where the container runtime pulls from. */
  readonly containersFor?: (host: () => Host | undefined) => ContainerImages;
  readonly kernelArguments?: readonly string[];
  readonly durations?: Partial<SandboxDurations>;
  readonly settings?: Partial<DaemonSettings>;
  readonly seed?: number;
  /** Otherwise the machine looks as one whose OS is no image. */
  readonly isOstreeBooted?: boolean;
  /** Another OS than the sandbox's own. */
  readonly osFor?: (host: Host) => HostOs;
  /** Lines of commands are among those of the log, after `- `, as in the log of a node. */
  readonly logsCommands?: boolean;
  /** Writes no events, for tests with many repetitions. */
  readonly isQuiet?: boolean;
};

export const NO_TIME: SandboxDurations = { bootMs: 0, shutDownMs: 0, pullMs: 0, stageMs: 0 };

/** Provisioned and booted; its daemon is not started yet. */
export async function createDaemonNode(options: NodeOptions): Promise<DaemonNode> {
  const { env, name, images, image, kernelArguments, durations = {} } = options;
  const disk = createMemoryDisk();
  const lines: string[] = [];
  const containers = options.containersFor?.(() => (machine.isUp ? machine.host : undefined));
  const machine: SandboxMachine = createSandboxMachine({
    disk,
    clock: env.clock,
    random: seededRandom(options.seed ?? 7),
    durations,
    pullImage: (reference) => pull(reference),
    ...(containers === undefined ? {} : { containers }),
    ...(options.logsCommands === true ? { log: (line: string) => lines.push(`- ${line}`) } : {}),
  });
  const others = options.pullerFor?.(() => (machine.isUp ? machine.host : undefined));
  const pull: PullImage = (reference) =>
    reference in images || others === undefined ? pullFrom(images)(reference) : others(reference);
  await machine.provision({ image, ...(kernelArguments === undefined ? {} : { kernelArguments }) });
  await machine.boot();
  let metrics = new DaemonMetrics();
  let stop: (() => Promise<void>) | undefined;
  const stopDaemon = () => {
    stop?.().catch((error) => lines.push(`F ${String(error)}`));
    stop = undefined;
  };
  const startDaemon = () => {
    stopDaemon();
    const os = options.osFor?.(machine.host);
    const host = os === undefined ? machine.host : { ...machine.host, os };
    metrics = new DaemonMetrics();
    stop = startDaemonProcess(options, { host, lines, metrics });
  };
  const startAfterBoot = async () => {
    if (options.isOstreeBooted === false) await machine.host.files.remove('/run/ostree-booted');
    startDaemon();
  };
  let isWanted = false;
  machine.onPower((event) => {
    if (event.kind === 'up' && isWanted) startAfterBoot().catch((error) => lines.push(`F ${String(error)}`));
    else stopDaemon();
  });
  return {
    name,
    machine,
    disk,
    lines,
    get metrics() {
      return metrics;
    },
    stopDaemon() {
      isWanted = false;
      stopDaemon();
    },
    startDaemon() {
      isWanted = true;
      if (machine.isUp) startAfterBoot().catch((error) => lines.push(`F ${String(error)}`));
    },
    restartDaemon: startDaemon,
    async text(path) {
      const bytes = await machine.host.files.read(path);
      return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
    },
    write: (path, text, mode = 0o644) =>
      machine.host.files.write(path, {
        bytes: new TextEncoder().encode(text),
        mode,
        owner: { uid: 0, gid: 0 },
      }),
  };
}

const SILENT: EventRecorder = { normal: () => undefined, warning: () => undefined };

type Parts = { readonly host: Host; readonly lines: string[]; readonly metrics: DaemonMetrics };

type ProcessOptions = Pick<NodeOptions, 'env' | 'handle' | 'name' | 'settings' | 'isQuiet'>;

/** A daemon on any host. Returns how to kill it, which resolves once it has ended its last call of the host. */
export function startDaemonProcess(
  options: ProcessOptions,
  { host, lines, metrics }: Parts,
): () => Promise<void> {
  const { name, handle } = options;
  const ending = new AbortController();
  const env: Env = { ...options.env, signal: ending.signal };
  const transport = createInProcessTransport({ handle, user: daemonIdentity(name) });
  const limits = { rate: { perSecond: 1_000_000, burst: 1_000_000 } };
  const kube = createKube({ transport, env, fieldManager: 'machine-config-daemon', limits });
  const caches = createCaches({ transport, env, limits, settings: {} });
  const settings = { ...DEFAULT_DAEMON_SETTINGS, ...options.settings };
  const log = createDaemonLog(
    (severity, text) => lines.push(`${severity} ${text}`),
    (text) => host.note(text),
  );
  const recorder = (namespace: string) =>
    options.isQuiet === true
      ? SILENT
      : createEventRecorder({ kube, env, component: 'machineconfigdaemon', namespace });
  const daemon = createDaemon({
    kube,
    caches,
    host,
    env,
    nodeName: name,
    settings,
    log,
    metrics,
    events: recorder(NAMESPACE),
    nodeEvents: recorder('default'),
  });
  const ended = runControllers([daemon], { env, settings: { retry: settings.retry } })
    .then(() => caches.stop())
    .catch((error: unknown) => lines.push(`F ${String(error)}`));
  return async () => {
    ending.abort();
    await ended;
  };
}

/** A machine as provisioned by Ignition: with its config and its initial annotations. */
export async function provision(
  node: DaemonNode,
  config: NodeConfig,
  initial: { readonly [key: string]: string },
): Promise<void> {
  const { host } = node.machine;
  await writeInitialConfig({ host, env: { clock: { pause: async () => undefined } } }, config, initial);
}

export const OLD_OS = `registry.example/os@sha256:${'a'.repeat(64)}`;
export const NEW_OS = `registry.example/os@sha256:${'b'.repeat(64)}`;
/** It can be pulled, and is refused once it is staged: after the files of its config were written. */
export const REFUSED_OS = `registry.example/iot@sha256:${'d'.repeat(64)}`;
/** It cannot be pulled, so nothing is changed for it. */
export const GONE_OS = `registry.example/os@sha256:${'c'.repeat(64)}`;

/** Files that a config may have with the same content; the new OS has none or another one. */
export const OLD_DEFAULTS = { '/etc/of-old-os': 'old\n', '/etc/of-both': 'old\n' };

export function osImages(): Record<string, PulledImage> {
  const defaults = { '/etc/chrony.conf': 'pool default\n', '/etc/motd.os': 'welcome\n' };
  return {
    [OLD_OS]: anImage({ digest: 'a', files: { ...defaults, ...OLD_DEFAULTS } }),
    [REFUSED_OS]: anImage({
      digest: 'd',
      files: { '/usr/lib/os-release': 'ID=fedora\nVARIANT_ID=iot\nVERSION_ID=42\n' },
    }),
    [NEW_OS]: anImage({
      digest: 'b',
      version: '9.6.2',
      files: { ...defaults, '/usr/lib/new': 'x', '/etc/of-both': 'new\n' },
    }),
  };
}
