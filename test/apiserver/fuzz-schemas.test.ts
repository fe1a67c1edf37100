/** Random CustomResourceDefinitions and policies, with objects. What is accepted must also be served. */
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  anyExpression,
  conditions,
  costlyExpressions,
  type Names,
  OF_POLICY,
  OF_SCHEMA,
} from './fuzz-expressions.ts';
import { type FuzzWorld, runs, startFuzzWorld, TENANT, TIMEOUT_MS } from './fuzz-server.ts';

let world: FuzzWorld;
beforeAll(async () => {
  world = await startFuzzWorld();
});
afterEach(async () => {
  await world.expectWell();
  // What is always refused tries little.
  expect(accepted).toBeGreaterThan(10);
  accepted = 0;
});
afterAll(async () => {
  await world.stop();
});

const send = async (method: string, path: string, body?: unknown, user?: string): Promise<number> => {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const answer = await world.ask(method, path, {
    ...(user === undefined ? {} : { user }),
    ...(text === undefined ? {} : { body: text, headers: { 'content-type': type } }),
  });
  world.examine(answer, user, `${user ?? 'admin'}: ${method} ${path} ${text?.slice(0, 1_500)}`);
  return answer.status;
};

const expressionsOf = (names: Names) =>
  fc.oneof(
    { weight: 8, arbitrary: conditions(names) },
    { weight: 1, arbitrary: costlyExpressions(names) },
    { weight: 1, arbitrary: anyExpression },
  );
const rule = fc.oneof(
  { weight: 4, arbitrary: fc.record({ rule: expressionsOf(OF_SCHEMA) }) },
  {
    weight: 1,
    arbitrary: fc.record(
      {
        rule: conditions(OF_SCHEMA),
        message: fc.constantFrom('no', '', 'a\nb'),
        messageExpression: conditions(OF_SCHEMA).map((truth) => `string(${truth})`),
        fieldPath: fc.constantFrom('.a', '.list[0]', '.', "['a']", '..', ''),
        reason: fc.constantFrom('FieldValueInvalid', 'x'),
        optionalOldSelf: fc.boolean(),
      },
      { requiredKeys: ['rule'] },
    ),
  },
);

const odd = fc.constantFrom<unknown>(null, true, 0, -1, 1.5, '', 'a', [], {}, '(', 2 ** 60);
/** Now and then something is there that should not. */
const flawed = (good: fc.Arbitrary<object>) =>
  fc
    .tuple(
      good,
      fc.oneof(
        { weight: 19, arbitrary: fc.constant(null) },
        { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...KEYWORDS), odd) },
      ),
    )
    .map(([schema, flaw]) => (flaw === null ? schema : { ...schema, [flaw[0]]: flaw[1] }));
const KEYWORDS = [
  'type',
  'format',
  'pattern',
  'enum',
  'default',
  'minimum',
  'maxLength',
  'minItems',
  'required',
  'items',
  '$ref',
  'additionalProperties',
  'allOf',
  'not',
  'nullable',
  'x-kubernetes-preserve-unknown-fields',
  'multipleOf',
  'x-kubernetes-int-or-string',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-list-type',
  'properties',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-validations',
  'uniqueItems',
  'externalDocs',
  '__proto__',
];
const optional = <T extends object>(shape: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(shape, { requiredKeys: [] });
const schema: fc.Arbitrary<object> = fc.letrec<{ any: object }>((tie) => ({
  any: flawed(
    fc.oneof(
      { depthSize: 'small', maxDepth: 4 },
      optional({
        pattern: fc.constantFrom('^a', '(a+)+$', '\\p{L}', '(?i)a', '[[:alpha:]]', 'a{100}', '\\bx'),
        format: fc.constantFrom('date-time', 'byte', 'uuid', 'ipv4', 'x', 'duration'),
        maxLength: fc.constantFrom(0, 5, 100),
        enum: fc.constantFrom(['a', 'b'], ['']),
        nullable: fc.boolean(),
      }).map((more) => ({ type: 'string', ...more })),
      optional({
        minimum: fc.constantFrom(0, -5, 1),
        format: fc.constantFrom('int32', 'int64'),
        multipleOf: fc.constantFrom(2, 3),
        default: fc.constantFrom(6, 12),
      }).map((more) => ({ type: 'integer', ...more })),
      fc.constantFrom<object>(
        { type: 'boolean', default: false },
        { type: 'number', maximum: 1.5, exclusiveMaximum: true },
        { 'x-kubernetes-int-or-string': true },
        { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
        },
      ),
      fc
        .record({
          properties: fc.dictionary(
            fc.constantFrom('a', 'b', 'list', 'map', 'metadata', '__proto__'),
            tie('any'),
            {
              maxKeys: 4,
            },
          ),
          more: optional({
            required: fc.constantFrom(['a'], ['b', 'a']),
            maxProperties: fc.constantFrom(2, 10),
            'x-kubernetes-validations': fc.constantFrom([{ rule: 'true' }], [{ rule: 'has(self.a)' }]),
          }),
        })
        .map(({ properties, more }) => ({ type: 'object', properties, ...more })),
      tie('any').map((additionalProperties) => ({ type: 'object', additionalProperties })),
      fc
        .tuple(
          tie('any'),
          optional({
            maxItems: fc.constantFrom(3, 100),
            'x-kubernetes-list-type': fc.constantFrom('atomic', 'set'),
          }),
        )
        .map(([items, more]) => ({ type: 'array', items, ...more })),
    ),
  ),
})).any;
const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    odd,
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'list', 'map', '__proto__'), tie('any'), { maxKeys: 4 }),
  ),
})).any;

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
let made = 0;
let accepted = 0;

