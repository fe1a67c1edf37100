/** Recorded from kube-apiserver 1.33. */
import { describe, expect, it } from 'vitest';
import { created, updated } from '../../../test/support/resource-writes.ts';
import { configMapStrategy as strategy } from './config-map.ts';

const brief = (causes: readonly string[]) => causes.map((cause) => cause.replace(/ \(e\.g\. '.*$/, ''));

const metadata = { name: 'a' };
const SEALED = 'FieldValueForbidden: Forbidden: field is immutable when `immutable` is set';
const NOT_A_KEY = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";

describe('the strategy of ConfigMaps', () => {
  it.each([
    ['', NOT_A_KEY],
    ['a b', NOT_A_KEY],
    ['.', "must not be '.'"],
    ['..', "must not be '..'"],
    ['..a', "must not start with '..'"],
    ['k'.repeat(254), 'must be no more than 253 characters'],
  ])('rejects keys that are no file names: %j', (key, why) => {
    const { causes } = created(strategy, { metadata, data: { [key]: 'x' } });
    expect(brief(causes)).toEqual([`data[${key}] FieldValueInvalid: Invalid value: "${key}": ${why}`]);
  });

  it('rejects a key in both data and binaryData', () => {
    const { causes } = created(strategy, { metadata, data: { a: 'b' }, binaryData: { a: 'YQ==' } });
    expect(causes).toEqual([
      'data[a] FieldValueInvalid: Invalid value: "a": duplicate of key present in binaryData',
    ]);
  });

  it('limits data and binaryData together to one MiB', () => {
    const data = { a: '\u00fc'.repeat(2 ** 18) };
    const bytes = (count: number) => ({ b: btoa('x'.repeat(count)) });
    expect(created(strategy, { metadata, data, binaryData: bytes(2 ** 19) }).causes).toEqual([]);
    expect(created(strategy, { metadata, data, binaryData: bytes(2 ** 19 + 1) }).causes).toEqual([
      '[] FieldValueTooLong: Too long: may not be more than 1048576 bytes',
    ]);
  });

  it('rejects changes of immutable data', () => {
    const old = created(strategy, { metadata, data: { a: 'b' }, immutable: true }).object;
    const causesOf = (change: object) => updated(strategy, old, { ...old, ...change }).causes;
    expect(causesOf({ data: { a: 'c' } })).toEqual([`data ${SEALED}`]);
    expect(causesOf({ binaryData: { z: 'YQ==' } })).toEqual([`binaryData ${SEALED}`]);
    expect(causesOf({ immutable: false, data: {} })).toEqual([`immutable ${SEALED}`, `data ${SEALED}`]);
    expect(causesOf({ metadata: { ...metadata, labels: { a: 'b' } } })).toEqual([]);
  });
});
