/**
 * Takes the snapshot that a decision is based on: the disk, the annotations of the Node, the boot, and the process's memory.
 */

import { annotations, EMPTY_CONFIG_NAME, FORCE_FILE } from '../../api/index.ts';
import type { Env } from '../../base/env.ts';
import { Failure } from '../../base/errors.ts';
import { Pauses } from '../../base/pauses.ts';
import type { Node } from '../../kubernetes/types/index.ts';
import { drainState, isCordoned } from '../../rollout/index.ts';
import type { Host } from '../host/index.ts';
import type { NodeConfig } from '../plan/index.ts';
import { fetchConfig } from './cluster-config.ts';
import type { DaemonContext } from './context.ts';
import type { NodeAnnotations, NodeSnapshot, ProcessState } from './decide.ts';
import { Fetcher, readFetchNote } from './fetcher.ts';
import { readState } from './read-state.ts';
import { readRetried } from './retry/retried-note.ts';
import { INITIAL_ANNOTATIONS } from './state-paths.ts';
import { ConfigReader } from './stored-config.ts';

/** The annotations of the Node; undefined where there is none, or none is known yet. */
export function knownAnnotations({ nodeAnnotations }: Observation): NodeAnnotations | undefined {
  return nodeAnnotations === 'deleted' || nodeAnnotations === 'unknown' ? undefined : nodeAnnotations;
}

/** The current config of the node, as far as it is known without a request: from disk, or fetched earlier. */
export function knownConfig({ fetched }: Memory, snapshot: Observation): NodeConfig | undefined {
  const name = knownAnnotations(snapshot)?.current;
  const isMeant = fetched?.name === name?.config && (fetched?.layeredImage ?? '') === name?.image;
  return snapshot.config ?? (isMeant ? fetched : undefined);
}

type CurrentConfig =
  /** Absent on a machine that has never had a config. */
  | { readonly kind: 'known'; readonly config: NodeConfig | undefined }
  | { readonly kind: 'unreadable'; readonly error: string };

/** The node's config. Where it was removed from the disk, it is fetched by the name in the annotations. */
export async function currentConfig(
  context: DaemonContext,
  memory: Memory,
  snapshot: Observation,
): Promise<CurrentConfig> {
  const known = knownConfig(memory, snapshot);
  const nodeAnnotations = knownAnnotations(snapshot);
  const named = nodeAnnotations?.current;
  if (known !== undefined || named === undefined || ['', EMPTY_CONFIG_NAME].includes(named.config)) {
    return { kind: 'known', config: known };
  }
  const fetched = await fetchConfig(context, named, nodeAnnotations?.desired.config ?? '', snapshot.node);
  if (fetched.kind === 'unreadable') return fetched;
  memory.fetched = fetched.config;
  return { kind: 'known', config: fetched.config };
}

/** The node's config; throws where it cannot be read. */
export async function requireConfig(
  context: DaemonContext,
  memory: Memory,
  snapshot: Observation,
): Promise<NodeConfig | undefined> {
  const current = await currentConfig(context, memory, snapshot);
  if (current.kind === 'known') return current.config;
  throw new Failure('stalled', 'ConfigUnreadable', current.error);
}

/** The memory of the process. All of it can be computed again. */
export type Memory = {
  /** On the monotonic clock. */
  readonly startedAtMs: number;
  isStartedUp: boolean;
  isValidated: boolean;
  /** By this process, which therefore learns whether the machine refuses. */
  isRebootAnnounced: boolean;
  isRebootRequested: boolean;
  mayHaveDrifted: boolean;
  pullAtMs: number | undefined;
  isStartReported: boolean;
  /** The drain whose wait was logged. */
  awaitedDrain: string | undefined;
  /** What the last shutdown reported of a staged OS that it could not finalize. */
  finalizeFailure: string | undefined;
  /** The node's config, where the disk does not hold it. */
  fetched: NodeConfig | undefined;
  /** The ControllerConfig and the configs for which certificates were synced last. */
  syncedState: string | undefined;
  readonly configs: ConfigReader;
  readonly pauses: Pauses;
  readonly fetcher: Fetcher;
  /** Failed downloads ahead of an update in a row, and the monotonic time before which there is none. */
  fetchTries: number;
  fetchAtMs: number | undefined;
  /** What was repaired, until it is reported as an event. */
  repaired: readonly string[];
  /** The last request to try again that was taken up. */
  retried: string | undefined;
};

