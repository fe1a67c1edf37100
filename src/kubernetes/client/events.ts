/**
 * Events, written behind the back of whoever has something to say: nobody waits for them, nobody fails by them.
 *
 *     say ──> the same as before? ──no──> too much new about this one? ──no──> queue ──> create
 *                    └──yes──> counted ──> too much again about this one? ──no──> queue ──> patch of the count
 *
 * What is new and what is said again have allowances of their own: a thing that repeats itself must not keep anybody from
 * hearing what else happens to it.
 */

import type { Env } from '../../base/env.ts';
import { Bug, errorText } from '../../base/errors.ts';
import { formatTimestamp } from '../../base/text/index.ts';
import { delayAfter, type RetryLadder, waited, withinLimit } from '../../base/waiting.ts';
import { type Event, event } from '../types/index.ts';
import type { EventRecorder, EventSubject, Kube } from './kube.ts';
import { isNotFound, KubeError } from './kube-error.ts';
import { RecentMap } from './recent-map.ts';
import { type Rate, TokenBucket } from './token-bucket.ts';

type EventRecorderOptions = {
  readonly kube: Kube;
  readonly env: Env;
  /** Who says it: `machineconfigcontroller-nodecontroller`. */
  readonly component: string;
  /** Where events about things without a namespace lie. */
  readonly namespace?: string;
  readonly settings?: Partial<EventSettings>;
};

type EventSettings = {
  /** The same said again within this time is counted, not written anew. */
  readonly sameMs: number;
  /** How much that is new may be said about one thing. */
  readonly perSubject: Rate;
  /** How often it may be written about one thing that something was said again. In between it is only counted. */
  readonly againPerSubject: Rate;
};

const DEFAULT_EVENT_SETTINGS: EventSettings = {
  sameMs: 10 * 60_000,
  perSubject: { burst: 25, perSecond: 1 / 30 },
  againPerSubject: { burst: 25, perSecond: 1 / 30 },
};

/** Where upstream's events about nodes and pools lie. */
const DEFAULT_NAMESPACE = 'default';
const EVENT_NAMESPACE = 'openshift-machine-config-operator';

/** What is said when this much waits is dropped: the server has other troubles. */
const MAX_WAITING = 1_000;
/** Of so many things is known what was said, and how much. */
const MAX_REMEMBERED = 4_096;
/** Longer ones are cut: the whole text is in the condition or the log that the event points to. */
const MAX_MESSAGE_CHARS = 4_096;
const MAX_NAME_CHARS = 230;
const MAX_ATTEMPTS = 4;
const RETRY: RetryLadder = { baseMs: 1_000, factor: 4, capMs: 30_000, jitter: 0.5 };

export interface EventWriter extends EventRecorder {
  /** Resolves once all that was said is written, or after the limit: the last words of a process. */
  flush(limitMs: number): Promise<void>;
}

export function createEventRecorder(options: EventRecorderOptions): EventWriter {
  return new Writer(options);
}

