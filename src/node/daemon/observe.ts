/**
 * One look at everything that a decision rests on: the disk, the words on the Node, the boot, and what this process knows.
 */

import { annotations, FORCE_FILE } from '../../api/index.ts';
import { Failure } from '../../base/errors.ts';
import type { Node } from '../../kubernetes/types/index.ts';
import { drainState } from '../../rollout/index.ts';
import { EMPTY_CONFIG_NAME, type NodeConfig } from '../plan/index.ts';
import { fetchConfig } from './cluster-config.ts';
import type { DaemonContext } from './context.ts';
import type { NodeWords, ProcessSeen, Seen } from './decide.ts';
import { readJournal } from './journal.ts';
import { FIRST_ANNOTATIONS } from './state-paths.ts';
import { ConfigReader } from './stored-config.ts';

/** What a Node says that can be read; nothing where it cannot. */
export function knownWords({ words }: Observation): NodeWords | undefined {
  return words === 'gone' || words === 'unknown' ? undefined : words;
}

/** The config that the node has, as far as that can be told without asking: what the disk holds, or what was fetched. */
export function knownConfig({ fetched }: Memory, seen: Observation): NodeConfig | undefined {
  const name = knownWords(seen)?.current;
  const isMeant = fetched?.name === name?.config && (fetched?.layeredImage ?? '') === name?.image;
  return seen.config ?? (isMeant ? fetched : undefined);
}

type CurrentConfig =
  /** Absent on a machine that has never had a config. */
  | { readonly kind: 'known'; readonly config: NodeConfig | undefined }
  | { readonly kind: 'unreadable'; readonly error: string };

/** The config that the node has. Where somebody took it off the disk, it is fetched by the name on the Node. */
export async function currentConfig(
  context: DaemonContext,
  memory: Memory,
  seen: Observation,
): Promise<CurrentConfig> {
  const known = knownConfig(memory, seen);
  const words = knownWords(seen);
  const named = words?.current;
  if (known !== undefined || named === undefined || ['', EMPTY_CONFIG_NAME].includes(named.config)) {
    return { kind: 'known', config: known };
  }
  const fetched = await fetchConfig(context, named, words?.desired.config ?? '');
  if (fetched.kind === 'unreadable') return fetched;
  memory.fetched = fetched.config;
  return { kind: 'known', config: fetched.config };
}

/** The same where one that cannot be read is a failure as any other. */
export async function neededConfig(
  context: DaemonContext,
  memory: Memory,
  seen: Observation,
): Promise<NodeConfig | undefined> {
  const current = await currentConfig(context, memory, seen);
  if (current.kind === 'known') return current.config;
  throw new Failure('stalled', 'ConfigUnreadable', current.error);
}

/** What a process knows. All of it can be found out again. */
export type Memory = {
  isCleanedUp: boolean;
  isValidated: boolean;
  /** By this process: then it knows whether the machine refused. */
  isRebootAnnounced: boolean;
  isRebootAsked: boolean;
  mayHaveDrifted: boolean;
  pullAtMs: number | undefined;
  isFirstLookTold: boolean;
  /** What the last shutdown said of an OS that it could not finish. */
  finalizeFailure: string | undefined;
  /** The config that the node has, where the disk does not hold it. */
  fetched: NodeConfig | undefined;
  readonly configs: ConfigReader;
};

export function newMemory(): Memory {
  return {
    ...{ isCleanedUp: false, isValidated: false, isRebootAsked: false, mayHaveDrifted: false },
    ...{ isFirstLookTold: false, isRebootAnnounced: false },
    ...{ pullAtMs: undefined, finalizeFailure: undefined, fetched: undefined },
    configs: new ConfigReader(),
  };
}

export type Observation = Seen & {
  readonly node: Node | undefined;
  /** What the disk holds. */
  readonly config: NodeConfig | undefined;
};

export async function observe(
  { host, env, settings }: DaemonContext,
  memory: Memory,
  { node, isHeard }: { readonly node: Node | undefined; readonly isHeard: boolean },
): Promise<Observation> {
  const journal = await readJournal(host);
  const config = await memory.configs.current(host);
  if (config !== undefined) memory.fetched = undefined;
  const isThere = async (path: string) => (await host.files.stat(path)) !== undefined;
  return {
    node,
    config,
    words: isHeard ? wordsOf(node) : 'unknown',
    disk: {
      ...(config === undefined ? {} : { stored: { config: config.name, image: config.layeredImage ?? '' } }),
      ...(journal === undefined ? {} : { journal }),
      isJoining: await isThere(FIRST_ANNOTATIONS),
      isForced: await isThere(FORCE_FILE),
    },
    bootId: await host.bootId(),
    nowMs: env.clock.now(),
    process: processSeen(memory),
    settings,
  };
}

function processSeen(memory: Memory): ProcessSeen {
  const { isCleanedUp, isValidated, isRebootAsked, mayHaveDrifted, pullAtMs } = memory;
  return {
    ...{ isCleanedUp, isValidated, isRebootAsked, mayHaveDrifted },
    ...(pullAtMs === undefined ? {} : { pullAtMs }),
  };
}

function wordsOf(node: Node | undefined): NodeWords | 'gone' {
  if (node === undefined || node.metadata.deletionTimestamp !== undefined) return 'gone';
  const said = (key: string) => node.metadata.annotations?.[key] ?? '';
  return {
    current: { config: said(annotations.currentConfig), image: said(annotations.currentImage) },
    desired: { config: said(annotations.desiredConfig), image: said(annotations.desiredImage) },
    state: said(annotations.state),
    drain: drainState(node),
  };
}
