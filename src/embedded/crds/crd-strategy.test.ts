import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../base/json.ts';
import { parseYaml } from '../../base/yaml/index.ts';
import { customResourceDefinition } from '../../kubernetes/types/index.ts';
import { decodeBuiltin, type WriteContext } from '../resources/index.ts';
import { createCrdStrategy } from './crd-strategy.ts';

const strategy = createCrdStrategy({
  decode: decodeBuiltin(customResourceDefinition.schema),
});
const context: WriteContext = { now: '2025-01-01T00:00:00Z', random: () => 0, others: () => [] };

const OBJECT = { type: 'object' };
const TEXT = { type: 'string' };

type Parts = {
  readonly schema?: Json;
  readonly version?: JsonObject;
  readonly names?: JsonObject;
  readonly spec?: JsonObject;
  readonly metadata?: JsonObject;
};

/** A CRD as a client sends it. */
function sent({
  schema = OBJECT,
  version = {},
  names = {},
  spec = {},
  metadata = {},
}: Parts = {}): JsonObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com', ...metadata },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { plural: 'widgets', kind: 'Widget', ...names },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...version },
      ],
      ...spec,
    },
  };
}

/** A CRD whose field `a` has this schema. */
const withField = (field: Json): JsonObject => sent({ schema: { type: 'object', properties: { a: field } } });

function read(crd: JsonObject): JsonObject {
  const decoded = strategy.decode(crd);
  if (decoded.kind === 'failed') throw new Error(decoded.message);
  return strategy.setDefaults(decoded.object);
}

const made = (crd: JsonObject): JsonObject => strategy.prepareForCreate(read(crd), context);

function changed(old: JsonObject, crd: JsonObject): JsonObject {
  return strategy.prepareForUpdate(read(crd), old, context);
}

const ROOT = 'spec.validation.openAPIV3Schema';

/** The problems on create, without the common path prefix. */
function problemsOf(crd: JsonObject): readonly string[] {
  return strategy.validateCreate(made(crd)).map(({ path, reason, message }) => {
    const location = path.startsWith(`${ROOT}.`) ? path.slice(ROOT.length + 1) : path;
    return `${location} ${reason}: ${message}`;
  });
}

const established = (crd: JsonObject): JsonObject => ({
  ...crd,
  status: {
    ...(crd.status as JsonObject),
    conditions: [{ type: 'Established', status: 'True' }],
    acceptedNames: { plural: 'widgets', kind: 'Widget' },
  },
});

function noSubresource(): never {
  throw new Error('no status subresource');
}

describe('decoding a CRD', () => {
  it.each([
    [
      { type: 5 },
      'json: cannot unmarshal number into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.type of type string',
    ],
    [
      { type: 'object', properties: { a: { items: { maxLength: 'x' } } } },
      'json: cannot unmarshal string into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.items of type int64',
    ],
    [
      'x',
      'json: cannot unmarshal string into Go struct field CustomResourceValidation.spec.versions.schema.openAPIV3Schema of type v1.JSONSchemaProps',
    ],
    [{ type: 'object', additionalProperties: 5 }, 'boolean or JSON schema expected'],
  ])('fails for a schema such as %j', (schema, message) => {
    expect(strategy.decode(sent({ schema }))).toEqual({ kind: 'failed', message });
  });

  it('drops unknown fields and lists them in document order', () => {
    const schema = { hm: 1, type: 'object', properties: { a: { type: 'string', hm: 2 } } };
    expect(strategy.decode(sent({ schema, version: { nope: 1 }, spec: { hmm: 3 } }))).toMatchObject({
      unknownFields: [
        'spec.versions[0].schema.openAPIV3Schema.hm',
        'spec.versions[0].schema.openAPIV3Schema.properties.a.hm',
        'spec.versions[0].nope',
        'spec.hmm',
      ],
    });
  });

  it('drops unknown fields below items silently, as kube-apiserver does', () => {
    const decoded = strategy.decode(withField({ type: 'array', items: { type: 'string', hm: 1 } }));
    expect(decoded).toMatchObject({ unknownFields: [] });
    expect(JSON.stringify(decoded)).not.toContain('hm');
  });

  it('keeps zero values of pointers and drops others', () => {
    const field = { type: 'string', description: '', enum: [], nullable: false, maxLength: 0, default: null };
    expect(JSON.stringify(read(withField(field)))).toContain('"a":{"type":"string","maxLength":0}');
  });

  it('keeps properties of any name', () => {
    const properties = JSON.parse(
      '{"__proto__": {"type": "string"}, "constructor": {"type": "object"}}',
    ) as JsonObject;
    expect(problemsOf(sent({ schema: { type: 'object', properties } }))).toEqual([]);
    expect(JSON.stringify(read(sent({ schema: { type: 'object', properties } })))).toContain('"__proto__":{');
  });
});

