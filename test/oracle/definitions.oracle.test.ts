/**
 * Compares our validation of CRDs, our cost estimates and our validation of custom objects with kube-apiserver.
 */
import { describe, expect, it } from 'vitest';
import { kinds } from '../../src/api/index.ts';
import type { Problem } from '../../src/base/errors.ts';
import { canonicalJson, compareBytes, type JsonObject } from '../../src/base/json.ts';
import {
  acceptNames,
  createCrdStrategy,
  establish,
  servedResourcesOf,
} from '../../src/embedded/crds/index.ts';
import { decodeBuiltin, type WriteContext } from '../../src/embedded/resources/index.ts';
import { boundsOf, compileCel, typeOfSchema } from '../../src/kubernetes/cel/index.ts';
import { apiVersionOf, type CustomResourceDefinition, crdOf } from '../../src/kubernetes/meta/index.ts';
import type { StructuralSchema } from '../../src/kubernetes/schema/index.ts';
import { customResourceDefinition } from '../../src/kubernetes/types/index.ts';
import { objectSamples, readJson } from './corpus.ts';
import { objectCases } from './object-cases.ts';
import type { Oracle } from './oracle.ts';
import { askAboutCrd, askAboutObject, type ObjectAnswer, type ObjectQuestion } from './questions.ts';
import { withOracle } from './with-oracle.ts';

/** Null removes a field. `field` is the schema of a field `a`, `rule` a rule on {@link RULED}. */
type DefinitionCase = {
  readonly name: string;
  readonly schema?: unknown;
  readonly field?: unknown;
  readonly rule?: unknown;
  readonly version?: Part;
  readonly versions?: readonly unknown[];
  readonly names?: Part;
  readonly spec?: Part;
  readonly metadata?: Part;
  readonly status?: Part;
};
type Part = { readonly [key: string]: unknown };

const text = { type: 'string' };
const RULED = {
  type: 'object',
  properties: {
    min: { type: 'integer' },
    max: { type: 'integer' },
    name: text,
    list: { type: 'array', items: text, maxItems: 10 },
    map: { type: 'object', additionalProperties: { type: 'integer' } },
    o: { type: 'object', properties: { x: text } },
  },
};

/** Deliberate differences. */
const DIFFERENT: ReadonlyMap<string, string> = new Map([
  ['pattern \\', 'our regular expressions report less detail'],
  ['default ios', 'the server accepts a default that makes every object invalid'],
]);

function definitionOf(one: DefinitionCase): JsonObject {
  const names = given({
    ...{ plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    ...one.names,
  });
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schemaOf(one) } };
  const spec = given({
    ...{ group: 'example.com', scope: 'Cluster', names },
    versions: one.versions ?? [{ ...version, ...one.version }],
    ...one.spec,
  });
  const metadata = { name: `${names.plural ?? ''}.${spec.group ?? ''}`, ...one.metadata };
  const { status } = one;
  const whole = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata, spec };
  // Merged from values that were parsed from JSON.
  return { ...whole, ...(status === undefined ? {} : { status }) } as JsonObject;
}

function schemaOf({ schema, field, rule }: DefinitionCase): unknown {
  if (field !== undefined) return { type: 'object', properties: { a: field } };
  if (rule === undefined) return schema;
  return { type: 'object', properties: { spec: { ...RULED, 'x-kubernetes-validations': [rule] } } };
}

function given(part: Part): Part {
  return Object.fromEntries(Object.entries(part).filter(([, value]) => value !== null));
}

const strategy = createCrdStrategy({
  decode: decodeBuiltin(customResourceDefinition.schema),
});
const context: WriteContext = { now: '2025-01-01T00:00:00Z', random: () => 0, others: () => [] };

function made(sent: JsonObject): JsonObject | string {
  const decoded = strategy.decode(sent);
  if (decoded.kind === 'failed') return decoded.message;
  return strategy.prepareForCreate(strategy.setDefaults(decoded.object), context);
}

function ourVerdict(sent: JsonObject): readonly string[] {
  const definition = made(sent);
  return typeof definition === 'string' ? [definition] : linesOf(strategy.validateCreate(definition));
}

/** Pointers differ between runs, and errors of several fields have a random order. */
function linesOf(problems: readonly Problem[]): readonly string[] {
  return problems
    .map(({ path, reason, message }) => `${path} ${reason ?? 'InternalError'}: ${message}`)
    .map((line) => line.replace(/\(0x[0-9a-f]+\)/g, '(0x)'))
    .sort(compareBytes);
}

async function theirVerdict(oracle: Oracle, definition: JsonObject): Promise<readonly string[]> {
  const answer = await askAboutCrd(oracle, definition).catch((error: Error) => error.message);
  if (typeof answer === 'string') return [answer.replace(/^.*CustomResourceDefinition: /, '')];
  const problems = answer.errors
    // Metadata is validated for all kinds alike, and not here.
    .filter(({ field, message }) => !/^metadata\.name$/.test(field) || message.endsWith('+spec.group'))
    .map(({ field, reason, message }) => ({ path: field, reason, message }));
  return linesOf(problems as readonly Problem[]);
}

