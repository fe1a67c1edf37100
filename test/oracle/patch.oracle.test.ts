/**
 * Compares our patches with the libraries of kube-apiserver.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/base/json.ts';
import {
  applyJsonPatch,
  applyMergePatch,
  applyStrategicMergePatch,
  decodeFields,
  encodeFields,
  type Patched,
} from '../../src/embedded/patch/index.ts';
import { readJson } from './corpus.ts';
import { anyFields, jsonPatchQuestion, mergePatchQuestion } from './patch-arbitraries.ts';
import { isAmong, ourAnswer, theirAnswer } from './patch-judgement.ts';
import {
  askForSchema,
  askToJsonPatch,
  askToMergePatch,
  askToPatchStrategically,
  askToRewriteFields,
  type KindOfObject,
  type PatchAnswers,
  type PatchQuestion,
} from './patch-questions.ts';
import { typedObject } from './typed-arbitraries.ts';
import { withOracle } from './with-oracle.ts';

type Group = { readonly document: Json; readonly patches: { readonly [name: string]: unknown } };
type KindGroup = Group & KindOfObject;
type Case = PatchQuestion & { readonly name: string };

/** Nondeterminism shows in repeated requests. */
const TIMES_TO_ASK_AGAIN = 200;

function casesOf({ document, patches }: Group): readonly Case[] {
  return Object.entries(patches).map(([name, patch]) => ({ name, document, patch }));
}

/** Checks that both results are the same; a failure shows both. */
async function compare(
  question: PatchQuestion,
  answer: (question: PatchQuestion) => Patched<unknown>,
  ask: (question: PatchQuestion) => Promise<PatchAnswers>,
): Promise<void> {
  const ours = ourAnswer(answer(question));
  if (isAmong(ours, await ask(question))) return;
  const theirs = await ask({ ...question, times: TIMES_TO_ASK_AGAIN });
  if (!isAmong(ours, theirs)) expect(ours).toBe(theirAnswer(theirs[0] ?? { ok: false }));
}

await withOracle('patch', (oracle) => {
  describe('a JSON patch', () => {
    const check = (question: PatchQuestion) =>
      compare(
        question,
        ({ document, patch }) => applyJsonPatch(document, patch),
        (asked) => askToJsonPatch(oracle, asked),
      );

    it.each((readJson('json-patches.json') as Group[]).flatMap(casesOf))('$name', check);

    it('of more than 10,000 operations is too large', async () => {
      const operation = { op: 'test', path: '/a', value: 1 };
      await check({ document: { a: 1 }, patch: Array(10_000).fill(operation) });
      await check({ document: { a: 1 }, patch: Array(10_001).fill(operation) });
    });

    it('copies no more than 3 MiB', async () => {
      const text = 'x'.repeat(100_000);
      const patch = (times: number) => Array(times).fill({ op: 'copy', from: '/a', path: '/b' });
      await check({ document: { a: { text } }, patch: patch(31) });
      await check({ document: { a: { text } }, patch: patch(32) });
      await check({ document: { a: { text: '<'.repeat(100_000) } }, patch: patch(6) });
    });

    it('of any kind is applied alike', async () => {
      await fc.assert(fc.asyncProperty(jsonPatchQuestion, check), { numRuns: 2000 });
    });
  });

  describe('a merge patch', () => {
    const check = (question: PatchQuestion) =>
      compare(
        question,
        ({ document, patch }) => applyMergePatch(document, patch),
        (asked) => askToMergePatch(oracle, asked),
      );

    it.each((readJson('merge-patches.json') as Group[]).flatMap(casesOf))('that $name', check);

    it('of any kind is applied alike', async () => {
      await fc.assert(fc.asyncProperty(mergePatchQuestion, check), { numRuns: 2000 });
    });
  });

  describe('a strategic merge patch', () => {
    const compareOf = async (kind: KindOfObject) => {
      const schema = await askForSchema(oracle, kind);
      const check = (question: PatchQuestion) =>
        compare(
          question,
          ({ document, patch }) => applyStrategicMergePatch(schema, document, patch),
          (asked) => askToPatchStrategically(oracle, { ...asked, ...kind }),
        );
      return { schema, check };
    };

    const groups = readJson('strategic-patches.json') as KindGroup[];
    it.each(groups.flatMap((group) => casesOf(group).map((one) => ({ ...one, kind: group.kind, group }))))(
      'of a $kind that $name',
      async ({ group, document, patch }) => {
        const { check } = await compareOf({ apiVersion: group.apiVersion, kind: group.kind });
        await check({ document, patch });
      },
    );

    it.each([
      { apiVersion: 'v1', kind: 'Node' },
      { apiVersion: 'v1', kind: 'Pod' },
      { apiVersion: 'v1', kind: 'Service' },
      { apiVersion: 'v1', kind: 'ServiceAccount' },
      { apiVersion: 'v1', kind: 'ConfigMap' },
      { apiVersion: 'apps/v1', kind: 'Deployment' },
    ])('of any $kind is applied alike', async (kind) => {
      const { schema, check } = await compareOf(kind);
      const document = typedObject(schema, { isPatch: false });
      const patch = typedObject(schema, { isPatch: true });
      await fc.assert(fc.asyncProperty(fc.record({ document, patch }), check), { numRuns: 1000 });
    });
  });

  describe('a set of fields', () => {
    it('is decoded and encoded alike, in the same order', async () => {
      await fc.assert(
        fc.asyncProperty(anyFields, async (fields) => {
          const set = decodeFields(fields);
          const { text } = await askToRewriteFields(oracle, fields);
          expect('failure' in set ? set.failure : JSON.stringify(encodeFields(set))).toBe(text);
        }),
        { numRuns: 2000 },
      );
    });

    it.each([
      { x: {} },
      { '': {} },
      { f: {} },
      { 'f:a': 5 },
      { 'f:a': [] },
      { 'v:': {} },
      { 'v:{': {} },
      { 'k:5': {} },
      { 'i:x': {} },
      { 'i:1.5': {} },
      5,
      [],
    ])('is refused alike: %j', async (fields) => {
      expect(decodeFields(fields)).toHaveProperty('failure');
      expect(await askToRewriteFields(oracle, fields)).toHaveProperty('error');
    });
  });
});