describe('creating a CRD', () => {
  it('sets defaults, and a status with the stored version only', () => {
    const crd = {
      ...sent(),
      status: { storedVersions: ['v0'], acceptedNames: { plural: 'x', kind: 'X' } },
    };
    expect(made(crd)).toMatchObject({
      metadata: { generation: 1 },
      spec: {
        names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
        conversion: { strategy: 'None' },
      },
      status: { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1'] },
    });
  });

  it('sets the default port of a conversion webhook', () => {
    const clientConfig = { service: { namespace: 'a', name: 'b' } };
    const webhook = { conversionReviewVersions: ['v1'], clientConfig };
    const conversion = { strategy: 'Webhook', webhook };
    expect(made(sent({ spec: { conversion } }))).toMatchObject({
      spec: { conversion: { webhook: { clientConfig: { service: { port: 443 } } } } },
    });
  });

  it.each<readonly [string, JsonObject, readonly string[]]>([
    [
      'another name',
      sent({ metadata: { name: 'other' } }),
      ['metadata.name FieldValueInvalid: Invalid value: "other": must be spec.names.plural+"."+spec.group'],
    ],
    [
      'a group without a dot',
      sent({ metadata: { name: 'widgets.xy' }, spec: { group: 'xy' } }),
      ['spec.group FieldValueInvalid: Invalid value: "xy": should be a domain with at least one dot'],
    ],
    [
      'an unknown scope',
      sent({ spec: { scope: 'Other' } }),
      [
        'spec.scope FieldValueNotSupported: Unsupported value: "Other": supported values: "Cluster", "Namespaced"',
      ],
    ],
    [
      'no schema',
      sent({ version: { schema: {} } }),
      ['spec.versions[0].schema.openAPIV3Schema FieldValueRequired: Required value: schemas are required'],
    ],
    [
      'no storage version',
      sent({ version: { storage: false } }),
      [
        'spec.versions FieldValueInvalid: Invalid value: []apiextensions.CustomResourceDefinitionVersion{apiextensions.CustomResourceDefinitionVersion{Name:"v1", Served:true, Storage:false, Deprecated:false, DeprecationWarning:(*string)(nil), Schema:(*apiextensions.CustomResourceValidation)(nil), Subresources:(*apiextensions.CustomResourceSubresources)(nil), AdditionalPrinterColumns:[]apiextensions.CustomResourceColumnDefinition(nil), SelectableFields:[]apiextensions.SelectableField(nil)}}: must have exactly one version marked as storage version',
        'status.storedVersions FieldValueInvalid: Invalid value: []string(nil): must have at least one stored version',
      ],
    ],
    [
      'a protected group without approval',
      sent({ metadata: { name: 'widgets.a.k8s.io' }, spec: { group: 'a.k8s.io' } }),
      [
        'metadata.annotations[api-approved.kubernetes.io] FieldValueRequired: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
      ],
    ],
    [
      'preserveUnknownFields',
      sent({ spec: { preserveUnknownFields: true } }),
      [
        'spec.preserveUnknownFields FieldValueInvalid: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
      ],
    ],
    [
      'a column without a JSON path',
      sent({ version: { additionalPrinterColumns: [{ name: 'A', type: 'text', jsonPath: 'a' }] } }),
      [
        'spec.additionalPrinterColumns[0].type FieldValueInvalid: Invalid value: "text": must be one of boolean,date,integer,number,string',
        'spec.additionalPrinterColumns[0].JSONPath FieldValueInvalid: Invalid value: "a": must be a simple json path starting with .',
      ],
    ],
    [
      'a scale with invalid paths',
      sent({ version: { subresources: { scale: { specReplicasPath: '.n', statusReplicasPath: '' } } } }),
      [
        'spec.subresources.scale.specReplicasPath FieldValueInvalid: Invalid value: ".n": should be a json path under .spec',
        'spec.subresources.scale.statusReplicasPath FieldValueRequired: Required value',
      ],
    ],
    [
      'an invalid selectable field',
      sent({ version: { selectableFields: [{ jsonPath: '.spec.none' }] } }),
      [
        'spec.selectableFields[0].jsonPath FieldValueInvalid: Invalid value: ".spec.none": is an invalid path: does not refer to a valid field',
      ],
    ],
  ])('is rejected for %s', (_, crd, problems) => {
    expect(problemsOf(crd)).toEqual(problems);
  });

  it.each<readonly [string, Json, readonly string[]]>([
    [
      'untyped fields',
      { type: 'object', properties: { spec: { properties: { a: {} } } } },
      [
        'properties[spec].properties[a].type FieldValueRequired: Required value: must not be empty for specified object fields',
        'properties[spec].type FieldValueRequired: Required value: must not be empty for specified object fields',
      ],
    ],
    [
      'a default of a wrong type',
      { type: 'object', properties: { a: { type: 'string', default: 1 } } },
      [
        'properties[a].default FieldValueTypeInvalid: Invalid value: "integer":  in body must be of type string: "integer"',
      ],
    ],
    [
      'a default with unknown fields',
      { type: 'object', properties: { a: { type: 'object', default: { b: 1 } } } },
      [
        'properties[a].default FieldValueInvalid: Invalid value: map[string]interface {}{"b":1}: must not have unknown fields',
      ],
    ],
    [
      'an associative list whose keys are no properties',
      {
        type: 'object',
        properties: {
          a: {
            type: 'array',
            items: { type: 'object', properties: { name: TEXT } },
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['name'],
          },
        },
      },
      [
        'properties[a].items.properties[name].default FieldValueRequired: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
      ],
    ],
    [
      'a rule that does not compile',
      { type: 'object', properties: { a: { ...TEXT, 'x-kubernetes-validations': [{ rule: 'self.x' }] } } },
      [
        'properties[a].x-kubernetes-validations[0].rule FieldValueInvalid: Invalid value: apiextensions.ValidationRule{Rule:"self.x", Message:"", MessageExpression:"", Reason:(*apiextensions.FieldValueErrorReason)(nil), FieldPath:"", OptionalOldSelf:(*bool)(nil)}: compilation failed: ERROR: <input>:1:5: type \'string\' does not support field selection\n | self.x\n | ....^',
      ],
    ],
    [
      'a rule with oldSelf where values cannot be correlated',
      {
        type: 'object',
        properties: {
          a: {
            type: 'array',
            maxItems: 3,
            items: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] },
          },
        },
      },
      [
        'properties[a].items.x-kubernetes-validations[0].rule FieldValueInvalid: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within spec.validation.openAPIV3Schema.properties[a]',
      ],
    ],
  ])('is rejected for %s', (_, schema, problems) => {
    expect(problemsOf(sent({ schema }))).toEqual(problems);
  });

  it('is rejected for rules that exceed the cost limit, with the factor', () => {
    const advice =
      '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)';
    const list = (maxItems: number) =>
      withField({
        type: 'array',
        maxItems,
        items: { type: 'integer' },
        'x-kubernetes-validations': [{ rule: 'self.all(x, self.all(y, x == y))' }],
      });
    const rule = 'properties[a].x-kubernetes-validations[0].rule FieldValueForbidden: Forbidden:';
    expect(problemsOf(list(1000))).toEqual([]);
    expect(problemsOf(list(1500))).toEqual([
      `${rule} estimated rule cost exceeds budget by factor of 1.125750x ${advice}`,
    ]);
    expect(problemsOf(list(5000))).toEqual([
      `${rule} estimated rule cost exceeds budget by factor of 12.5x ${advice}`,
      `${rule} contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema`,
      `${ROOT} FieldValueForbidden: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of 1.250250x ${advice}`,
    ]);
  });

  it.each<readonly [string, readonly boolean[], readonly string[]]>([
    ['the first is stored', [true, false], []],
    ['the second is stored', [false, true], ['v1']],
    ['both are stored', [true, true], ['v1']],
  ])('is rejected for versions of the same name, of which %s', (_, storage, missing) => {
    const versions = storage.map((isStored) => ({
      name: 'v1',
      served: true,
      storage: isStored,
      schema: { openAPIV3Schema: OBJECT },
    }));
    const problems = strategy.validateCreate(made(sent({ spec: { versions } })));
    expect(
      problems.filter(({ path }) => path === 'spec.versions').map(({ message }) => message),
    ).toContainEqual(expect.stringMatching(/must contain unique version names$/));
    expect(
      problems.filter(({ path }) => path === 'status.storedVersions').map(({ message }) => message),
    ).toEqual(missing.map((name) => `Invalid value: []string{"v1"}: must have the storage version ${name}`));
  });

  it('reports schemas at their versions if these differ', () => {
    const versions = [
      { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: OBJECT } },
      { name: 'v2', served: true, storage: false, schema: { openAPIV3Schema: { type: 'string' } } },
    ];
    expect(problemsOf(sent({ spec: { versions } }))).toEqual([
      'spec.versions[1].schema.openAPIV3Schema.type FieldValueInvalid: Invalid value: "string": must be object at the root',
    ]);
  });

  it.each(readdirSync('manifests/crds'))('accepts our own CRD: %s', (file) => {
    const documents = parseYaml(readFileSync(`manifests/crds/${file}`, 'utf8'));
    const [document] = documents.kind === 'ok' ? documents.value : [];
    // Manifests are JSON in another form.
    expect(problemsOf(document?.value as JsonObject)).toEqual([]);
  });
});

