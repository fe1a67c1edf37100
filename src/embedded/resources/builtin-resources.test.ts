import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { someContext } from '../../../test/resource-writes.ts';
import type { JsonObject } from '../../base/json.ts';
import { builtins, customResourceDefinition } from '../../kubernetes/types/index.ts';
import { builtinAdmission } from './builtin-admission.ts';
import { builtinResources, createBuiltinResources, resourceKey } from './builtin-resources.ts';
import { coreRules } from './core-rules.ts';
import { groupRules } from './group-rules.ts';
import { metadataProblems, metadataUpdateProblems } from './object-meta.ts';
import { bindPod } from './pods/pod-binding.ts';
import { evictionOf } from './pods/pod-eviction.ts';
import { logTargetOf } from './pods/pod-log.ts';
import type { Resource } from './resource.ts';
import { builtinRules } from './rules.ts';
import { boundObjectOf, tokenRequestProblems, tokenRequestWithDefaults } from './token-request.ts';

describe('the built-in resources', () => {
  it('are all that Kubernetes brings, each with its rules', () => {
    expect(builtinResources.map(resourceKey)).toEqual(builtins.map(resourceKey));
    const keys = new Set(builtinResources.map(resourceKey));
    const filed = [...Object.keys(coreRules), ...Object.keys(groupRules), ...builtinAdmission.keys()];
    expect(filed.filter((key) => !keys.has(key))).toEqual([]);
  });

  it('take the rules of definitions from whoever knows them', () => {
    const definitionRules = builtinRules({ of: customResourceDefinition });
    const found = createBuiltinResources({ definitionRules }).filter(
      ({ rules }) => rules === definitionRules,
    );
    expect(found.map(resourceKey)).toEqual(['customresourcedefinitions.apiextensions.k8s.io']);
  });
});

/** Objects with the names of real fields and any values in them. */
const KEYS = [
  'metadata',
  'spec',
  'status',
  'template',
  'containers',
  'volumes',
  'ports',
  'labels',
  '__proto__',
];
const anyObject = fc.dictionary(
  fc.constantFrom(
    ...KEYS,
    'taints',
    'data',
    'finalizers',
    'ownerReferences',
    'selector',
    'name',
    'resources',
  ),
  fc.jsonValue({ maxDepth: 4 }),
) as fc.Arbitrary<JsonObject>;

function treated(resource: Resource, object: JsonObject, old: JsonObject): void {
  const { rules } = resource;
  rules.decode(object);
  const filled = rules.defaults(object);
  for (const one of [object, filled, rules.prepareCreate(object, someContext)]) {
    metadataProblems(one, resource);
    rules.checkCreate(one);
    rules.warnings(one, undefined);
    rules.gracePeriodSeconds?.(one, undefined);
  }
  for (const one of [object, filled, rules.prepareUpdate(object, old, someContext)]) {
    metadataUpdateProblems(one, old, resource);
    rules.checkUpdate(one, old);
    rules.warnings(one, old);
  }
  for (const door of Object.values(rules.doors)) door.check(door.prepare(object, old, someContext), old);
  const context = { operation: 'create', random: () => 0, findServiceAccount: () => object } as const;
  builtinAdmission.get(resourceKey(resource))?.(object, context);
}

describe('no input', () => {
  it('makes a rule throw, decoded or not', () => {
    fc.assert(
      fc.property(anyObject, anyObject, (object, old) => {
        for (const resource of builtinResources) treated(resource, object, old);
      }),
      { numRuns: 50 },
    );
  });

  it('makes a door throw', () => {
    fc.assert(
      fc.property(anyObject, anyObject, (one, other) => {
        evictionOf({ pod: one, eviction: other, budgets: [one, other], now: 'now' });
        bindPod(one, other, 'now');
        logTargetOf(one, {});
        const account = { namespace: 'space', name: 'robot', audiences: [] };
        tokenRequestProblems(one, account);
        tokenRequestWithDefaults(one, account);
        boundObjectOf(one);
      }),
      { numRuns: 200 },
    );
  });
});
