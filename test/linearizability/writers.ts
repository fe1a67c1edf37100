/**
 * Many who write the same few objects, each in its own way. Objects `counter-*` are made before and are counted up; objects
 * `name-*` are made and removed by all at once.
 */
import type { Answer, Call, Shown } from './object-model.ts';
import type { Recorder } from './recorder.ts';

export const COUNTERS = ['counter-0', 'counter-1', 'counter-2', 'counter-3'];
export const NAMES = ['name-0', 'name-1'];

export type Writer = (recorder: Recorder, rounds: number, number: number) => Promise<void>;

/** A hundred of them share five ways; undefined ends a writer, as the crash of the server does. */
export async function runWriters(recorder: Recorder, count: number, rounds: number): Promise<void> {
  const ways: readonly Writer[] = [
    writeOptimistically,
    exchangeValues,
    applyOwnField,
    createAndDelete,
    deleteWithOldEyes,
  ];
  await Promise.all(
    Array.from({ length: count }, (_, number) => ways[number % ways.length]?.(recorder, rounds, number)),
  );
}

/** Reads, adds one, writes with the version it has read; begins again when someone was quicker. */
const writeOptimistically: Writer = async (recorder, rounds, number) => {
  for (let round = 0; round < rounds; ) {
    const name = pick(COUNTERS, number + round);
    const before = (await patiently(recorder, name, { kind: 'get' }))?.shown;
    if (before === undefined) return;
    const call: Call = { kind: 'update', version: before.version, data: counted(before) };
    const after = await patiently(recorder, name, call);
    if (after === undefined) return;
    if (after.status === 200) round++;
  }
};

/** The same without the version: the patch tests what it has read. */
const exchangeValues: Writer = async (recorder, rounds, number) => {
  for (let round = 0; round < rounds; ) {
    const name = pick(COUNTERS, number + round);
    const before = (await patiently(recorder, name, { kind: 'get' }))?.shown;
    if (before === undefined) return;
    const [from, to] = [String(before.data.n), String(counted(before).n)];
    const after = await patiently(recorder, name, { kind: 'exchange', field: 'n', from, to });
    if (after === undefined) return;
    if (after.status === 200) round++;
  }
};

/** Each is a manager of its own, and has a field of its own. */
const applyOwnField: Writer = async (recorder, rounds, number) => {
  for (let round = 0; round < rounds; round++) {
    const name = pick(COUNTERS, number + round);
    // Never the same value twice: a write that changes nothing has no version.
    const call: Call = { kind: 'apply', field: `f${number}`, value: `${number}-${serial++}` };
    if ((await patiently(recorder, name, call)) === undefined) return;
  }
};

let serial = 0;

/** All want the same name; who gets it removes just what it has made. */
const createAndDelete: Writer = async (recorder, rounds, number) => {
  for (let round = 0; round < rounds; round++) {
    const name = pick(NAMES, number + round);
    const made = await patiently(recorder, name, { kind: 'create', data: { n: `${number}-${serial++}` } });
    if (made === undefined) return;
    const { shown } = made;
    if (shown === undefined) continue;
    const gone = await patiently(recorder, name, { kind: 'delete', uid: shown.uid, version: shown.version });
    if (gone === undefined) return;
  }
};

/** Removes what it has seen, which often is not there any more. */
const deleteWithOldEyes: Writer = async (recorder, rounds, number) => {
  for (let round = 0; round < rounds; round++) {
    const name = pick(NAMES, number + round);
    const seen = await patiently(recorder, name, { kind: 'get' });
    if (seen === undefined) return;
    if (seen.shown === undefined) continue;
    const gone = await patiently(recorder, name, { kind: 'delete', uid: seen.shown.uid });
    if (gone === undefined) return;
  }
};

/** A busy server answers 429; that is no crash. */
async function patiently(recorder: Recorder, name: string, call: Call): Promise<Answer | undefined> {
  for (;;) {
    const answer = await recorder.ask(name, call);
    if (answer?.status !== 429) return answer;
    await new Promise((resolve) => setTimeout(resolve, BUSY_WAIT_MS));
  }
}

const BUSY_WAIT_MS = 50;

function counted({ data }: Shown): Shown['data'] {
  return { ...data, n: String(Number(data.n) + 1) };
}

function pick(names: readonly string[], number: number): string {
  return names[number % names.length] ?? '';
}