/** Something that was said, as often as it was. */
type ConditionUpdate = {
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

type What = Pick<ConditionUpdate, 'about' | 'type' | 'reason' | 'message'>;
/** How much may still be said about one thing: what is new, and what is not. */
type Allowance = { readonly fresh: TokenBucket; readonly again: TokenBucket };

class Writer implements EventWriter {
  readonly #options: EventRecorderOptions;
  readonly #settings: EventSettings;
  readonly #said = new RecentMap<string, ConditionUpdate>(MAX_REMEMBERED);
  readonly #allowances = new RecentMap<string, Allowance>(MAX_REMEMBERED);
  /** In the order in which they were first said since they were last written. */
  readonly #waiting = new Set<ConditionUpdate>();
  #writing: Promise<void> | undefined;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#settings = { ...DEFAULT_EVENT_SETTINGS, ...options.settings };
  }

  normal(about: EventSubject, reason: string, message: string): void {
    this.#say({ about, type: 'Normal', reason, message });
  }

  warning(about: EventSubject, reason: string, message: string): void {
    this.#say({ about, type: 'Warning', reason, message });
  }

  async flush(limitMs: number): Promise<void> {
    if (this.#writing === undefined) return;
    await withinLimit(this.#options.env.clock, { promise: this.#writing, limitMs });
  }

  #say(what: What): void {
    const { env } = this.#options;
    const { about, type, reason } = what;
    const message = what.message.slice(0, MAX_MESSAGE_CHARS);
    const key = JSON.stringify([subjectKey(about), type, reason, message]);
    const known = this.#same(key);
    const fields = { kind: about.kind, name: about.name, reason };
    const allowance = this.#allowanceOf(about);
    if (known === undefined && !allowance.fresh.tryTake()) {
      env.log.debug('an event was dropped: too much is said about this object', fields);
      return;
    }
    const saying = known ?? this.#remember(key, { about, type, reason, message });
    // Runbooks read logs: what is said for the first time stands there too.
    if (known === undefined) {
      const line = `Event(${about.kind}/${about.name}): type: '${type}' reason: '${reason}' ${message}`;
      if (type === 'Warning') env.log.warn(line);
      else env.log.info(line);
    }
    saying.count += 1;
    saying.lastMs = env.clock.now();
    // What waits anyway is written with its new count.
    if (this.#waiting.has(saying) || (known !== undefined && !allowance.again.tryTake())) return;
    if (this.#waiting.size >= MAX_WAITING) {
      env.log.debug('an event was dropped: too many wait to be written', fields);
      return;
    }
    this.#waiting.add(saying);
    // Settles by itself; what it cannot write it logs.
    this.#writing ??= this.#write();
  }

  #same(key: string): ConditionUpdate | undefined {
    const known = this.#said.get(key);
    if (known === undefined) return undefined;
    return this.#options.env.clock.now() - known.lastMs <= this.#settings.sameMs ? known : undefined;
  }

  #remember(key: string, what: What): ConditionUpdate {
    const { env, namespace = EVENT_NAMESPACE } = this.#options;
    const unique = env.random.uuid().replaceAll('-', '').slice(0, 16);
    const now = env.clock.now();
    const saying: ConditionUpdate = {
      ...what,
      name: `${what.about.name.slice(0, MAX_NAME_CHARS)}.${unique}`,
      namespace: what.about.namespace ?? namespace,
      ...{ firstMs: now, lastMs: now, count: 0, isWritten: false },
    };
    this.#said.set(key, saying);
    return saying;
  }

  #allowanceOf(about: EventSubject): Allowance {
    const { clock } = this.#options.env;
    const key = subjectKey(about);
    const { perSubject, againPerSubject } = this.#settings;
    const known = this.#allowances.get(key);
    if (known !== undefined) return known;
    const made = {
      fresh: new TokenBucket(perSubject, clock),
      again: new TokenBucket(againPerSubject, clock),
    };
    this.#allowances.set(key, made);
    return made;
  }

  /** One after the other, until nothing waits. */
  async #write(): Promise<void> {
    // What is said in one go is written once, with its count.
    await Promise.resolve();
    try {
      for (const saying of this.#waiting) {
        this.#waiting.delete(saying);
        await this.#writeOne(saying);
      }
    } finally {
      // In the same turn in which nothing was left, so that nothing can be said in between and stay unwritten.
      this.#writing = undefined;
    }
  }

  async #writeOne(saying: ConditionUpdate): Promise<void> {
    const { env } = this.#options;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      try {
        await this.#send(saying);
        return;
      } catch (error) {
        if (error instanceof Bug) throw error;
        const isFinal = error instanceof KubeError && error.kind === 'stalled';
        if (isFinal || attempt === MAX_ATTEMPTS) {
          env.log.warn('an event could not be written', { reason: saying.reason, error: errorText(error) });
          return;
        }
      }
      const delayMs = delayAfter(RETRY, attempt - 1, env.random);
      if (!(await waited(env.clock, { delayMs, signal: env.signal }))) return;
    }
  }

  async #send(saying: ConditionUpdate): Promise<void> {
    const { kube } = this.#options;
    const { name, namespace, count, lastMs } = saying;
    if (saying.isWritten) {
      const body = { count, lastTimestamp: formatTimestamp(lastMs) };
      try {
        await kube.patch(event, { name, namespace }, { type: 'merge', body });
        return;
      } catch (error) {
        // Events go by themselves after an hour, and by people's hands.
        if (!isNotFound(error, name)) throw error;
      }
    }
    await kube.create(event, this.#eventOf(saying));
    saying.isWritten = true;
  }

  #eventOf({
    name,
    namespace,
    about,
    type,
    reason,
    message,
    count,
    firstMs,
    lastMs,
  }: ConditionUpdate): Event {
    const { component } = this.#options;
    return {
      ...{ apiVersion: 'v1', kind: 'Event', metadata: { name, namespace } },
      // The server wants an event to lie where its object does. What lies nowhere may have it in `default`, and only there
      // does `kubectl describe` find it.
      involvedObject: namespace === DEFAULT_NAMESPACE ? about : { ...about, namespace },
      ...{ type, reason, message, count },
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