/** `wake`: called when a download has ended. */
export function newMemory(context: { readonly env: Env; readonly host: Host }, wake: () => void): Memory {
  const { env } = context;
  return {
    startedAtMs: env.clock.monotonic(),
    isStartedUp: false,
    isValidated: false,
    isRebootAnnounced: false,
    isRebootRequested: false,
    mayHaveDrifted: false,
    pullAtMs: undefined,
    isStartReported: false,
    awaitedDrain: undefined,
    finalizeFailure: undefined,
    fetched: undefined,
    syncedState: undefined,
    configs: new ConfigReader(env.clock),
    pauses: new Pauses(env),
    fetcher: new Fetcher(context, wake),
    fetchTries: 0,
    fetchAtMs: undefined,
    repaired: [],
    retried: undefined,
  };
}

export type Observation = NodeSnapshot & {
  readonly node: Node | undefined;
  /** What the disk holds. */
  readonly config: NodeConfig | undefined;
};

export async function observe(
  { host, env, settings }: DaemonContext,
  memory: Memory,
  { node, isSynced }: { readonly node: Node | undefined; readonly isSynced: boolean },
): Promise<Observation> {
  const { journal, config, damage } = await readState(host, memory.configs);
  if (config !== undefined) memory.fetched = undefined;
  const isThere = async (path: string) => (await host.files.stat(path)) !== undefined;
  const fetched = await readFetchNote(host);
  const retried = await readRetried(host);
  return {
    node,
    config,
    nodeAnnotations: isSynced ? annotationsOf(node) : 'unknown',
    disk: {
      ...(config === undefined ? {} : { stored: { config: config.name, image: config.layeredImage ?? '' } }),
      ...(journal === undefined ? {} : { journal }),
      isJoining: await isThere(INITIAL_ANNOTATIONS),
      isForced: await isThere(FORCE_FILE),
      ...(fetched === undefined ? {} : { fetched }),
      ...(retried === undefined ? {} : { retried }),
      ...(damage === undefined ? {} : { damage }),
    },
    bootId: await host.bootId(),
    nowMs: env.clock.now(),
    runsForMs: env.clock.monotonic() - memory.startedAtMs,
    missedMs: journal?.askedMs === undefined ? 0 : memory.pauses.missedSinceMs(journal.askedMs),
    process: processState(memory),
    settings,
  };
}

function processState(memory: Memory): ProcessState {
  const { isStartedUp, isValidated, isRebootAnnounced, isRebootRequested, mayHaveDrifted } = memory;
  const { pullAtMs, finalizeFailure, retried } = memory;
  const fetch = memory.fetcher.state;
  return {
    isStartedUp,
    isValidated,
    isRebootAnnounced,
    isRebootRequested,
    mayHaveDrifted,
    ...(pullAtMs === undefined ? {} : { pullAtMs }),
    ...(finalizeFailure === undefined ? {} : { finalizeFailure }),
    ...(fetch === undefined ? {} : { fetch }),
    ...(retried === undefined ? {} : { retried }),
  };
}

function annotationsOf(node: Node | undefined): NodeAnnotations | 'deleted' {
  if (node === undefined || node.metadata.deletionTimestamp !== undefined) return 'deleted';
  const value = (key: string) => node.metadata.annotations?.[key] ?? '';
  return {
    current: { config: value(annotations.currentConfig), image: value(annotations.currentImage) },
    desired: { config: value(annotations.desiredConfig), image: value(annotations.desiredImage) },
    state: value(annotations.state),
    drain: drainState(node),
    isSchedulable: !isCordoned(node),
    fetch: { requested: value(annotations.fetchImage), fetched: value(annotations.fetchedImage) },
    retry: { requested: value(annotations.retry), answered: value(annotations.retried) },
  };
}
