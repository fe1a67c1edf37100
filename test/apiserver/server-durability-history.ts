/**
 * The history of a collection from its watch, which resumes after every kill. Every event must come from one
 * requested write, completely, once, and in the order of versions.
 */
import { expect } from 'vitest';
import { eventually } from '../contract/eventually.ts';
import { type Loose, textOf, versionOf } from '../contract/loose.ts';
import type { Ledger, Write } from './server-durability-ledger.ts';
import type { Collection } from './server-durability-request.ts';
import type { Life } from './server-durability-run.ts';

export type WatchEvent = { readonly type: string; readonly object: Loose };
/** A judged event, with a digest for comparison. */
export type JudgedEvent = { readonly version: number; readonly digest: string };

export class WatchHistory {
  readonly collection: Collection;
  readonly #ledger: Ledger;
  /** The objects after all events that were judged. */
  readonly state = new Map<string, Loose>();
  readonly judged: JudgedEvent[] = [];
  /** Up to here events were judged. */
  judgedVersion: number;
  #heardVersion: number;
  #unjudged: WatchEvent[] = [];
  #life = 0;

  constructor(collection: Collection, ledger: Ledger, start: { version: number; objects: readonly Loose[] }) {
    this.collection = collection;
    this.#ledger = ledger;
    this.judgedVersion = start.version;
    this.#heardVersion = start.version;
    for (const object of start.objects) this.state.set(nameOf(object), object);
  }

  /** Watches from the last received event until the kill. */
  follow(life: Life): void {
    life.run(async () => {
      const { client } = life;
      const watch = await life.unlessOver(client.watch(watchPath(this.collection, this.#heardVersion)));
      for (;;) {
        const line = await life.unlessOver(watch?.next() ?? Promise.resolve(undefined));
        if (line !== undefined) this.#hear(eventFrom(line));
        else if (life.isOver) return;
        else throw new Error(`the watch of ${this.collection.path} ended`);
      }
    });
  }

  async untilHeard(version: number, life: Life): Promise<void> {
    await eventually(`version ${version} of ${this.collection.path}`, async () => {
      life.throwFailure();
      return this.#heardVersion >= version ? true : undefined;
    });
  }

  /** Judges all that was heard since the last time, and returns it. */
  judge(): readonly WatchEvent[] {
    const events = this.#unjudged;
    this.#unjudged = [];
    for (const event of events) this.#judge(event);
    const lost = this.#ledger.takeRest(this.collection).filter(({ state }) => state === 'acknowledged');
    expect(lost.map(describe), 'acknowledged writes that are lost').toEqual([]);
    return events;
  }

  #hear({ type, object }: WatchEvent): void {
    const version = Number(versionOf(object));
    if (version <= this.#heardVersion) {
      throw new Error(`version ${version} of ${this.collection.path} follows ${this.#heardVersion}`);
    }
    this.#heardVersion = version;
    this.#unjudged.push({ type, object });
    this.#ledger.hear(type === 'DELETED' ? 'gone' : 'put', object);
  }

  #judge({ type, object }: WatchEvent): void {
    const { collection } = this;
    const version = Number(versionOf(object));
    const name = nameOf(object);
    const before = this.state.get(name);
    const what = `${type} ${name} at ${version} after ${before && versionOf(before)}`;
    const write =
      type === 'DELETED'
        ? this.#ledger.takeDeletion(collection, object, this.#life)
        : this.#ledger.take(collection, object);
    if (write === undefined) throw new Error(`${what}: no write requested ${JSON.stringify(object)}`);
    expect({ what, type }).toEqual({ what, type: typeOf(write) });
    expect(before === undefined, `${what}: nothing was there`).toBe(type === 'ADDED');
    expect(write.state, `${what}: ${describe(write)}`).not.toBe('refused');
    expect(version, `${what}: versions known when ${write.id} was sent`).toBeGreaterThan(write.floor);
    expect(write.life, `${what}: the life of ${write.id}`).toBeGreaterThanOrEqual(this.#life);
    if (write.demands.version !== undefined) {
      expect(before && versionOf(before), `${what}: ${write.id}`).toBe(write.demands.version);
    }
    checkContent({ what, write, before, object, collection });
    this.#life = write.life;
    if (type === 'DELETED') this.state.delete(name);
    else this.state.set(name, object);
    this.judgedVersion = version;
    this.judged.push({ version, digest: this.#ledger.hear(type === 'DELETED' ? 'gone' : 'put', object) });
  }
}

export function watchPath({ path }: Collection, version: number): string {
  return `${path}?watch=true&resourceVersion=${version}`;
}

export function eventFrom({ type, object }: Loose): WatchEvent {
  if (object === undefined || !['ADDED', 'MODIFIED', 'DELETED'].includes(textOf(type))) {
    throw new Error(`unexpected watch event ${String(type)} ${JSON.stringify(object)}`);
  }
  return { type: textOf(type), object };
}

function nameOf({ metadata }: Loose): string {
  return textOf(metadata?.name);
}

function typeOf({ verb }: Write): string {
  if (verb === 'create') return 'ADDED';
  return verb === 'delete' ? 'DELETED' : 'MODIFIED';
}

function describe({ id, verb, name, state, answer }: Write): string {
  return `${id} ${verb} ${name} ${state} ${JSON.stringify(answer)}`;
}

type Judged = {
  readonly what: string;
  readonly write: Write;
  readonly before: Loose | undefined;
  readonly object: Loose;
  readonly collection: Collection;
};

function checkContent({ what, write, before, object, collection }: Judged): void {
  const expected = write.after(before === undefined ? {} : collection.contentOf(before));
  expect(collection.contentOf(object), `${what}: what ${write.id} makes of it`).toEqual(expected);
  if (before !== undefined) {
    const { uid, creationTimestamp } = before.metadata ?? {};
    expect(object.metadata, what).toMatchObject({ uid, creationTimestamp });
  }
  // The last state of an object that is gone is the one it had, but for the version.
  if (write.verb === 'delete') {
    const metadata = { ...before?.metadata, resourceVersion: object.metadata?.resourceVersion };
    expect(object, what).toEqual({ ...before, metadata });
  } else if (write.answer !== undefined) expect(object, `${what}: as acknowledged`).toEqual(write.answer);
}