describe('updating a CRD', () => {
  const old = established(made(sent()));

  it('increments the generation with the spec and keeps the status', () => {
    const same = changed(old, { ...sent(), metadata: { name: 'widgets.example.com', labels: { a: 'b' } } });
    expect(same).toMatchObject({ metadata: { generation: 1 }, status: old.status });
    const other = changed(old, withField(TEXT));
    expect(other).toMatchObject({ metadata: { generation: 2 }, status: old.status });
  });

  it('adds the storage version to the stored versions', () => {
    const versions = [
      { name: 'v1', served: true, storage: false, schema: { openAPIV3Schema: OBJECT } },
      { name: 'v2', served: true, storage: true, schema: { openAPIV3Schema: OBJECT } },
    ];
    const next = changed(old, sent({ spec: { versions } }));
    expect(next).toMatchObject({ status: { storedVersions: ['v1', 'v2'] } });
    expect(strategy.validateUpdate(next, old)).toEqual([]);
  });

  it('cannot remove a stored version', () => {
    const next = changed(old, sent({ version: { name: 'v2' } }));
    expect(strategy.validateUpdate(next, old)).toEqual([
      {
        path: 'status.storedVersions[0]',
        reason: 'FieldValueInvalid',
        message:
          'Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions',
      },
    ]);
  });

  it('cannot change group, plural, and once established kind and scope', () => {
    const next = changed(
      old,
      sent({ names: { kind: 'Gadget' }, spec: { scope: 'Namespaced', group: 'b.com' } }),
    );
    expect(strategy.validateUpdate(next, old).map(({ path, message }) => `${path}: ${message}`)).toEqual([
      'spec.scope: Invalid value: "Namespaced": field is immutable',
      'spec.names.kind: Invalid value: "Gadget": field is immutable',
      'spec.group: Invalid value: "b.com": field is immutable',
    ]);
    const young = made(sent());
    const renamed = changed(young, sent({ names: { kind: 'Gadget' }, spec: { scope: 'Namespaced' } }));
    expect(strategy.validateUpdate(renamed, young)).toEqual([]);
  });

  it('may keep a rule that exceeds the cost limit if the schema is unchanged', () => {
    const rule = { rule: 'self.all(x, self.all(y, x == y))' };
    const costly = (maxItems: number): JsonObject =>
      withField({
        type: 'array',
        maxItems,
        items: { type: 'integer' },
        'x-kubernetes-validations': [rule],
      });
    const before = made(costly(1500));
    expect(strategy.validateUpdate(changed(before, costly(1500)), before)).toEqual([]);
    expect(strategy.validateUpdate(changed(before, costly(1501)), before)).toHaveLength(1);
  });
});

