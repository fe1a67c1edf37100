import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../base/json.ts';
import type { StructuralSchema } from '../../kubernetes/schema/index.ts';
import { MAX_UPDATE_MANAGERS } from './cap-managers.ts';
import { ignoreTimestampChanges } from './ignore-timestamp-changes.ts';
import { managerName } from './manager-name.ts';
import { type UpdateRequest, updateManagedFields } from './update-managed-fields.ts';

const schema: StructuralSchema = {
  type: 'object',
  properties: {
    data: { type: 'object', additionalProperties: { type: 'string' } },
    status: { type: 'object', properties: { text: { type: 'string' } } },
  },
};

const base = { schema, apiVersion: 'v1', kind: 'Thing', now: '2020-01-01T00:00:00Z' };

function thing(fields: JsonObject, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'n', ...metadata }, ...fields };
}

function update(
  manager: string,
  before: JsonObject | undefined,
  after: JsonObject,
  more: Partial<UpdateRequest> = {},
) {
  return updateManagedFields({ ...base, manager, before, after, ...more });
}

function written(
  manager: string,
  before: JsonObject | undefined,
  data: JsonObject,
  more?: Partial<UpdateRequest>,
) {
  const old = before === undefined ? {} : (before.metadata as JsonObject);
  const identity = before === undefined ? {} : { uid: 'u' };
  return update(manager, before, thing({ data }, { ...old, ...identity }), more).value;
}

function entries(object: JsonObject): readonly JsonObject[] {
  return (object.metadata as { managedFields?: readonly JsonObject[] }).managedFields ?? [];
}