const withList = {
  type: 'object',
  properties: {
    a: { type: 'string', maxLength: 10 },
    b: { type: 'integer' },
    list: { type: 'array', maxItems: 20, items: { type: 'string', maxLength: 10 } },
    map: { type: 'object', additionalProperties: { type: 'string' } },
  },
};

/** Definition, objects, changes, and all gone again. */
async function live(spec: object, values: readonly unknown[], version: object): Promise<void> {
  const group = `g${made++}.example.com`;
  const openAPIV3Schema = { type: 'object', properties: { spec } };
  const answered = await send('POST', DEFINITIONS, {
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema }, ...version }],
    },
  });
  if (answered !== 201) return;
  accepted++;
  const collection = `/apis/${group}/v1/namespaces/play/widgets`;
  for (const [at, one] of values.entries()) {
    const object = { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name: `w${at}` }, spec: one };
    await send('POST', collection, object, TENANT);
    await send('PATCH', `${collection}/w${at}`, { spec: values[0] }, TENANT);
  }
  await send('GET', `${collection}?fieldSelector=spec.a%3Da`);
  await send('GET', `/openapi/v3/apis/${group}/v1`);
  await send('DELETE', `${DEFINITIONS}/widgets.${group}`);
}

describe('the API server serves objects of what it has accepted:', () => {
  it('CustomResourceDefinitions with any schema', { timeout: TIMEOUT_MS }, async () => {
    const path = fc.constantFrom(
      '.spec.a',
      '.spec.list[*]',
      '.spec.list[?(@.a=="b")]',
      '.spec..a',
      '{',
      '.a[',
      '',
    );
    const column = fc.record({
      name: fc.constantFrom('A', 'B'),
      type: fc.constantFrom('string', 'date', 'integer'),
      jsonPath: path,
    });
    const version = optional<object>({
      additionalPrinterColumns: fc.array(column, { maxLength: 1 }),
      selectableFields: fc.constantFrom([{ jsonPath: '.spec.a' }], []),
      subresources: fc.constantFrom(
        {},
        { status: {} },
        { scale: { specReplicasPath: '.spec.b', statusReplicasPath: '.status.b' } },
      ),
    } as { [K in keyof object]: fc.Arbitrary<object[K]> });
    const property = fc.asyncProperty(schema, fc.array(value, { maxLength: 2 }), version, live);
    await fc.assert(property, runs(250));
  });

  it('CustomResourceDefinitions with any rule', { timeout: TIMEOUT_MS }, async () => {
    const large = {
      a: 'aaaaaaaa',
      b: 1,
      list: Array.from({ length: 20 }, (_, at) => `x${at}`),
      map: { a: 'b' },
    };
    const property = fc.asyncProperty(fc.array(rule, { minLength: 1, maxLength: 1 }), (rules) =>
      live({ ...withList, 'x-kubernetes-validations': rules }, [{}, { a: 'a', list: ['a'] }, large], {}),
    );
    await fc.assert(property, runs(150));
  });

  it('policies with any expression', { timeout: TIMEOUT_MS }, async () => {
    const truth = expressionsOf(OF_POLICY);
    const text = conditions(OF_POLICY).map((made) => `string(${made})`);
    const policy = fc.record(
      {
        validations: fc.array(
          fc.record(
            { expression: truth, messageExpression: text, reason: fc.constantFrom('Invalid', 'Forbidden') },
            { requiredKeys: ['expression'] },
          ),
          { minLength: 1, maxLength: 2 },
        ),
        variables: fc.array(fc.record({ name: fc.constantFrom('x'), expression: text }), { maxLength: 1 }),
        matchConditions: fc.array(fc.record({ name: fc.constantFrom('a'), expression: truth }), {
          maxLength: 1,
        }),
        auditAnnotations: fc.array(fc.record({ key: fc.constantFrom('a', ''), valueExpression: text }), {
          maxLength: 1,
        }),
        failurePolicy: fc.constantFrom('Fail', 'Ignore'),
      },
      { requiredKeys: ['validations'] },
    );
    const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
    const bindings = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings';
    const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }];
    const property = fc.asyncProperty(policy, async (given) => {
      const name = `p${made++}.example.com`;
      const matchConstraints = {
        resourceRules: rules,
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'play' } },
      };
      const answered = await send('POST', policies, {
        metadata: { name },
        spec: { ...given, matchConstraints },
      });
      if (answered !== 201) return;
      accepted++;
      const spec = { policyName: name, validationActions: ['Deny'] };
      await send('POST', bindings, { metadata: { name }, spec });
      await send(
        'POST',
        '/api/v1/namespaces/play/configmaps',
        { metadata: { name: `c${made}` }, data: { a: 'b' } },
        TENANT,
      );
      await send(
        'PATCH',
        '/api/v1/namespaces/play/configmaps/seen',
        { data: { count: String(made) } },
        TENANT,
      );
      await send('DELETE', `${bindings}/${name}`);
      await send('DELETE', `${policies}/${name}`);
    });
    await fc.assert(property, runs(150));
  });
});
