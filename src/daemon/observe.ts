/**
 * One look at everything that a decision rests on: the disk, the words on the Node, the boot, and what this process knows.
 */
import { annotations } from '../api/index.ts';
import type { Node } from '../builtin/index.ts';
import { FORCE_FILE, type NodeConfig } from '../update/index.ts';
import type { DaemonContext } from './context.ts';
import type { NodeWords, ProcessSeen, Seen } from './decide.ts';
import { readJournal } from './journal.ts';
import { FIRST_ANNOTATIONS } from './state-paths.ts';
import { ConfigReader } from './stored-config.ts';

/** What a Node says that can be read; nothing where it cannot. */
export function knownWords({ words }: Observation): NodeWords | undefined {
  return words === 'gone' || words === 'unknown' ? undefined : words;
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
  readonly configs: ConfigReader;
};

export function newMemory(): Memory {
  return {
    ...{ isCleanedUp: false, isValidated: false, isRebootAsked: false, mayHaveDrifted: false },
    ...{ isFirstLookTold: false, isRebootAnnounced: false },
    ...{ pullAtMs: undefined, finalizeFailure: undefined },
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
    desiredDrain: said(annotations.desiredDrain),
    lastAppliedDrain: said(annotations.lastAppliedDrain),
  };
}
