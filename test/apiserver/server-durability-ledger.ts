/**
 * What clients asked for and what they were told, over all lives of the server.
 *
 *     begin ──> acknowledge    it must be there, exactly so
 *           ──> refuse         it must never be there
 *           ──> (the kill)     it may be there, wholly, or not
 */
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../src/base/json.ts';
import { type Loose, textOf, versionOf } from '../contract/loose.ts';
import type { Collection, Wish } from './server-durability-request.ts';

export type Write = Wish & {
  readonly life: number;
  /** The highest version that anyone had been told of when this was sent. */
  readonly floor: number;
  state: 'open' | 'acknowledged' | 'refused';
  /** With which it was acknowledged: the object, or what a deletion says. */
  answer: Loose | undefined;
};

export class Ledger {
  /** The highest version that anyone was told of. */
  highest = 0;
  readonly counts = { acknowledged: 0, refused: 0, unanswered: 0, unansweredButThere: 0 };
  readonly #writes = new Map<string, Write>();
  /** What each version stands for. */
  readonly #told = new Map<number, string>();

  begin(wish: Wish, life: number): Write {
    const write: Write = { ...wish, life, floor: this.highest, state: 'open', answer: undefined };
    this.#writes.set(wish.id, write);
    return write;
  }

  acknowledge(write: Write, answer: Loose): void {
    write.state = 'acknowledged';
    write.answer = answer;
    this.counts.acknowledged++;
    if (write.verb === 'delete') return;
    const version = Number(versionOf(answer));
    // Whatever anyone knew of before this was sent is older, in this life or in one before.
    if (version <= write.floor) throw new Error(`${write.id} got ${version} when ${write.floor} was known`);
    this.hear('put', answer);
  }

  refuse(write: Write): void {
    write.state = 'refused';
    this.counts.refused++;
  }

  /** Somebody was shown an object: its version never stands for anything else. Gives a digest of it. */
  hear(what: 'put' | 'gone', object: Loose): string {
    const version = Number(versionOf(object));
    const digest = createHash('sha256')
      .update(`${what} ${canonicalJson(object)}`)
      .digest('base64');
    const before = this.#told.get(version) ?? digest;
    if (before !== digest) {
      throw new Error(`version ${version} once was something else than ${what} ${canonicalJson(object)}`);
    }
    this.#told.set(version, digest);
    this.hearVersion(version);
    return digest;
  }

  hearVersion(version: number): void {
    this.highest = Math.max(this.highest, version);
  }

  /** The write behind an object, once. */
  take(collection: Collection, object: Loose): Write | undefined {
    const id = collection.idOf(object);
    const write = typeof id === 'string' ? this.#writes.get(id) : undefined;
    const isIt = write?.collection === collection && write.name === textOf(object.metadata?.name);
    return isIt ? this.#take(write) : undefined;
  }

  /** The write behind the end of an object, once: the one that was told so, else one that was never answered. */
  takeDeletion(collection: Collection, object: Loose, fromLife: number): Write | undefined {
    const uid = textOf(object.metadata?.uid);
    const deletions = [...this.#writes.values()].filter(
      ({ verb, name, demands, ...write }) =>
        verb === 'delete' &&
        write.collection === collection &&
        name === textOf(object.metadata?.name) &&
        (demands.uid ?? uid) === uid,
    );
    const write =
      deletions.find(({ answer }) => answer !== undefined && textOf(answer.details?.uid) === uid) ??
      deletions.find(({ state, life }) => state === 'open' && life >= fromLife);
    return write === undefined ? undefined : this.#take(write);
  }

  /** All the others of a collection; whoever of them appears later comes from nowhere. */
  takeRest(collection: Collection): readonly Write[] {
    const rest = [...this.#writes.values()].filter((write) => write.collection === collection);
    for (const { id, state } of rest) {
      this.#writes.delete(id);
      if (state === 'open') this.counts.unanswered++;
    }
    return rest;
  }

  #take(write: Write): Write {
    this.#writes.delete(write.id);
    if (write.state === 'open') {
      this.counts.unanswered++;
      this.counts.unansweredButThere++;
    }
    return write;
  }
}
