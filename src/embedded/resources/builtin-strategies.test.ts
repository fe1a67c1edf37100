import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hostileJson } from '../../../test/support/arbitraries.ts';
import { someContext } from '../../../test/support/resource-writes.ts';
import { canonicalJson, isObject, type JsonObject } from '../../base/json.ts';
import type { StructuralSchema } from '../../kubernetes/schema/index.ts';
import { builtins } from '../../kubernetes/types/index.ts';
import { builtinStrategies } from './builtin-strategies.ts';
import { groupResourceOf } from './resource.ts';

describe('builtinStrategies', () => {
  it('are listed under existing group resources', () => {
    const known = new Set(builtins.map(groupResourceOf));
    expect(Object.keys(builtinStrategies).filter((key) => !known.has(key))).toEqual([]);
  });

  it('have the status and finalize subresources that the kind has', () => {
    for (const builtin of builtins) {
      const strategy = builtinStrategies[groupResourceOf(builtin)];
      if (strategy === undefined) continue;
      const expected = ['status', 'finalize'].filter((name) =>
        builtin.subresources.some((subresource) => subresource.name === name),
      );
      expect([builtin.kind, Object.keys(strategy.subresources)]).toEqual([builtin.kind, expected]);
    }
  });

  it.each([
    ['deployments.apps', true, false],
    ['replicasets.apps', true, false],
    ['daemonsets.apps', true, false],
    ['jobs.batch', true, false],
    ['poddisruptionbudgets.policy', false, false],
    ['leases.coordination.k8s.io', false, true],
    ['roles.rbac.authorization.k8s.io', true, true],
    ['clusterroles.rbac.authorization.k8s.io', true, true],
    ['rolebindings.rbac.authorization.k8s.io', true, true],
    ['clusterrolebindings.rbac.authorization.k8s.io', true, true],
    ['validatingadmissionpolicies.admissionregistration.k8s.io', false, false],
    ['validatingadmissionpolicybindings.admissionregistration.k8s.io', false, false],
  ])('%s: unconditional update %s, create on update %s', (key, isUnconditional, isCreating) => {
    expect(builtinStrategies[key]).toMatchObject({
      allowsUnconditionalUpdate: isUnconditional,
      allowsCreateOnUpdate: isCreating,
    });
  });
});

describe('arbitrary input', () => {
  /** Objects with known fields, whose values may or may not have the right type. */
  const junk = (schema: StructuralSchema, depth: number): fc.Arbitrary<unknown> => {
    const { properties, items, additionalProperties: values } = schema;
    if (depth === 0) return hostileJson;
    if (properties !== undefined) {
      const fields = fc
        .uniqueArray(fc.constantFrom(...Object.keys(properties)), { maxLength: 6 })
        .chain((keys) =>
          fc.record(Object.fromEntries(keys.map((key) => [key, junk(properties[key] ?? {}, depth - 1)]))),
        );
      return fc.oneof({ weight: 6, arbitrary: fields }, hostileJson);
    }
    if (items !== undefined) return fc.oneof(fc.array(junk(items, depth - 1), { maxLength: 3 }), hostileJson);
    if (typeof values === 'object') return fc.oneof(fc.dictionary(key, junk(values, depth - 1)), hostileJson);
    return fc.oneof(fc.integer(), fc.boolean(), fc.constantFrom(...TEXTS), hostileJson);
  };
  const key = fc.constantFrom('app', '__proto__', 'constructor', 'a b');
  const TEXTS = [
    '',
    'Indexed',
    'RollingUpdate',
    'In',
    '1-3',
    '50%',
    'true',
    '__proto__',
    '2024-01-01T00:00:00Z',
  ];
  const hostileObject = (schema: StructuralSchema) =>
    junk(schema, 7)
      .filter(isObject)
      // What a parser yields is JSON.
      .map((object) => object as JsonObject);

  it.each(
    builtins.flatMap((builtin) => {
      const strategy = builtinStrategies[groupResourceOf(builtin)];
      return strategy === undefined ? [] : [[builtin.kind, builtin.schema, strategy] as const];
    }),
  )('never makes the strategy of %s throw or change its input', (_, schema, strategy) => {
    const survive = (object: JsonObject, old: JsonObject): void => {
      const before = canonicalJson([object, old]);
      strategy.decode(object);
      const filled = strategy.setDefaults(object);
      strategy.validateCreate(strategy.prepareForCreate(filled, someContext));
      const updated = strategy.prepareForUpdate(filled, old, someContext);
      strategy.validateUpdate(updated, old);
      strategy.warnings(updated, old);
      for (const subresource of Object.values(strategy.subresources)) {
        subresource.validateUpdate(subresource.prepareForUpdate(filled, old, someContext), old);
      }
      expect(canonicalJson([object, old])).toBe(before);
    };
    const object = hostileObject(schema);
    fc.assert(fc.property(object, object, survive), { numRuns: 50 });
  });
});
