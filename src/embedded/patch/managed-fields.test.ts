import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Json } from '../../base/json.ts';
import { FieldSetBuilder, pathsOf } from './field-set.ts';
import {
  decodeManagedFields,
  encodeManagedFields,
  type FieldManager,
  type FieldManagers,
  identityOf,
} from './managed-fields.ts';
import { fieldElement, indexElement, keyElement, pathText, valueElement } from './path-element.ts';

/** JSON has one zero (`-0` is written as `0`, and so read back as another number) and no infinity. */
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const scalar = fc.oneof(fc.string(), fc.integer(), number, fc.boolean());
const element = fc.oneof(
  fc.string().map(fieldElement),
  fc.nat(9).map(indexElement),
  scalar.map(valueElement),
  fc
    .uniqueArray(fc.record({ name: fc.string(), value: scalar }), {
      minLength: 1,
      maxLength: 2,
      selector: ({ name }) => name,
    })
    .map(keyElement),
);
const fields = fc.array(fc.array(element, { minLength: 1, maxLength: 3 }), { maxLength: 5 }).map((paths) => {
  const builder = new FieldSetBuilder();
  for (const path of paths) builder.insert(path);
  return builder.build();
});
const owner: fc.Arbitrary<FieldManager> = fc.record({
  manager: fc.constantFrom('', 'kubectl', 'm"x'),
  operation: fc.constantFrom('Apply', 'Update'),
  apiVersion: fc.constantFrom('v1', 'apps/v1'),
  subresource: fc.constantFrom('', 'status'),
  time: fc.constantFrom(undefined, '2020-01-01T00:00:00Z', '2021-01-01T00:00:00Z'),
  fields,
});

/** The managers in a comparable form. */
function formatted(managers: FieldManagers): readonly unknown[] {
  return [...managers]
    .map(([identity, { fields: set, ...rest }]) => [
      identity,
      rest,
      pathsOf(set).map((path) => pathText(path)),
    ])
    .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1));
}

function decoded(entries: readonly Json[]): FieldManagers {
  const managers = decodeManagedFields(entries);
  if ('failure' in managers) throw new Error(managers.failure);
  return managers;
}

it('managers are decoded as they were encoded, also by another server', () => {
  fc.assert(
    fc.property(fc.array(owner, { maxLength: 4 }), (list) => {
      const managers = new Map(list.map((one) => [identityOf(one), one]));
      const entries = encodeManagedFields(managers);
      // The second list is equal, but nothing in it is cached.
      const others: readonly Json[] = JSON.parse(JSON.stringify(entries));
      expect(formatted(decoded(entries))).toEqual(formatted(managers));
      expect(formatted(decoded(others))).toEqual(formatted(managers));
      expect(encodeManagedFields(decoded(others))).toEqual(entries);
    }),
  );
});

it('entries that did not change stay the same objects', () => {
  const entries = encodeManagedFields(
    new Map([
      ...['a', 'b'].map((manager): [string, FieldManager] => {
        const set = new FieldSetBuilder();
        set.insert([fieldElement('spec')]);
        const one: FieldManager = {
          manager,
          operation: 'Update',
          apiVersion: 'v1',
          subresource: '',
          time: undefined,
          fields: set.build(),
        };
        return [identityOf(one), one];
      }),
    ]),
  );
  expect(encodeManagedFields(decoded(entries))[1]).toBe(entries[1]);
});
