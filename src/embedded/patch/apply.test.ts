import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../base/json.ts';
import type { StructuralSchema } from '../../kubernetes/schema/index.ts';
import { type ApplyRequest, apply } from './apply.ts';
import { updateManagedFields } from './update-managed-fields.ts';

const text: StructuralSchema = { type: 'string' };
const schema: StructuralSchema = {
  type: 'object',
  properties: {
    data: { type: 'object', additionalProperties: text },
    spec: {
      type: 'object',
      properties: {
        text,
        whole: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: text, b: text } },
        list: { type: 'array', items: text },
        set: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
        ports: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['port', 'protocol'],
          items: {
            type: 'object',
            properties: { port: { type: 'integer' }, protocol: { type: 'string', default: 'TCP' }, text },
          },
        },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
    status: { type: 'object', properties: { text } },
  },
};

const base = {
  schema,
  apiVersion: 'example.com/v1',
  kind: 'Thing',
  force: false,
  now: '2020-01-01T00:00:00Z',
};

function thing(fields: JsonObject): JsonObject {
  return { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'n' }, ...fields };
}

function attempt(
  manager: string,
  live: JsonObject | undefined,
  fields: Json,
  more: Partial<ApplyRequest> = {},
) {
  const applied = typeof fields === 'object' && !Array.isArray(fields) ? thing(fields as JsonObject) : fields;
  return apply({ ...base, manager, live, applied, ...more });
}

function applied(
  manager: string,
  live: JsonObject | undefined,
  fields: JsonObject,
  more?: Partial<ApplyRequest>,
) {
  const outcome = attempt(manager, live, fields, more);
  if (outcome.kind === 'error') throw new Error(outcome.message);
  return outcome.value;
}

function updated(manager: string, before: JsonObject | undefined, fields: JsonObject): JsonObject {
  const after = { ...(before ?? thing({})), ...fields };
  return updateManagedFields({ ...base, manager, before, after }).value;
}

/** The managers and their fields: `{ 'x Apply': { 'f:spec': … } }`. */
function managers(object: JsonObject): unknown {
  const { managedFields = [] } = object.metadata as { managedFields?: readonly JsonObject[] };
  return Object.fromEntries(
    managedFields.map(({ manager, operation, fieldsV1 }) => [`${manager} ${operation}`, fieldsV1]),
  );
}

describe('a conflict', () => {
  it('names the manager and the field, as in kube-apiserver', () => {
    const live = updated('kubectl', undefined, { data: { a: '1' } });
    expect(attempt('y', live, { data: { a: '2' } })).toMatchObject({
      kind: 'error',
      status: {
        code: 409,
        reason: 'Conflict',
        message: 'Apply failed with 1 conflict: conflict with "kubectl" using example.com/v1: .data.a',
        details: {
          causes: [
            {
              reason: 'FieldManagerConflict',
              message: 'conflict with "kubectl" using example.com/v1',
              field: '.data.a',
            },
          ],
        },
      },
    });
  });

  it('lists all managers and fields', () => {
    const first = applied('x', undefined, { data: { a: '1', b: '1' } });
    const live = updated('u', first, { spec: { ports: [{ port: 80, text: 'a' }] } });
    const outcome = attempt('y', live, {
      data: { a: '2', b: '2' },
      spec: { ports: [{ port: 80, text: 'b' }] },
    });
    expect(outcome).toMatchObject({
      message: [
        'Apply failed with 3 conflicts: conflicts with "u" using example.com/v1:',
        '- .spec.ports[port=80,protocol="TCP"].text',
        'conflicts with "x":',
        '- .data.a',
        '- .data.b',
      ].join('\n'),
    });
  });

  it('is resolved by force, and the other manager loses the field', () => {
    const live = applied('x', undefined, { data: { a: '1', b: '1' } });
    const forced = applied('y', live, { data: { a: '2' } }, { force: true });
    expect(forced.data).toEqual({ a: '2', b: '1' });
    expect(managers(forced)).toEqual({
      'x Apply': { 'f:data': { 'f:b': {} } },
      'y Apply': { 'f:data': { 'f:a': {} } },
    });
  });

  it('does not occur if both apply the same value', () => {
    const live = applied('x', undefined, { data: { a: '1' } });
    expect(managers(applied('y', live, { data: { a: '1' } }))).toEqual({
      'x Apply': { 'f:data': { 'f:a': {} } },
      'y Apply': { 'f:data': { 'f:a': {} } },
    });
  });
});

