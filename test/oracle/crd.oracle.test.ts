/**
 * Compares our CRDs and our validation with those of kube-apiserver.
 */
import { describe, expect, it } from 'vitest';
import { kinds } from '../../src/api/index.ts';
import { apiVersionOf, type CustomResourceDefinition, crdOf } from '../../src/kubernetes/meta/index.ts';
import { objectSamples, readJson } from './corpus.ts';
import { type CaseKind, objectCases } from './object-cases.ts';
import { disagreements } from './object-judgement.ts';
import { askAboutCrd, askAboutObject } from './questions.ts';
import { withOracle } from './with-oracle.ts';

/** A third-party CRD with all features of a schema. */
const gadget = readJson('gadget-crd.json') as CustomResourceDefinition;

/** The kinds that have samples, by apiVersion and kind. */
function caseKind(name: string): CaseKind & { readonly crd: CustomResourceDefinition } {
  if (name === 'Gadget') {
    const schema = gadget.spec.versions[0]?.schema.openAPIV3Schema ?? {};
    return { crd: gadget, apiVersion: 'example.com/v1', namespace: 'default', schema };
  }
  const kind = kinds.find((one) => one.kind === name);
  if (kind === undefined) throw new Error(`there is no kind ${name}`);
  return {
    crd: crdOf(kind),
    apiVersion: apiVersionOf(kind),
    schema: kind.schema,
    ...(kind.scope === 'Namespaced' && { namespace: 'default' }),
  };
}

type Difference = { readonly kind: string; readonly why: string; readonly cases: readonly string[] };

/** Deliberate differences, with the reason. */
function knownDifferences(kind: string, name: string): ReadonlySet<string> {
  const differences = readJson('object-differences.json') as readonly Difference[];
  const ofThis = differences.filter((one) => one.kind === `${kind} ${name}`);
  return new Set(ofThis.flatMap(({ cases }) => cases));
}

/** A case without the word whether it is an update. */
function plain(name: string): string {
  return name.replace(/, (updated|unchanged)$/, '');
}

const samples = [...objectSamples('objects'), ...objectSamples('gadgets')];

await withOracle('crd', (oracle) => {
  describe('the oracle itself', () => {
    it('accepts a valid definition and reports the errors of another', async () => {
      expect(await askAboutCrd(oracle, gadget)).toEqual({ ok: true, errors: [], unknownFields: [] });
      const misnamed = { ...gadget, metadata: { name: 'things.example.com' }, surprise: 1 };
      expect(await askAboutCrd(oracle, misnamed)).toMatchObject({
        ok: false,
        errors: [{ field: 'metadata.name', reason: 'FieldValueInvalid' }],
        unknownFields: ['unknown field "surprise"'],
      });
    });

    it('prunes, defaults, and validates structure, lists and rules', async () => {
      await askAboutCrd(oracle, gadget);
      const metadata = { name: 'a', namespace: 'b' };
      const ask = (spec: unknown) => {
        const object = { apiVersion: 'example.com/v1', kind: 'Gadget', metadata, spec };
        return askAboutObject(oracle, { kind: 'Gadget', object });
      };
      expect(await ask({ defaults: { surprise: 1 } })).toMatchObject({
        ok: true,
        object: { spec: { defaults: { text: 'hello', object: { a: 'inner' } } } },
        unknownFields: ['spec.defaults.surprise'],
      });
      expect(await ask({ texts: { short: 'a' } })).toMatchObject({ errors: [{ field: 'spec.texts.short' }] });
      expect(await ask({ lists: { set: ['a', 'a'] } })).toMatchObject({
        errors: [{ field: 'spec.lists.set[1]', message: 'Duplicate value: "a"' }],
      });
      expect(await ask({ rules: { strings: 'A' } })).toMatchObject({
        errors: [{ field: 'spec.rules.strings', message: 'Invalid value: "string": lower case' }],
      });
    });

    it('validates the status subresource', async () => {
      const { crd, apiVersion } = caseKind('MachineConfigPool');
      await askAboutCrd(oracle, crd);
      const metadata = { name: 'worker', resourceVersion: '1' };
      const old = { apiVersion, kind: 'MachineConfigPool', metadata, spec: {} };
      const object = { ...old, spec: { paused: true }, status: { machineCount: 'many' } };
      const question = { kind: 'MachineConfigPool', object, old };
      expect(await askAboutObject(oracle, question)).toMatchObject({
        ok: true,
        object: { spec: { paused: true } },
      });
      expect(await askAboutObject(oracle, { ...question, endpoint: 'status' })).toMatchObject({
        object: { spec: {}, status: { machineCount: 'many' } },
        errors: [
          { field: 'status.machineCount' },
          { message: expect.stringContaining('rules were not checked') },
        ],
      });
    });
  });

  describe('definitions', () => {
    it.each(kinds.map((kind) => ({ kind, name: kind.kind })))('$name is accepted', async ({ kind }) => {
      expect(await askAboutCrd(oracle, crdOf(kind))).toEqual({ ok: true, errors: [], unknownFields: [] });
    });
  });

  describe('objects', () => {
    it('has samples of every kind', () => {
      const sampled = new Set(samples.map(({ kind }) => kind));
      expect(kinds.map(({ kind }) => kind).filter((kind) => !sampled.has(kind))).toEqual([]);
    });

    it.each(samples)('$kind $name and its variations have the same errors', async (sample) => {
      const { crd, ...kind } = caseKind(sample.kind);
      await askAboutCrd(oracle, crd);
      const differing = await disagreements(oracle, kind.schema, objectCases(sample, kind));
      const known = knownDifferences(sample.kind, sample.name);
      expect(differing.filter(({ name }) => !known.has(plain(name)))).toEqual([]);
      // A difference that no longer exists must be removed from the list.
      const stillDiffering = new Set(differing.map(({ name }) => plain(name)));
      expect([...known].filter((name) => !stillDiffering.has(name))).toEqual([]);
    });
  });
});
