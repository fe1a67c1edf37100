/**
 * The logs of the containers of the embedded cluster, stored in CRI format and served like by a kubelet.
 *
 *     NAMESPACE_POD_UID/CONTAINER/RESTARTS.log      and the rotated RESTARTS.log.1
 */

import type { Clock } from '../../base/env.ts';
import { onAbort } from '../../base/waiting.ts';
import type { ContainerLogRequest, ContainerLog as LogResponse } from '../apiserver/index.ts';
import { ContainerLog } from './container-log.ts';
import { CriLineSplitter, lineTime } from './cri-log-line.ts';
import type { LogFiles } from './log-files.ts';
import { parseLogQuery } from './log-query.ts';
import { type StreamOptions, streamLog } from './stream-log.ts';

export interface ContainerLogs {
  /** Appends to the log of the same instance, even from an earlier process. */
  open(instance: ContainerInstance): LogWriter;
  /** Serves `/containerLogs/NAMESPACE/POD/CONTAINER` of a kubelet. */
  read(request: ContainerLogRequest, lookup: ContainerStateLookup): Promise<LogResponse>;
  /** Removes the logs of all other pods, except those being written. */
  prune(liveUids: ReadonlySet<string>): Promise<void>;
  /** Closes all writers and ends all followers. */
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
  /** Any text, not necessarily whole lines. */
  write(text: string): void;
  /** The container has ended, which ends its followers. */
  close(): Promise<void>;
}

/** The state of a container in its pod status. */
type ContainerStateLookup = (namespace: string, pod: string, container: string) => ContainerState;

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

/** Larger files are rotated; one rotated file is kept. */
const MAX_FILE_BYTES = 10 * 1024 * 1024;

export function createContainerLogs(parts: ContainerLogsParts): ContainerLogs {
  return new StoredContainerLogs(parts);
}

class StoredContainerLogs implements ContainerLogs {
  readonly #parts: ContainerLogsParts;
  /** Logs with writers or readers. */
  readonly #used = new Map<
    string,
    { readonly log: ContainerLog; users: number; readonly directory: string }
  >();
  readonly #writers = new Set<LogWriter>();
  #isClosed = false;

  constructor(parts: ContainerLogsParts) {
    this.#parts = parts;
  }

  open(instance: ContainerInstance): LogWriter {
    const { clock } = this.#parts;
    const { log, release } = this.#use(instance);
    const splitter = new CriLineSplitter();
    let closed: Promise<void> | undefined;
    const writer: LogWriter = {
      write(text) {
        if (closed === undefined) log.write(splitter.cut(text, lineTime(clock.now())));
      },
      close: () => {
        closed ??= this.#end(writer, { log, last: splitter.end(lineTime(clock.now())) }).finally(release);
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

  async read(request: ContainerLogRequest, lookup: ContainerStateLookup): Promise<LogResponse> {
    const { namespace, pod, container, query } = request;
    const read = parseLogQuery(query, this.#parts.clock.now());
    if (read.kind === 'rejected') return rejected(read.status, read.text);
    const { logQuery } = read;
    const state = lookup(namespace, pod, container);
    const subject = `container ${JSON.stringify(container)} in pod ${JSON.stringify(pod)}`;
    if (state.kind === 'missing') return rejected(400, `${subject} is not available`);
    if (logQuery.isPrevious && (state.kind === 'waiting' || state.restartCount === 0)) {
      return rejected(400, `previous terminated ${subject} not found`);
    }
    if (state.kind === 'waiting') {
      return rejected(400, `${subject} is waiting to start: ${whyWaiting(state.reason)}`);
    }
    const { podUid } = state;
    const restartCount = logQuery.isPrevious ? state.restartCount - 1 : state.restartCount;
    const isRunning = (): boolean => {
      const now = lookup(namespace, pod, container);
      const isSame = now.kind === 'running' && now.podUid === podUid && now.restartCount === restartCount;
      return isSame && !this.#isClosed;
    };
    const instance = { namespace, pod, podUid, container, restartCount };
    const body = cancellable(request.signal, (signal) =>
      this.#show(instance, { logQuery, isRunning, signal }),
    );
    return { status: 200, contentType: 'text/plain', body };
  }

  async prune(liveUids: ReadonlySet<string>): Promise<void> {
    const { files } = this.#parts;
    const live = new Set([...liveUids].map(safe));
    for (const directory of await files.list('')) {
      const uid = /^[^_]+_[^_]+_([^_]+)$/.exec(directory)?.[1];
      if (uid !== undefined && !live.has(uid) && !this.#isWritten(directory)) await files.remove(directory);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#writers].map((writer) => writer.close()));
    this.#isClosed = true;
    for (const { log } of this.#used.values()) log.wake();
  }

  #isWritten(directory: string): boolean {
    return [...this.#used.values()].some((one) => one.directory === directory && one.log.hasWriters);
  }

  async *#show(instance: ContainerInstance, options: StreamOptions): AsyncGenerator<Uint8Array> {
    const { log, release } = this.#use(instance);
    try {
      yield* streamLog(log, options);
    } finally {
      release();
    }
  }

  #use(instance: ContainerInstance): { readonly log: ContainerLog; readonly release: () => void } {
    const directory = podDirectory(instance);
    const containerDirectory = `${directory}/${safe(instance.container)}`;
    const key = `${containerDirectory}/${instance.restartCount}`;
    const { files, clock, maxFileBytes = MAX_FILE_BYTES } = this.#parts;
    const { restartCount } = instance;
    const used = this.#used.get(key) ?? {
      log: new ContainerLog({ files, clock, directory: containerDirectory, restartCount, maxFileBytes }),
      users: 0,
      directory,
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

function rejected(status: number, text: string): LogResponse {
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

/** Lets `return` end a pending `next`, which a plain generator would wait for. */
function cancellable(
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

/** The limit of file systems. */
const MAX_NAME_CHARS = 255;

/** Long names are truncated; the UID keeps them unique. */
function podDirectory({ namespace, pod, podUid }: ContainerInstance): string {
  const uid = safe(podUid);
  return `${`${safe(namespace)}_${safe(pod)}`.slice(0, MAX_NAME_CHARS - 1 - uid.length)}_${uid}`;
}

/** Kubernetes names are unchanged; other characters are escaped so that paths cannot escape the directory. */
function safe(name: string): string {
  return name.replace(/^\.|[^A-Za-z0-9.-]/g, (one) => `%${one.charCodeAt(0).toString(16)}`);
}

function nothing(): void {}
