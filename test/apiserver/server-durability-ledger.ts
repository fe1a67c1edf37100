/**
 * The writes of the clients and their responses, over all runs of the server.
 *
 *     begin ──> acknowledge    must exist, exactly as acknowledged
 *           ──> refuse         must never exist
 *           ──> (the kill)     may exist completely, or not at all
 */
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../src/base/json.ts';
import { type Loose, textOf, versionOf } from '../contract/loose.ts';
import type { Collection, WriteRequest } from './server-durability-request.ts';

export type Write = WriteRequest & {
  readonly life: number;
  /** The highest version that any client knew when this was sent. */
  readonly floor: number;
  state: 'open' | 'acknowledged' | 'refused';
  /** The response: the object, or the Status of a deletion. */
  answer: Loose | undefined;
};

export class Ledger {
  /** The highest version that any client knows. */
  highest = 0;
  readonly counts = { acknowledged: 0, refused: 0, unanswered: 0, unansweredButThere: 0 };
  readonly #writes = new Map<string, Write>();
  /** A digest of the object at each version. */
  readonly #digests = new Map<number, string>();

  begin(request: WriteRequest, life: number): Write {
    const write: Write = { ...request, life, floor: this.highest, state: 'open', answer: undefined };
    this.#writes.set(request.id, write);
    return write;
  }

  acknowledge(write: Write, answer: Loose): void {
    write.state = 'acknowledged';
    write.answer = answer;
    this.counts.acknowledged++;
    if (write.verb === 'delete') return;
    const version = Number(versionOf(answer));
    // All versions known before this was sent are older, in this run and in earlier ones.
    if (version <= write.floor) throw new Error(`${write.id} got ${version} when ${write.floor} was known`);
    this.hear('put', answer);
  }

  refuse(write: Write): void {
    write.state = 'refused';
    this.counts.refused++;
  }

  /** Records an object that a client received: its version must never have other contents. Returns its digest. */
  hear(what: 'put' | 'gone', object: Loose): string {
    const version = Number(versionOf(object));
    const digest = createHash('sha256')
      .update(`${what} ${canonicalJson(object)}`)
      .digest('base64');
    const before = this.#digests.get(version) ?? digest;
    if (before !== digest) {
      throw new Error(`version ${version} had other contents before than ${what} ${canonicalJson(object)}`);
    }
    this.#digests.set(version, digest);
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

  /** The write that deleted an object, once: the acknowledged one, else one without a response. */
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

  /** All remaining writes of a collection; none of them may take effect later. */
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