describe('the applied configuration', () => {
  it.each<[string, Json, number, string]>([
    [
      'a list',
      [],
      400,
      'error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type map[string]interface {}',
    ],
    ['of another kind', { kind: 'Other' }, 400, 'invalid object type: example.com/v1, Kind=Other'],
    ['of the core group', { apiVersion: 'v1' }, 400, 'invalid object type: /v1, Kind=Thing'],
    ['with managers', { metadata: { managedFields: [] } }, 400, 'metadata.managedFields must be nil'],
    [
      'with an unknown field',
      { metadata: { name: 'n', namespace: 'ns' }, spec: { nonsense: 1 } },
      500,
      'failed to create typed patch object (ns/n; example.com/v1, Kind=Thing): .spec.nonsense: field not declared in schema',
    ],
    [
      'with duplicate items',
      { spec: { ports: [{ port: 1 }, { port: 1, protocol: 'TCP' }] } },
      500,
      'failed to create typed patch object (/n; example.com/v1, Kind=Thing): .spec.ports: duplicate entries for key [port=1,protocol="TCP"]',
    ],
    [
      'with an item without its key',
      { spec: { ports: [{ text: 'a' }] } },
      500,
      'failed to create typed patch object (/n; example.com/v1, Kind=Thing): .spec.ports: element 0: associative list with keys has an element that omits key field "port" (and doesn\'t have default value)',
    ],
    [
      'of a wrong type',
      { spec: { text: 5 } },
      500,
      'failed to create typed patch object (/n; example.com/v1, Kind=Thing): .spec.text: expected string, got &value.valueUnstructured{Value:5}',
    ],
    [
      'wrong in two places',
      { spec: { text: 5, set: [true] } },
      500,
      [
        'failed to create typed patch object (/n; example.com/v1, Kind=Thing): errors:',
        '  .spec.set[=true]: expected string, got &value.valueUnstructured{Value:true}',
        '  .spec.text: expected string, got &value.valueUnstructured{Value:5}',
      ].join('\n'),
    ],
  ])('%s is rejected', (_, fields, code, message) => {
    expect(attempt('x', undefined, fields)).toMatchObject({ message, status: { code, message } });
  });

  it('becomes the object, with its manager', () => {
    expect(applied('x', undefined, { data: { a: '1' } })).toEqual({
      apiVersion: 'example.com/v1',
      kind: 'Thing',
      metadata: {
        name: 'n',
        managedFields: [
          {
            manager: 'x',
            operation: 'Apply',
            apiVersion: 'example.com/v1',
            time: '2020-01-01T00:00:00Z',
            fieldsType: 'FieldsV1',
            fieldsV1: { 'f:data': { 'f:a': {} } },
          },
        ],
      },
      data: { a: '1' },
    });
  });

  it('removes fields that are no longer applied', () => {
    const live = applied('x', undefined, { data: { a: '1', b: '1' }, spec: { set: ['p', 'q'] } });
    expect(applied('x', live, { spec: { set: ['q'] } })).toMatchObject({ spec: { set: ['q'] } });
    expect(applied('x', live, { spec: { set: ['q'] } })).not.toHaveProperty('data');
  });

  it('keeps fields that others own', () => {
    const first = applied('x', undefined, { data: { a: '1', b: '1' } });
    const live = applied('y', first, { data: { b: '1', c: '1' } });
    expect(applied('x', live, {}).data).toEqual({ b: '1', c: '1' });
  });

  it('merges associative lists, sets and maps, and replaces the rest', () => {
    const live = applied('x', undefined, {
      spec: { ports: [{ port: 1 }], set: ['a'], list: ['a'], whole: { a: '1' }, free: { a: { b: 1 } } },
    });
    const fields = {
      spec: {
        ports: [{ port: 1, protocol: 'UDP' }, { port: 1 }],
        set: ['b', 'a'],
        list: ['b'],
        whole: { b: '2' },
        free: { a: { c: 2 } },
      },
    };
    expect(applied('y', live, fields, { force: true }).spec).toEqual({
      ports: [{ port: 1, protocol: 'UDP' }, { port: 1 }],
      set: ['b', 'a'],
      list: ['b'],
      whole: { b: '2' },
      free: { a: { b: 1, c: 2 } },
    });
  });

  it('updates the timestamp only if it changes something', () => {
    const live = applied('x', undefined, { data: { a: '1' } });
    const again = applied('x', live, { data: { a: '1' } }, { now: '2021-01-01T00:00:00Z' });
    expect(again).toEqual(live);
  });

  it('gives no ownership of reset fields', () => {
    const live = applied(
      'x',
      undefined,
      { data: { a: '1' }, status: { text: 's' } },
      { resetFields: [['status']] },
    );
    expect(managers(live)).toEqual({ 'x Apply': { 'f:data': { 'f:a': {} } } });
  });

  it('conflicts with fields from before the first apply', () => {
    const live = thing({ metadata: { name: 'n', uid: 'u' }, data: { a: '1' } });
    expect(managers(applied('x', live, { data: { b: '1' } }))).toEqual({
      'before-first-apply Update': { 'f:data': { '.': {}, 'f:a': {} } },
      'x Apply': { 'f:data': { 'f:b': {} } },
    });
  });

  it('may be of a kind without a schema', () => {
    const live = applied('x', undefined, { any: { a: 1, l: [1] } }, { schema: undefined });
    expect(applied('y', live, { any: { b: 2 } }, { schema: undefined }).any).toEqual({ a: 1, b: 2, l: [1] });
  });

  it('may hold ten thousand items', () => {
    const ports = (length: number, from = 0) =>
      Array.from({ length }, (_, index) => ({ port: index + from }));
    const live = applied('x', undefined, { spec: { ports: ports(10_000) } });
    const both = applied('y', live, { spec: { ports: ports(10_000, 5000) } });
    const rest = applied('x', both, { spec: { ports: ports(10) } });
    expect((rest.spec as { ports: unknown[] }).ports.length).toBe(10_010);
  });
});

describe('kubectl', () => {
  const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
  const lastApplied = JSON.stringify(thing({ data: { a: '1' } }));
  const metadata = { name: 'n', annotations: { [annotation]: lastApplied } };

  it('takes over what it applied from the client side before, and updates its annotation', () => {
    const live = updated('kubectl-client-side-apply', undefined, { metadata, data: { a: '1' } });
    const result = applied('kubectl', live, { data: { a: '2' } });
    expect(result.data).toEqual({ a: '2' });
    expect(result.metadata).toMatchObject({
      annotations: {
        [annotation]: `${JSON.stringify({ apiVersion: 'example.com/v1', data: { a: '2' }, kind: 'Thing', metadata: { name: 'n' } })}\n`,
      },
    });
  });

  it('takes over nothing else', () => {
    const live = updated('u', undefined, { metadata, data: { a: '1', b: '1' } });
    expect(attempt('kubectl', live, { data: { a: '2', b: '2' } })).toMatchObject({
      message: 'Apply failed with 1 conflict: conflict with "u" using example.com/v1: .data.b',
    });
  });
});