describe('updateManagedFields', () => {
  it('omits managers that would exceed the limit, and only then', () => {
    const data = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`key-${index}`, 'x']));
    const whole = update('x', undefined, thing({ data }));
    const size = JSON.stringify(entries(whole.value)).length;
    // The size in JSON slightly exceeds what is counted.
    expect(update('x', undefined, thing({ data }), { maxBytes: size })).toEqual(whole);
    const cut = update('x', undefined, thing({ data }), { maxBytes: size - 1000 });
    expect(cut.value).toEqual(thing({ data }));
    expect(cut.warnings).toMatchObject([{ message: expect.stringContaining('take more than') }]);
    const grown = update('x', written('x', undefined, { a: '1' }), thing({ data }), { maxBytes: 1000 });
    expect(grown.value).toEqual(thing({ data }));
  });

  it('does not count reset fields', () => {
    const status = { text: 'x'.repeat(10) };
    const more = { maxBytes: 0, resetFields: [['status']] };
    const ignored = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`key-${index}`, 'x']));
    const open = { ...schema, properties: { ...schema.properties, status: { type: 'object' as const } } };
    const outcome = update('x', undefined, thing({ data: { a: '1' }, status: { ...status, ...ignored } }), {
      ...more,
      schema: open,
    });
    expect(entries(outcome.value)).toMatchObject([{ fieldsV1: { 'f:data': { '.': {}, 'f:a': {} } } }]);
  });

  it('drops managers with a warning if the object does not match its schema', () => {
    const before = written('x', undefined, { a: '1' });
    const outcome = update(
      'y',
      before,
      thing({ data: { a: 5 } }, { managedFields: entries(before) as Json }),
    );
    expect(outcome.value).toEqual(thing({ data: { a: 5 } }));
    expect(outcome.warnings).toMatchObject([
      { message: expect.stringContaining('.data.a: expected string') },
    ]);
  });

  it('gives the writer new and changed fields', () => {
    const created = written('x', undefined, { a: '1', b: '1' });
    const changed = written('y', created, { a: '2', b: '1', c: '1' }, { now: '2021-01-01T00:00:00Z' });
    expect(entries(changed)).toEqual([
      {
        manager: 'x',
        operation: 'Update',
        apiVersion: 'v1',
        time: '2020-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { '.': {}, 'f:b': {} } },
      },
      {
        manager: 'y',
        operation: 'Update',
        apiVersion: 'v1',
        time: '2021-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { 'f:a': {}, 'f:c': {} } },
      },
    ]);
  });

  it('does not record an update without changes', () => {
    const created = written('x', undefined, { a: '1' });
    expect(entries(written('y', created, { a: '1' }))).toEqual(entries(created));
  });

  it('does not record an update that only removes, but the other manager loses the field', () => {
    const created = written('x', undefined, { a: '1', b: '1' });
    expect(entries(written('y', created, { a: '1' }))).toMatchObject([
      { manager: 'x', fieldsV1: { 'f:data': { '.': {}, 'f:a': {} } } },
    ]);
  });

  it('distinguishes managers by subresource', () => {
    const created = written('x', undefined, { a: '1' });
    const after = { ...created, status: { text: 's' } };
    const result = update('x', created, after, { subresource: 'status', resetFields: [['data']] }).value;
    expect(entries(result)).toMatchObject([{ manager: 'x' }, { manager: 'x', subresource: 'status' }]);
  });

  it.each([[[]], [[{}]]])('resets managers for %j', (managedFields) => {
    const created = written('x', undefined, { a: '1' });
    const after = thing({ data: { a: '2' } }, { uid: 'u', managedFields });
    const live = { ...created, metadata: { ...(created.metadata as JsonObject), uid: 'u' } };
    expect(update('y', live, after).value).toEqual(thing({ data: { a: '2' } }, { uid: 'u' }));
  });

  it('keeps the managers if an update omits them', () => {
    const created = written('x', undefined, { a: '1' });
    expect(entries(update('y', created, thing({ data: { a: '1', b: '1' } })).value)).toMatchObject([
      { manager: 'x' },
      { manager: 'y' },
    ]);
  });

  it('leaves an object without managers unchanged', () => {
    const before = thing({ data: { a: '1' } }, { uid: 'u' });
    const after = thing({ data: { a: '2' } }, { uid: 'u' });
    expect(update('y', before, after).value).toEqual(after);
  });

  it('merges the two oldest managers when there are eleven', () => {
    let object: JsonObject | undefined;
    const data: { [key: string]: string } = {};
    for (let index = 0; index <= MAX_UPDATE_MANAGERS; index++) {
      data[`k${index}`] = 'x';
      const now = `2020-01-01T00:00:${10 + index}Z`;
      object = written(`m${index}`, object, { ...data }, { now });
    }
    const [oldest, ...rest] = entries(object ?? {});
    expect(oldest).toMatchObject({
      manager: 'ancient-changes',
      time: '2020-01-01T00:00:11Z',
      fieldsV1: { 'f:data': { '.': {}, 'f:k0': {}, 'f:k1': {} } },
    });
    expect(rest.map(({ manager }) => manager)).toEqual([
      'm2',
      'm3',
      'm4',
      'm5',
      'm6',
      'm7',
      'm8',
      'm9',
      'm10',
    ]);
  });

  it('never gives ownership of identity fields', () => {
    const created = update(
      'x',
      undefined,
      thing({}, { generation: 1, resourceVersion: '5', creationTimestamp: null }),
    );
    expect(created.value.metadata).not.toHaveProperty('managedFields');
  });
});

describe('ignoreTimestampChanges', () => {
  const owned = (time: string, data: JsonObject) => written('x', undefined, data, { now: time });

  it('keeps the times if nothing else changed', () => {
    const before = owned('2020-01-01T00:00:00Z', { a: '1' });
    expect(ignoreTimestampChanges(before, owned('2021-01-01T00:00:00Z', { a: '1' }))).toEqual(before);
  });

  it.each([
    ['a field', { a: '2' }],
    ['a manager', { a: '1', b: '1' }],
  ])('keeps new times on a change of %s', (_, data) => {
    const after = owned('2021-01-01T00:00:00Z', data);
    expect(ignoreTimestampChanges(owned('2020-01-01T00:00:00Z', { a: '1' }), after)).toBe(after);
  });
});

describe('managerName', () => {
  it.each([
    ['flux', 'kubectl/v1', 'flux'],
    ['', 'kubectl/v1.33.1 (linux/amd64) kubernetes/abc', 'kubectl'],
    ['', 'my\u0000 agent\u00a0', 'my agent'],
    ['', 'é'.repeat(100), 'é'.repeat(64)],
    ['', '', ''],
  ])('is %j, or that of the user agent %j', (fieldManager, userAgent, name) => {
    expect(managerName(fieldManager, userAgent)).toBe(name);
  });
});
