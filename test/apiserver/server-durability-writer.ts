/** Clients that write until the server is killed, several of them to the same objects. */
import type { Answer } from '../contract/http-client.ts';
import type { Loose } from '../contract/loose.ts';
import type { Credentials } from '../kubernetes/kubeconfig.ts';
import type { Ledger } from './server-durability-ledger.ts';
import type { Dice } from './server-durability-random.ts';
import {
  CONFIG_MAPS,
  createMap,
  deleteMap,
  patchMap,
  patchPoolStatus,
  pathOf,
  updateMap,
  type WriteRequest,
} from './server-durability-request.ts';
import type { Life } from './server-durability-run.ts';

export const MAP_NAMES = ['map-1', 'map-2', 'map-3', 'map-4', 'map-5', 'map-6', 'map-7', 'map-8'] as const;
export const POOL_NAMES = ['pool-1', 'pool-2'] as const;
const MAP_WRITERS = 8;
const POOL_WRITERS = 4;

export type Writing = {
  readonly life: Life;
  readonly ledger: Ledger;
  readonly dice: Dice;
  /** Those who write, in turn. */
  readonly users: readonly [Credentials, ...Credentials[]];
  /** The ConfigMaps as clients believe them to be, which may be out of date. */
  readonly known: Map<string, Loose>;
};

/** Resolves when the first write has been answered: until then clients only shake hands. */
export async function startWriting(writing: Writing): Promise<void> {
  const { life, dice, users } = writing;
  const firsts: Promise<void>[] = [];
  const start = (client: string, index: number, next: (id: string, own: Dice) => WriteRequest) => {
    const own = dice.for(client);
    const user = users[index % users.length] ?? users[0];
    const write = (turn: number) => perform(writing, next(`${life.number}.${client}.${turn}`, own), user);
    const first = write(0);
    firsts.push(first);
    life.run(async () => {
      await first;
      for (let turn = 1; !life.isOver; turn++) await write(turn);
    });
  };
  for (let index = 0; index < MAP_WRITERS; index++) {
    start(`map-writer-${index}`, index, (id, own) => nextMapRequest(writing, id, own));
  }
  for (let index = 0; index < POOL_WRITERS; index++) {
    start(`pool-writer-${index}`, index, (id, own) => {
      return patchPoolStatus({ id, name: own.pick(POOL_NAMES) }, own);
    });
  }
  await Promise.race(firsts);
}

/** Mostly a valid request, sometimes one that will be rejected. */
function nextMapRequest({ known }: Writing, id: string, dice: Dice): WriteRequest {
  const target = { id, name: dice.pick(MAP_NAMES) };
  const object = known.get(target.name);
  const isSensible = dice.between(0, 10) > 0;
  const isThere = (object !== undefined) === isSensible;
  if (!isThere) return createMap(target, dice);
  const make = dice.pick([updateMap, updateMap, patchMap, patchMap, deleteMap]);
  return make(target, dice, object);
}

const DONE: ReadonlySet<number> = new Set([200, 201]);
const REFUSED: { readonly [verb in WriteRequest['verb']]: readonly number[] } = {
  create: [409],
  update: [404, 409],
  patch: [404],
  delete: [404, 409],
};

/** Sends it once and records the result. */
export async function perform(
  { life, ledger, known }: Pick<Writing, 'life' | 'ledger' | 'known'>,
  request: WriteRequest,
  user?: Credentials,
): Promise<void> {
  const as = user === undefined ? {} : { user };
  const ask = (...[method, path, options]: Parameters<Life['client']['request']>) =>
    life.unlessOver(life.client.request(method, path, { ...options, ...as }));
  const write = ledger.begin(request, life.number);
  const answer = await ask(request.method, request.path, request.options);
  if (answer === undefined) return;
  if (DONE.has(answer.status)) ledger.acknowledge(write, answer.json);
  else if (REFUSED[request.verb].includes(answer.status)) ledger.refuse(write);
  else throw new Error(`${request.method} ${request.path}: ${answer.status} ${answer.body}`);
  if (request.collection !== CONFIG_MAPS) return;
  // After a conflict the client reads the object, as any client does.
  const seen = answer.status === 409 ? await ask('GET', pathOf(CONFIG_MAPS, request.name)) : answer;
  if (seen !== undefined) learn({ ledger, known }, request, seen);
}

function learn(
  { ledger, known }: Pick<Writing, 'ledger' | 'known'>,
  request: WriteRequest,
  seen: Answer,
): void {
  if (seen.json.kind === CONFIG_MAP) {
    ledger.hear('put', seen.json);
    known.set(request.name, seen.json);
  } else known.delete(request.name);
}

/** What an answer calls itself; its type promises nothing. */
const CONFIG_MAP: unknown = 'ConfigMap';
