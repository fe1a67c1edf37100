/**
 * The event recorder. It writes in the background: callers neither wait for events nor fail with them.
 *
 *     record ──> the same as before? ──no──> rate limit of new events ──> queue ──> create
 *                    └──yes──> count ──> rate limit of repeated events ──> queue ──> patch of the count
 *
 * New and repeated events of an object have separate rate limits: repetitions must not suppress other events.
 */

import type { Env } from '../../base/env.ts';
import { Bug, errorText } from '../../base/errors.ts';
import { formatTimestamp } from '../../base/text/index.ts';
import { type Backoff, delayAfter, sleep, withinLimit } from '../../base/waiting.ts';
import { type Event, event } from '../types/index.ts';
import type { EventRecorder, EventSubject, Kube } from './kube.ts';
import { isNotFound, KubeError } from './kube-error.ts';
import { RecentMap } from './recent-map.ts';
import { type Rate, TokenBucket } from './token-bucket.ts';

type EventRecorderOptions = {
  readonly kube: Kube;
  readonly env: Env;
  /** The reporting component: `machineconfigcontroller-nodecontroller`. */
  readonly component: string;
  /** The namespace of events about cluster-scoped objects. */
  readonly namespace: string;
  readonly settings?: Partial<EventSettings>;
};

type EventSettings = {
  /** A repetition within this time increases the count of the event. */
  readonly sameMs: number;
  /** The rate limit of new events per object. */
  readonly perSubject: Rate;
  /** The rate limit of repeated events per object. In between they are only counted. */
  readonly againPerSubject: Rate;
};

const DEFAULT_EVENT_SETTINGS: EventSettings = {
  sameMs: 10 * 60_000,
  perSubject: { burst: 25, perSecond: 1 / 30 },
  againPerSubject: { burst: 25, perSecond: 1 / 30 },
};

const DEFAULT_NAMESPACE = 'default';

/** The length of the queue; further events are dropped. */
const MAX_WAITING = 1_000;
/** The number of events and objects that are remembered. */
const MAX_REMEMBERED = 4_096;
/** Longer messages are truncated. */
const MAX_MESSAGE_CHARS = 4_096;
const MAX_NAME_CHARS = 230;
const MAX_ATTEMPTS = 4;
const RETRY: Backoff = { baseMs: 1_000, factor: 4, capMs: 30_000, jitter: 0.5 };

export interface EventWriter extends EventRecorder {
  /** Resolves once all events are written, or after the limit. For the end of a process. */
  flush(limitMs: number): Promise<void>;
}

export function createEventRecorder(options: EventRecorderOptions): EventWriter {
  return new Writer(options);
}

/** An event with its count. */
type RecordedEvent = {
  readonly name: string;
  readonly namespace: string;
  readonly about: EventSubject;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly firstMs: number;
  lastMs: number;
  count: number;
  isWritten: boolean;
};

type EventContent = Pick<RecordedEvent, 'about' | 'type' | 'reason' | 'message'>;
/** The rate limits of one object. */
type Limits = { readonly fresh: TokenBucket; readonly repeated: TokenBucket };