await withOracle('crd', (oracle) => {
  describe('definitions', () => {
    const cases = readJson('definitions.json') as readonly DefinitionCase[];

    it.each(cases)('$name has the same errors', async (one) => {
      const definition = definitionOf(one);
      const ours = ourVerdict(definition);
      const theirs = await theirVerdict(oracle, definition);
      if (DIFFERENT.has(one.name)) expect(ours).not.toEqual(theirs);
      else expect(ours).toEqual(theirs);
    });

    it('has unknown fields in the same order', async () => {
      const one = cases.find(({ name }) => name === 'unknown around');
      const definition = definitionOf(one ?? { name: 'none' });
      const decoded = strategy.decode(definition);
      const { unknownFields } = await askAboutCrd(oracle, definition);
      expect(decoded).toMatchObject({
        unknownFields: unknownFields.map((field) => /"(.*)"/.exec(field)?.[1]),
      });
      expect(unknownFields).toHaveLength(3);
    });
  });

  describe('the cost of rules', () => {
    type Costs = {
      readonly name: string;
      readonly schema: StructuralSchema;
      readonly rules: readonly string[];
    };

    it.each(readJson('rule-costs.json') as readonly Costs[])(
      'of a schema with $name has the same estimate',
      async ({ schema, rules: expressions }) => {
        const definitions = expressions.map((rule) => costly(schema, rule));
        const ours = definitions.map(({ rule, definition }) => ({ rule, verdict: ourVerdict(definition) }));
        const theirs = await Promise.all(
          definitions.map(async ({ rule, definition }) => ({
            rule,
            verdict: await theirVerdict(oracle, definition),
          })),
        );
        expect(ours).toEqual(theirs);
      },
    );

    it('is exact', () => {
      const { definition } = costly({ type: 'string', maxLength: 20 }, "self.contains('abc')");
      expect(ourVerdict(definition).join()).toMatch(/factor of 1\.2\d{5}x/);
    });
  });

  describe('objects', () => {
    const samples = objectSamples('objects').filter(({ status }) => status !== undefined);

    it.each(samples)('$kind $name has the same result in main resource and status', async (sample) => {
      const kind = kinds.find((one) => one.kind === sample.kind);
      if (kind === undefined) throw new Error(`there is no kind ${sample.kind}`);
      const definition = crdOf(kind);
      await askAboutCrd(oracle, definition);
      const resource = served(definition);
      const [whole, ...others] = objectCases(sample, { apiVersion: apiVersionOf(kind), schema: kind.schema });
      // Both endpoints use the same cases, and every ninth is enough to see that they agree.
      const tried = others.filter((_, index) => index % 9 === 0);
      const endpoints = kind.hasStatus ? (['main', 'status'] as const) : (['main'] as const);
      const questions = endpoints.flatMap((endpoint) =>
        tried.map(
          ({ object }): ObjectQuestion => ({ kind: kind.kind, endpoint, object, old: whole?.object }),
        ),
      );
      const theirs = await Promise.all(questions.map((question) => askAboutObject(oracle, question)));
      expect(questions.map((question) => judgementAt(resource, question))).toEqual(
        theirs.map(theirJudgement),
      );
    });
  });
});

/** The rule in a list that is just long enough for the server to report its cost, with many digits. */
function costly(
  schema: StructuralSchema,
  rule: string,
): { readonly rule: string; readonly definition: JsonObject } {
  const type = typeOfSchema(schema);
  const bounds = boundsOf(schema);
  if (type === undefined || bounds === undefined) throw new Error('a rule needs a type');
  const program = compileCel(rule, [{ name: 'self', type }]);
  if (program.kind === 'failure') throw new Error(program.message);
  const cost = program.estimate(bounds);
  const maxItems = cost === 0 || cost === Number.POSITIVE_INFINITY ? 10 : Math.ceil(12_000_000 / cost);
  const items = { ...schema, 'x-kubernetes-validations': [{ rule }] };
  const field = { type: 'array', maxItems, items };
  return { rule, definition: definitionOf({ name: rule, field }) };
}

type Served = ReturnType<typeof servedResourcesOf>[number];

function served(definition: CustomResourceDefinition): Served {
  const definitionObject = made(definition as unknown as JsonObject);
  if (typeof definitionObject === 'string') throw new Error(definitionObject);
  const named = acceptNames(definitionObject, [], context.now);
  const [resource] = servedResourcesOf((named && establish(named, context.now)) ?? {});
  if (resource === undefined) throw new Error('the definition is not served');
  return resource;
}

type Judgement = { readonly stored: string; readonly problems: readonly string[] };

const UNREADABLE: Judgement = { stored: 'unreadable', problems: [] };

function judgementAt({ strategy: of }: Served, { endpoint, object, old }: ObjectQuestion): Judgement {
  const [read, before] = [object, old].map((sent) => {
    const decoded = of.decode(sent as JsonObject);
    return decoded.kind === 'failed' ? undefined : of.setDefaults(decoded.object);
  });
  if (read === undefined || before === undefined) return UNREADABLE;
  const by = of.subresources[endpoint ?? ''];
  const prepared = (by?.prepareForUpdate ?? of.prepareForUpdate)(read, before, context);
  return {
    stored: withoutMetadata(prepared),
    problems: linesOf((by?.validateUpdate ?? of.validateUpdate)(prepared, before)),
  };
}

function theirJudgement({ object, errors, refusal }: ObjectAnswer): Judgement {
  if (refusal !== undefined) return UNREADABLE;
  const problems = errors.map(({ field, ...rest }) => ({ ...rest, path: field === '<nil>' ? '' : field }));
  return { stored: withoutMetadata(object), problems: linesOf(problems as readonly Problem[]) };
}

function withoutMetadata(object: unknown): string {
  return canonicalJson({ ...(object as JsonObject), metadata: undefined });
}
