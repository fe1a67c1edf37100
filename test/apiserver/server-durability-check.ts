/** Checks a server that was restarted after a kill. */
import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { type Loose, listOf, namesOf, textOf, versionOf } from '../contract/loose.ts';
import type { Credentials } from '../kubernetes/kubeconfig.ts';
import { eventFrom, type WatchEvent, type WatchHistory, watchPath } from './server-durability-history.ts';
import type { Ledger } from './server-durability-ledger.ts';
import type { Dice } from './server-durability-random.ts';
import {
  CONFIG_MAPS,
  MARKER,
  patchMap,
  patchPoolStatus,
  pathOf,
  type WriteRequest,
} from './server-durability-request.ts';
import type { Life } from './server-durability-run.ts';
import { MAP_NAMES, POOL_NAMES, perform } from './server-durability-writer.ts';

export type Check = {
  readonly life: Life;
  readonly ledger: Ledger;
  readonly histories: readonly WatchHistory[];
  readonly dice: Dice;
  readonly kubeconfig: { readonly path: string; readonly text: string };
  /** Tokens that were issued in lives before this one. */
  readonly tokens: readonly Credentials[];
};

/** `expired`: how many of the old watches got 410. */
export type Checked = { readonly events: number; readonly oldWatches: number; readonly expired: number };

export async function checkLife(check: Check): Promise<Checked> {
  const { life, ledger, histories } = check;
  await checkAccess(check);
  const known = ledger.highest;
  for (const { collection } of histories) {
    const { metadata } = await ask(life, collection.path);
    const version = Number(textOf(metadata?.resourceVersion));
    expect(version, 'the version of a list after the kill').toBeGreaterThanOrEqual(known);
    ledger.hearVersion(version);
  }
  for (const history of histories) history.follow(life);
  const checked = { events: 0, oldWatches: 0, expired: 0 };
  for (const history of histories) {
    checked.events += await checkEvents(check, history);
    await checkState(check, history);
    const old = await checkOldVersion(check, history);
    if (old !== 'no versions') checked.oldWatches++;
    if (old === 'expired') checked.expired++;
  }
  return checked;
}

/** The client itself has the certificates of the time before the first kill, so every request of a check is proof. */
async function checkAccess({ life, kubeconfig, tokens }: Check): Promise<void> {
  expect(await readFile(kubeconfig.path, 'utf8')).toBe(kubeconfig.text);
  for (const user of tokens) {
    const { status } = await life.client.request('GET', pathOf(CONFIG_MAPS, MARKER), { user });
    expect(status, 'a token of an earlier life').toBe(200);
  }
}

/**
 * One more write marks the end of the events. The resumed watch, which saw some of them before the kill, and one that
 * begins where the last check ended must return the same events.
 */
async function checkEvents({ life, ledger }: Check, history: WatchHistory): Promise<number> {
  const { collection, judgedVersion } = history;
  await perform({ life, ledger, known: new Map() }, markerRequest(life, history));
  const { highest } = ledger;
  await history.untilHeard(highest, life);
  const events = history.judge();
  const again = await watchFrom(life, watchPath(collection, judgedVersion), { version: highest });
  // The log of the store holds many times what two runs can write, so the version cannot be compacted.
  expect(again).toEqual(events);
  return events.length;
}

const noDice: Dice = { between: (low) => low, pick: ([first]) => first, for: () => noDice };

function markerRequest({ number }: Life, { collection }: WatchHistory): WriteRequest {
  if (collection === CONFIG_MAPS) return patchMap({ id: `${number}.map-marker`, name: MARKER }, noDice);
  return patchPoolStatus({ id: `${number}.pool-marker`, name: POOL_NAMES[0] }, noDice);
}

/** The list and each object by itself are what the events lead to; nothing that was deleted is back. */
async function checkState({ life }: Check, { collection, state }: WatchHistory): Promise<void> {
  const list = await ask(life, collection.path);
  expect(namesOf(list)).toEqual([...state.keys()].sort());
  for (const item of listOf(list.items)) {
    // Items of a list need no kind and apiVersion.
    expect({ ...item, kind: undefined, apiVersion: undefined }).toEqual({
      ...state.get(textOf(item.metadata?.name)),
      kind: undefined,
      apiVersion: undefined,
    });
  }
  for (const name of new Set([...state.keys(), ...(collection === CONFIG_MAPS ? MAP_NAMES : [])])) {
    const { status, json } = await life.client.request('GET', pathOf(collection, name));
    expect({ name, status }).toEqual({ name, status: state.has(name) ? 200 : 404 });
    if (status === 200) expect(json).toEqual(state.get(name));
  }
}

const MAX_OLD_EVENTS = 200;

/** A watch from any version of any run returns the same events as before, or 410. */
async function checkOldVersion(
  { life, ledger, dice }: Check,
  { collection, judged }: WatchHistory,
): Promise<'complete' | 'expired' | 'no versions'> {
  const index = dice.between(0, judged.length);
  const from = judged[index];
  const expected = judged.slice(index + 1, index + 1 + MAX_OLD_EVENTS);
  const last = expected.at(-1);
  if (from === undefined || last === undefined) return 'no versions';
  const events = await watchFrom(life, watchPath(collection, from.version), last);
  if (events === 'expired') return 'expired';
  const heard = events.map(({ type, object }) => ({
    version: Number(versionOf(object)),
    digest: ledger.hear(type === 'DELETED' ? 'gone' : 'put', object),
  }));
  expect(heard).toEqual(expected);
  return 'complete';
}

/** The events up to and with a version. */
export async function watchFrom(
  { client }: Pick<Life, 'client'>,
  path: string,
  { version: last }: { readonly version: number },
): Promise<readonly WatchEvent[] | 'expired'> {
  const watch = await client.watch(path);
  const events: WatchEvent[] = [];
  try {
    for await (const line of watch) {
      if (isExpired(line)) return 'expired';
      const event = eventFrom(line);
      events.push(event);
      if (Number(versionOf(event.object)) >= last) return events;
    }
  } finally {
    watch.close();
  }
  throw new Error(`${path}: the watch ended before ${last}`);
}

function isExpired({ type, object }: Loose): boolean {
  return String(type) === 'ERROR' && String(object?.code) === '410';
}

async function ask({ client }: Life, path: string): Promise<Loose> {
  const { status, body, json } = await client.request('GET', path);
  expect({ path, status }, body).toEqual({ path, status: 200 });
  return json;
}
