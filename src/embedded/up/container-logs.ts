/**
 * What the containers of the embedded cluster have written, kept as a node keeps it, and read as its kubelet reads it.
 *
 *     NAMESPACE_POD_UID/CONTAINER/RESTARTS.log      and RESTARTS.log.1, which came before it
 */

import type { Clock } from '../../base/env.ts';
import { onAbort } from '../../base/waiting.ts';
import type { ContainerLog as Answer, ContainerLogRequest } from '../apiserver/index.ts';
import { ContainerLog } from './container-log.ts';
import type { LogFiles } from './log-files.ts';
import { LineCutter, lineTime } from './log-line.ts';
import { readLogQuery } from './log-query.ts';
import { type Showing, showLog } from './show-log.ts';

export interface ContainerLogs {
  /** Goes on where an earlier writer of the same instance stopped, also one of an earlier process. */
  open(instance: ContainerInstance): LogWriter;
  /** What a kubelet answers to `/containerLogs/NAMESPACE/POD/CONTAINER`. */
  read(request: ContainerLogRequest, look: LookAtContainer): Promise<Answer>;
  /** Removes the logs of all pods but these, and those that are written to. */
  prune(liveUids: ReadonlySet<string>): Promise<void>;
  /** Closes every writer, and ends all who follow. */
  close(): Promise<void>;
}

/** One run of a container. */
export type ContainerInstance = {
  readonly namespace: string;
  readonly pod: string;
  readonly podUid: string;
  readonly container: string;
  readonly restartCount: number;
};

interface LogWriter {
  /** Several lines, or a part of one. */
  write(text: string): void;
  /** The container has ended: nobody follows it any longer. */
  close(): Promise<void>;
}

/** How a container fares, as the status of its pod says it. */
type LookAtContainer = (namespace: string, pod: string, container: string) => ContainerState;

export type ContainerState =
  | {
      readonly kind: 'running' | 'ended';
      readonly podUid: string;
      readonly restartCount: number;
    }
  | { readonly kind: 'waiting'; readonly reason: string }
  | { readonly kind: 'missing' };

type ContainerLogsParts = {
  readonly files: LogFiles;
  readonly clock: Clock;
  readonly maxFileBytes?: number;
};

/** A file that would grow beyond is put aside, and the one that was put aside before it is gone. */
const MAX_FILE_BYTES = 10 * 1024 * 1024;

export function createContainerLogs(parts: ContainerLogsParts): ContainerLogs {
  return new KeptLogs(parts);
}

class KeptLogs implements ContainerLogs {
  readonly #parts: ContainerLogsParts;
  /** Those that somebody writes or reads now. */
  readonly #used = new Map<string, { readonly log: ContainerLog; users: number; readonly folder: string }>();
  readonly #writers = new Set<LogWriter>();
  #isClosed = false;

  constructor(parts: ContainerLogsParts) {
    this.#parts = parts;
  }

  open(instance: ContainerInstance): LogWriter {
    const { clock } = this.#parts;
    const { log, release } = this.#use(instance);
    const cutter = new LineCutter();
    let closed: Promise<void> | undefined;
    const writer: LogWriter = {
      write(text) {
        if (closed === undefined) log.write(cutter.cut(text, lineTime(clock.now())));
      },
      close: () => {
        closed ??= this.#end(writer, { log, last: cutter.end(lineTime(clock.now())) }).finally(release);
        return closed;
      },
    };
    log.beginWriting();
    this.#writers.add(writer);
    return writer;
  }

