/**
 * Subscriptions by key prefix. Events look up the prefixes of their key, so thousands of watches of single objects
 * cost nothing when another object changes.
 */
import type { Listener, Revision, StoreEvent, Subscription } from './store.ts';

type Subscriber = {
  /** Events up to here were delivered from the log; `publish` continues from there. */
  readonly seen: Revision;
  readonly listener: Listener;
};

export class Subscriptions {
  readonly #byPrefix = new Map<string, Set<Subscriber>>();
  /** Lengths of the prefixes above, with their number. */
  readonly #lengths = new Map<number, number>();
  #published: Revision;

  constructor(published: Revision) {
    this.#published = published;
  }

  /** Delivers events after `seen`. */
  add(prefix: string, subscriber: Subscriber): Subscription {
    const subscribers = this.#byPrefix.get(prefix) ?? this.#open(prefix);
    subscribers.add(subscriber);
    return {
      progress: () => Math.max(subscriber.seen, this.#published),
      cancel: () => {
        if (subscribers.delete(subscriber) && subscribers.size === 0) this.#close(prefix);
      },
    };
  }

  publish(events: readonly StoreEvent[]): void {
    const mistakes: unknown[] = [];
    for (const event of events) {
      for (const listener of this.#listenersOf(event)) {
        try {
          listener(event);
        } catch (error) {
          // The other subscribers must still get the event.
          mistakes.push(error);
        }
      }
      this.#published = event.revision;
    }
    if (mistakes.length > 0) throw mistakes[0];
  }

  /** Listeners may add and cancel subscriptions during this; a new one has seen this event in the log. */
  *#listenersOf({ key, revision }: StoreEvent): Generator<Listener> {
    for (const length of this.#lengths.keys()) {
      if (length > key.length) continue;
      for (const { seen, listener } of this.#byPrefix.get(key.slice(0, length)) ?? []) {
        if (revision > seen) yield listener;
      }
    }
  }

  #open(prefix: string): Set<Subscriber> {
    const subscribers = new Set<Subscriber>();
    this.#byPrefix.set(prefix, subscribers);
    this.#lengths.set(prefix.length, (this.#lengths.get(prefix.length) ?? 0) + 1);
    return subscribers;
  }

  #close(prefix: string): void {
    this.#byPrefix.delete(prefix);
    const others = (this.#lengths.get(prefix.length) ?? 0) - 1;
    if (others > 0) this.#lengths.set(prefix.length, others);
    else this.#lengths.delete(prefix.length);
  }
}
