/**
 * Tables of fields: accepted values, rejected values, and messages.
 *
 * A row starts from a valid object and changes one field, so every problem is about that field.
 */
import { expect, test } from 'vitest';
import { isObject } from '../../src/base/json.ts';
import type { AnyKind } from '../../src/kubernetes/meta/index.ts';
import { validate } from '../../src/kubernetes/validation/index.ts';

export type FieldRow = {
  /** The field to set, such as `spec.pool.name`. Lists are set as a whole. */
  readonly at: string;
  /** Values that pass; `undefined` leaves the field out. */
  readonly good: readonly unknown[];
  readonly bad: readonly unknown[];
  /** The message for each bad value, or a part of it. */
  readonly message: string;
  /** The path of the problem, if not the field itself. */
  readonly path?: string;
  /** The old value of an update. Without it the object is created. */
  readonly from?: unknown;
};

type Sample = { readonly [field: string]: unknown };

/** An object of the kind with only the given fields. */
export function sampleOf(
  kind: AnyKind,
  fields: { readonly name: string; readonly spec?: unknown; readonly status?: unknown },
): Sample {
  const { name, ...rest } = fields;
  return { apiVersion: `${kind.group}/${kind.version}`, kind: kind.kind, metadata: { name }, ...rest };
}

export function checkFields(kind: AnyKind, sample: Sample, rows: readonly FieldRow[]): void {
  test(`${kind.kind}: the sample itself is valid`, () => {
    expect(validate(kind.schema, sample)).toEqual([]);
  });
  for (const row of rows) {
    const path = row.path ?? row.at;
    const isUpdate = Object.hasOwn(row, 'from');
    const options = isUpdate ? { old: withField(sample, row.at, row.from) } : {};
    const problemsOf = (value: unknown) => validate(kind.schema, withField(sample, row.at, value), options);

    test(`${kind.kind} checks ${row.at} ${isUpdate ? 'on update' : 'on create'}: ${row.message}`, () => {
      for (const value of row.bad) {
        expect(problemsOf(value), JSON.stringify(value)).toContainEqual(
          expect.objectContaining({ path, message: expect.stringContaining(row.message) }),
        );
      }
      for (const value of row.good) {
        expect(problemsOf(value), JSON.stringify(value)).toEqual([]);
      }
    });
  }
}

/** A copy with one field changed; missing parents are created. */
function withField(object: Sample, path: string, value: unknown): Sample {
  const [name = '', ...below] = path.split('.');
  const { [name]: child, ...others } = object;
  if (below.length === 0) return value === undefined ? others : { ...object, [name]: value };
  return { ...object, [name]: withField(isObject(child) ? child : {}, below.join('.'), value) };
}