  async #end(
    writer: LogWriter,
    { log, last }: { readonly log: ContainerLog; readonly last: string },
  ): Promise<void> {
    this.#writers.delete(writer);
    log.write(last);
    await log.endWriting();
  }

  async read(request: ContainerLogRequest, look: LookAtContainer): Promise<Answer> {
    const { namespace, pod, container, query } = request;
    const read = readLogQuery(query, this.#parts.clock.now());
    if (read.kind === 'refused') return refused(read.status, read.text);
    const { wish } = read;
    const state = look(namespace, pod, container);
    const who = `container ${JSON.stringify(container)} in pod ${JSON.stringify(pod)}`;
    if (state.kind === 'missing') return refused(400, `${who} is not available`);
    if (wish.isPrevious && (state.kind === 'waiting' || state.restartCount === 0)) {
      return refused(400, `previous terminated ${who} not found`);
    }
    if (state.kind === 'waiting') {
      return refused(400, `${who} is waiting to start: ${whyWaiting(state.reason)}`);
    }
    const { podUid } = state;
    const restartCount = wish.isPrevious ? state.restartCount - 1 : state.restartCount;
    const isRunning = (): boolean => {
      const now = look(namespace, pod, container);
      const isSame = now.kind === 'running' && now.podUid === podUid && now.restartCount === restartCount;
      return isSame && !this.#isClosed;
    };
    const instance = { namespace, pod, podUid, container, restartCount };
    const body = endable(request.signal, (signal) => this.#show(instance, { wish, isRunning, signal }));
    return { status: 200, contentType: 'text/plain', body };
  }

  async prune(liveUids: ReadonlySet<string>): Promise<void> {
    const { files } = this.#parts;
    const live = new Set([...liveUids].map(safe));
    for (const folder of await files.list('')) {
      const uid = /^[^_]+_[^_]+_([^_]+)$/.exec(folder)?.[1];
      if (uid !== undefined && !live.has(uid) && !this.#isWritten(folder)) await files.remove(folder);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#writers].map((writer) => writer.close()));
    this.#isClosed = true;
    for (const { log } of this.#used.values()) log.wake();
  }

  #isWritten(folder: string): boolean {
    return [...this.#used.values()].some((one) => one.folder === folder && one.log.hasWriters);
  }

  async *#show(instance: ContainerInstance, showing: Showing): AsyncGenerator<Uint8Array> {
    const { log, release } = this.#use(instance);
    try {
      yield* showLog(log, showing);
    } finally {
      release();
    }
  }

  #use(instance: ContainerInstance): { readonly log: ContainerLog; readonly release: () => void } {
    const folder = podFolder(instance);
    const place = `${folder}/${safe(instance.container)}`;
    const key = `${place}/${instance.restartCount}`;
    const { files, clock, maxFileBytes = MAX_FILE_BYTES } = this.#parts;
    const { restartCount } = instance;
    const used = this.#used.get(key) ?? {
      log: new ContainerLog({ files, clock, folder: place, restartCount, maxFileBytes }),
      users: 0,
      folder,
    };
    used.users += 1;
    this.#used.set(key, used);
    return {
      log: used.log,
      release: () => {
        used.users -= 1;
        if (used.users === 0) this.#used.delete(key);
      },
    };
  }
}

function refused(status: number, text: string): Answer {
  return { status, contentType: 'text/plain', body: once(text) };
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

function whyWaiting(reason: string): string {
  switch (reason) {
    case 'ErrImagePull':
      return "image can't be pulled";
    case 'ImagePullBackOff':
      return 'trying and failing to pull image';
    default:
      return reason;
  }
}

/** Who stops reading while the next piece is waited for would otherwise be waited for in turn. */
function endable(
  outer: AbortSignal | undefined,
  begin: (signal: AbortSignal) => AsyncGenerator<Uint8Array>,
): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const ending = new AbortController();
      const forget = outer === undefined ? nothing : onAbort(outer, () => ending.abort());
      const pieces = begin(ending.signal);
      return {
        async next() {
          const piece = await pieces.next();
          if (piece.done === true) forget();
          return piece;
        },
        return() {
          forget();
          ending.abort();
          return pieces.return(undefined);
        },
      };
    },
  };
}

/** File systems take no longer names. */
const MAX_NAME_CHARS = 255;

/** The names of the longest pods are cut; it is the uid that tells them apart. */
function podFolder({ namespace, pod, podUid }: ContainerInstance): string {
  const uid = safe(podUid);
  return `${`${safe(namespace)}_${safe(pod)}`.slice(0, MAX_NAME_CHARS - 1 - uid.length)}_${uid}`;
}

/** Names of Kubernetes stay as they are; nothing else leads out of the folder, or looks like two names. */
function safe(name: string): string {
  return name.replace(/^\.|[^A-Za-z0-9.-]/g, (one) => `%${one.charCodeAt(0).toString(16)}`);
}

function nothing(): void {}
