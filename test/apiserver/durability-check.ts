/** Checks the store of a killed process against what that process reported. */
import { expect } from 'vitest';
import type { Store, StoreEvent } from '../../src/embedded/apiserver/index.ts';
import { openStore } from '../../src/embedded/apiserver/store/store-node.ts';
import { decodeNote, LOG_LIMITS } from './durability-note.ts';

/** What is known of a store between two lives. */
export type Known = {
  readonly revision: number;
  readonly state: ReadonlyMap<string, { readonly revision: number; readonly value: Buffer }>;
};

export const NOTHING: Known = { revision: 0, state: new Map() };

export type Found = { readonly known: Known; readonly acknowledged: number; readonly committed: number };

/** `known` is how the store was when the process began. */
export async function inspect(of: { folder: string; output: string; known: Known }): Promise<Found> {
  const opened = /^open (\d+)\n/m.exec(of.output)?.[1];
  if (opened !== undefined) expect(Number(opened)).toBe(of.known.revision);
  const store = openStore({ folder: of.folder, limits: LOG_LIMITS });
  const transactions = checkLog(store, of.known);
  const acknowledged = [...of.output.matchAll(/^ack (\S+) (\d+)\n/gm)];
  for (const [, id = '', revision] of acknowledged) {
    expect(transactions.get(id), `transaction ${id}`).toBe(Number(revision));
  }
  for (const [, id = ''] of of.output.matchAll(/^failed (\S+) /gm)) {
    expect(transactions.has(id), `transaction ${id}, which failed`).toBe(false);
  }
  const known = checkState(store, of.known);
  await store.close();
  return { known, acknowledged: acknowledged.length, committed: transactions.size };
}

/** Every transaction since is whole. Gives the last revision of each. */
function checkLog(store: Store, { revision: from }: Known): ReadonlyMap<string, number> {
  const events = eventsSince(store, from);
  expect(events.map(({ revision }) => revision)).toEqual(events.map((_, index) => from + 1 + index));
  expect(store.revision()).toBe(from + events.length);
  const transactions = new Map<string, number>();
  for (let index = 0; index < events.length; ) {
    const first = events[index];
    if (first?.kind !== 'put' || !first.key.endsWith('/note'))
      throw new Error(`half a transaction at ${index}`);
    const note = decodeNote(first.value);
    const parts = events.slice(index + 1, index + 1 + note.writes.length);
    expect(parts.map(({ kind, key }) => ({ kind, key }))).toEqual(note.writes);
    for (const part of parts) {
      if (part.kind === 'put') expect(new TextDecoder().decode(part.value).trimEnd()).toBe(note.id);
    }
    index += 1 + parts.length;
    transactions.set(note.id, from + index);
  }
  return transactions;
}

/** The log leads from the state before to the state now, and back. */
function checkState(store: Store, before: Known): Known {
  const state = new Map(before.state);
  for (const event of eventsSince(store, before.revision)) {
    const { key, revision, previous } = event;
    const expected = state.get(key);
    expect(previous?.revision).toBe(expected?.revision);
    expect(Buffer.compare(previous?.value ?? Buffer.alloc(0), expected?.value ?? Buffer.alloc(0))).toBe(0);
    if (event.kind === 'put') state.set(key, { revision, value: Buffer.from(event.value) });
    else state.delete(key);
  }
  expectRange(store, state, store.revision());
  expectRange(store, before.state, before.revision);
  return { revision: store.revision(), state };
}

function expectRange(store: Store, state: Known['state'], revision: number): void {
  const page = store.range({ prefix: '', revision });
  if (page.kind !== 'page') throw new Error(page.kind);
  expect(page.entries.map(({ key }) => key)).toEqual([...state.keys()].sort());
  for (const { key, revision: at, value } of page.entries) {
    const expected = state.get(key);
    expect({ key, at }).toEqual({ key, at: expected?.revision });
    expect(Buffer.compare(value, expected?.value ?? Buffer.alloc(0)), key).toBe(0);
  }
}

function eventsSince(store: Store, from: number): readonly StoreEvent[] {
  const events: StoreEvent[] = [];
  const answer = store.subscribe({ prefix: '', from }, (event) => events.push(event));
  if (answer.kind !== 'subscribed') throw new Error(answer.kind);
  answer.subscription.cancel();
  return events;
}