class Writer implements EventWriter {
  readonly #options: EventRecorderOptions;
  readonly #settings: EventSettings;
  readonly #recorded = new RecentMap<string, RecordedEvent>(MAX_REMEMBERED);
  readonly #limits = new RecentMap<string, Limits>(MAX_REMEMBERED);
  /** In the order in which they were recorded. */
  readonly #waiting = new Set<RecordedEvent>();
  #writing: Promise<void> | undefined;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#settings = { ...DEFAULT_EVENT_SETTINGS, ...options.settings };
  }

  normal(about: EventSubject, reason: string, message: string): void {
    this.#record({ about, type: 'Normal', reason, message });
  }

  warning(about: EventSubject, reason: string, message: string): void {
    this.#record({ about, type: 'Warning', reason, message });
  }

  async flush(limitMs: number): Promise<void> {
    if (this.#writing === undefined) return;
    await withinLimit(this.#options.env.clock, { promise: this.#writing, limitMs });
  }

  #record(content: EventContent): void {
    const { env } = this.#options;
    const { about, type, reason } = content;
    const message = content.message.slice(0, MAX_MESSAGE_CHARS);
    const key = JSON.stringify([subjectKey(about), type, reason, message]);
    const known = this.#same(key);
    const fields = { kind: about.kind, name: about.name, reason };
    const limits = this.#limitsOf(about);
    if (known === undefined && !limits.fresh.tryTake()) {
      env.log.debug('event dropped: rate limit of the object', fields);
      return;
    }
    const recorded = known ?? this.#remember(key, { about, type, reason, message });
    // New events are logged too: runbooks read logs.
    if (known === undefined) {
      const line = `Event(${about.kind}/${about.name}): type: '${type}' reason: '${reason}' ${message}`;
      if (type === 'Warning') env.log.warn(line);
      else env.log.info(line);
    }
    recorded.count += 1;
    recorded.lastMs = env.clock.now();
    // A queued event is written with its new count.
    if (this.#waiting.has(recorded) || (known !== undefined && !limits.repeated.tryTake())) return;
    if (this.#waiting.size >= MAX_WAITING) {
      env.log.debug('event dropped: the queue is full', fields);
      return;
    }
    this.#waiting.add(recorded);
    // Never rejects but with a `Bug`: failures are logged.
    this.#writing ??= this.#write();
  }

  #same(key: string): RecordedEvent | undefined {
    const known = this.#recorded.get(key);
    if (known === undefined) return undefined;
    return this.#options.env.clock.now() - known.lastMs <= this.#settings.sameMs ? known : undefined;
  }

  #remember(key: string, content: EventContent): RecordedEvent {
    const { env, namespace } = this.#options;
    const unique = env.random.uuid().replaceAll('-', '').slice(0, 16);
    const now = env.clock.now();
    const recorded: RecordedEvent = {
      ...content,
      name: `${content.about.name.slice(0, MAX_NAME_CHARS)}.${unique}`,
      namespace: content.about.namespace ?? namespace,
      firstMs: now,
      lastMs: now,
      count: 0,
      isWritten: false,
    };
    this.#recorded.set(key, recorded);
    return recorded;
  }

  #limitsOf(about: EventSubject): Limits {
    const { clock } = this.#options.env;
    const key = subjectKey(about);
    const { perSubject, againPerSubject } = this.#settings;
    const known = this.#limits.get(key);
    if (known !== undefined) return known;
    const made = {
      fresh: new TokenBucket(perSubject, clock),
      repeated: new TokenBucket(againPerSubject, clock),
    };
    this.#limits.set(key, made);
    return made;
  }

  /** Writes one after the other until the queue is empty. */
  async #write(): Promise<void> {
    // Repetitions within one turn are written once, with their count.
    await Promise.resolve();
    try {
      for (const recorded of this.#waiting) {
        this.#waiting.delete(recorded);
        await this.#writeOne(recorded);
      }
    } finally {
      // In the same turn in which the queue was empty, so that no event is queued in between and left unwritten.
      this.#writing = undefined;
    }
  }

  async #writeOne(recorded: RecordedEvent): Promise<void> {
    const { env } = this.#options;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      try {
        await this.#send(recorded);
        return;
      } catch (error) {
        if (error instanceof Bug) throw error;
        const isFinal = error instanceof KubeError && error.kind === 'stalled';
        if (isFinal || attempt === MAX_ATTEMPTS) {
          env.log.warn('event not written', { reason: recorded.reason, error: errorText(error) });
          return;
        }
      }
      const delayMs = delayAfter(RETRY, attempt - 1, env.random);
      if (!(await sleep(env.clock, { delayMs, signal: env.signal }))) return;
    }
  }

  async #send(recorded: RecordedEvent): Promise<void> {
    const { kube } = this.#options;
    const { name, namespace, count, lastMs } = recorded;
    if (recorded.isWritten) {
      const body = { count, lastTimestamp: formatTimestamp(lastMs) };
      try {
        await kube.patch(event, { name, namespace }, { type: 'merge', body });
        return;
      } catch (error) {
        // Events expire after an hour, or are deleted by users.
        if (!isNotFound(error, name)) throw error;
      }
    }
    await kube.create(event, this.#eventOf(recorded));
    recorded.isWritten = true;
  }

  #eventOf({ name, namespace, about, type, reason, message, count, firstMs, lastMs }: RecordedEvent): Event {
    const { component } = this.#options;
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name, namespace },
      // The server requires the namespace of the object. Events about cluster-scoped objects may be in `default`, the only
      // place where `kubectl describe` finds them.
      involvedObject: namespace === DEFAULT_NAMESPACE ? about : { ...about, namespace },
      type,
      reason,
      message,
      count,
      firstTimestamp: formatTimestamp(firstMs),
      lastTimestamp: formatTimestamp(lastMs),
      source: { component },
      reportingComponent: component,
      reportingInstance: '',
    };
  }
}

function subjectKey({ apiVersion, kind, namespace = '', name, uid = '' }: EventSubject): string {
  return JSON.stringify([apiVersion, kind, namespace, name, uid]);
}