describe('the status subresource of a CRD', () => {
  const old = established(made(sent()));
  const statusSubresource = Object.values(strategy.subresources).at(0) ?? noSubresource();

  it('takes status and metadata, but no spec', () => {
    const object = {
      ...sent({ spec: { scope: 'Namespaced' }, metadata: { labels: { a: 'b' }, generation: 7 } }),
      status: { conditions: [], acceptedNames: { plural: 'x', kind: 'X' }, storedVersions: ['v1'] },
    };
    expect(statusSubresource.prepareForUpdate(read(object), old, context)).toMatchObject({
      metadata: { labels: { a: 'b' }, generation: 1 },
      spec: old.spec,
      status: { acceptedNames: { plural: 'x', kind: 'X' } },
    });
  });

  it('validates the accepted names', () => {
    const object = { ...old, status: { acceptedNames: { plural: 'A B', kind: '' } } };
    expect(statusSubresource.validateUpdate(object, old)).toMatchObject([
      { path: 'status.acceptedNames.plural' },
    ]);
  });
});

describe('a hostile CRD', () => {
  const deep = (depth: number): Json =>
    depth === 0 ? TEXT : { type: 'object', properties: { a: deep(depth - 1) } };
  const endless = (depth: number): Json => (depth === 0 ? {} : { not: endless(depth - 1) });

  it.each<readonly [string, Json]>([
    ['deep nesting', deep(140)],
    ['too deep nesting', deep(5000)],
    ['too deep nesting of logic', endless(5000)],
    [
      'numbers out of range',
      { type: 'object', properties: { a: { type: 'array', maxItems: 1e300, items: TEXT } } },
    ],
    [
      'a long pattern',
      { type: 'object', properties: { a: { type: 'string', pattern: '('.repeat(50_000) } } },
    ],
    ['a long rule', { type: 'object', 'x-kubernetes-validations': [{ rule: '!'.repeat(200_000) }] }],
    ['many rules', { type: 'object', 'x-kubernetes-validations': Array(500).fill({ rule: 'true' }) }],
    [
      'property names of Object.prototype',
      JSON.parse(
        '{"type":"object","__proto__":1,"toString":2,"properties":{"hasOwnProperty":{"type":"string"}}}',
      ) as Json,
    ],
  ])('with %s is validated without failure', (_, schema) => {
    const decoded = strategy.decode(sent({ schema }));
    if (decoded.kind === 'failed') return;
    const crd = strategy.prepareForCreate(strategy.setDefaults(decoded.object), context);
    expect(Array.isArray(strategy.validateCreate(crd))).toBe(true);
  });
});
