import { describe, expect, it } from 'vitest';
import type { Json } from '../../base/json.ts';
import { parseTimestamp } from '../../base/text/timestamps.ts';
import { customPrinter } from './print-custom.ts';
import { AGE, NAME } from './printer.ts';

const nowMs = parseTimestamp('2026-01-01T00:00:00Z') ?? 0;

function cellOf(type: string, value: Json): Json | undefined {
  const printer = customPrinter([{ name: 'Value', type, jsonPath: '.spec.v' }]);
  return printer.row({ metadata: { name: 'a' }, spec: { v: value } }, nowMs).cells[1];
}

describe('the printer columns of a CRD', () => {
  it('are dropped from the first invalid path on', () => {
    const printer = customPrinter([
      { name: 'Good', type: 'string', jsonPath: '.a' },
      { name: 'Bad', type: 'string', jsonPath: '.a[x]' },
      { name: 'After', type: 'string', jsonPath: '.a' },
    ]);
    expect(printer.columns.map(({ name }) => name)).toEqual(['Name', 'Good']);
    expect(printer.row({ metadata: { name: 'n' }, a: 'b' }, nowMs).cells).toEqual(['n', 'b']);
  });

  it.each(['constructor', '__proto__', 'toString'])('may be called %s', (name) => {
    const printer = customPrinter([{ name, type: 'string', description: 'Mine', jsonPath: '.a' }]);
    expect(printer.columns[1]).toMatchObject({ name, description: 'Mine' });
  });

  it('have default descriptions', () => {
    const [, withoutManagers, full] = customPrinter([
      { name: 'Bare', type: 'integer', jsonPath: '.spec.size' },
      { name: 'Full', type: 'number', format: 'double', description: 'Mine', priority: 2, jsonPath: '.a' },
    ]).columns;
    expect(withoutManagers).toEqual({
      name: 'Bare',
      type: 'integer',
      format: '',
      description: 'Custom resource definition column (in JSONPath format): .spec.size',
      priority: 0,
    });
    expect(full).toEqual({
      name: 'Full',
      type: 'number',
      format: 'double',
      description: 'Mine',
      priority: 2,
    });
  });

  it('default to name and age', () => {
    const printer = customPrinter([]);
    expect(printer.columns).toEqual([NAME, { ...AGE, type: 'date' }]);
    const object = { metadata: { name: 'a', creationTimestamp: '2025-12-31T23:59:00Z' } };
    expect(printer.row(object, nowMs).cells).toEqual(['a', '60s']);
    expect(printer.row({}, nowMs).cells).toEqual(['', null]);
  });
});

// Recorded from kube-apiserver 1.33.
describe('a cell of a custom resource', () => {
  it.each<[Json, { readonly [type: string]: Json }]>([
    [1, { string: '1', integer: 1, number: 1 }],
    [1.5, { string: '1.5', integer: 1, number: 1.5 }],
    [-1.5, { string: '-1.5', integer: -1, number: -1.5 }],
    [1e6, { string: '1000000', integer: 1e6, number: 1e6 }],
    [123456.789, { string: '123456.789', integer: 123456, number: 123456.789 }],
    [1e-7, { string: '1e-07', integer: 0, number: 1e-7 }],
    [true, { string: 'true', boolean: true }],
    ['text', { string: 'text', date: '<invalid>' }],
    ['5', { string: '5', date: '<invalid>' }],
    ['', { string: '', date: '<unknown>' }],
    ['null', { string: 'null', date: '<unknown>' }],
    [null, { string: '<no value>' }],
    [[], { string: '[]' }],
    [{ z: 1, a: [null] }, { string: '{"a":[null],"z":1}' }],
    [{ a: '<b>&\u2028' }, { string: '{"a":"\\u003cb\\u003e\\u0026\\u2028"}' }],
    ['2025-12-31T23:00:00Z', { string: '2025-12-31T23:00:00Z', date: '60m' }],
    ['2026-01-01T01:00:00.5+02:00', { string: '2026-01-01T01:00:00.5+02:00', date: '59m' }],
    ['2025-12-31T23:00:00z', { string: '2025-12-31T23:00:00z', date: '<invalid>' }],
    ['2025-12-31', { string: '2025-12-31', date: '<invalid>' }],
    ['0001-01-01T00:00:00Z', { string: '0001-01-01T00:00:00Z', date: '<unknown>' }],
    ['2027-01-01T00:00:00Z', { string: '2027-01-01T00:00:00Z', date: '<invalid>' }],
  ])('prints %j in each column type', (value, formatted) => {
    const types = ['string', 'integer', 'number', 'boolean', 'date', 'other'];
    const cells = Object.fromEntries(types.map((type) => [type, cellOf(type, value)]));
    const nothing = Object.fromEntries(types.map((type) => [type, null]));
    expect(cells).toEqual({ ...nothing, ...formatted });
  });

  it('prints the first of several values, and nothing if there is none', () => {
    const printer = customPrinter([
      { name: 'All', type: 'string', jsonPath: '.list[*].name' },
      { name: 'Ready', type: 'string', jsonPath: '.conditions[?(@.type=="Ready")].status' },
    ]);
    const object = {
      list: [{ name: 'x' }, { name: 'y' }],
      conditions: [
        { type: 'Other', status: 'x' },
        { type: 'Ready', status: 'True' },
      ],
    };
    expect(printer.row(object, nowMs).cells).toEqual(['', 'x', 'True']);
    expect(printer.row({ list: 'no' }, nowMs).cells).toEqual(['', null, null]);
  });
});
