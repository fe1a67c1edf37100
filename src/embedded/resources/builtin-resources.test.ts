import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { someContext } from '../../../test/support/resource-writes.ts';
import type { JsonObject } from '../../base/json.ts';
import { builtins, customResourceDefinition } from '../../kubernetes/types/index.ts';
import { builtinAdmissionPlugins } from './builtin-admission.ts';
import { createBuiltinResources } from './builtin-resources.ts';
import { builtinStrategies } from './builtin-strategies.ts';
import { builtinStrategy } from './builtin-strategy.ts';
import { objectMetaProblems, objectMetaUpdateProblems } from './object-meta.ts';
import { bindPod } from './pods/pod-binding.ts';
import { decideEviction } from './pods/pod-eviction.ts';
import { logTargetOf } from './pods/pod-log.ts';
import type { Resource } from './resource.ts';
import { groupResourceOf } from './resource.ts';
import { boundObjectOf, tokenRequestProblems, tokenRequestWithDefaults } from './token-request.ts';

const builtinResources = createBuiltinResources();

describe('the built-in resources', () => {
  it('are all built-in kinds of Kubernetes, and strategies and plugins are listed under existing resources', () => {
    expect(builtinResources.map(groupResourceOf)).toEqual(builtins.map(groupResourceOf));
    const keys = new Set(builtinResources.map(groupResourceOf));
    const listed = [...Object.keys(builtinStrategies), ...builtinAdmissionPlugins.keys()];
    expect(listed.filter((key) => !keys.has(key))).toEqual([]);
  });

  it('use the given strategy for CustomResourceDefinitions', () => {
    const crdStrategy = builtinStrategy({ of: customResourceDefinition });
    const found = createBuiltinResources({ crdStrategy }).filter(({ strategy }) => strategy === crdStrategy);
    expect(found.map(groupResourceOf)).toEqual(['customresourcedefinitions.apiextensions.k8s.io']);
  });
});

/** Objects with the names of real fields and arbitrary values. */
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

function runStrategy(resource: Resource, object: JsonObject, old: JsonObject): void {
  const { strategy } = resource;
  strategy.decode(object);
  const filled = strategy.setDefaults(object);
  for (const one of [object, filled, strategy.prepareForCreate(object, someContext)]) {
    objectMetaProblems(one, resource);
    strategy.validateCreate(one);
    strategy.warnings(one, undefined);
    strategy.gracePeriodSeconds?.(one, undefined);
  }
  for (const one of [object, filled, strategy.prepareForUpdate(object, old, someContext)]) {
    objectMetaUpdateProblems(one, old, resource);
    strategy.validateUpdate(one, old);
    strategy.warnings(one, old);
  }
  for (const subresource of Object.values(strategy.subresources))
    subresource.validateUpdate(subresource.prepareForUpdate(object, old, someContext), old);
  const context = { operation: 'create', random: () => 0, findServiceAccount: () => object } as const;
  builtinAdmissionPlugins.get(groupResourceOf(resource))?.(object, context);
}

describe('arbitrary input', () => {
  it('never makes a strategy throw, decoded or not', () => {
    fc.assert(
      fc.property(anyObject, anyObject, (object, old) => {
        for (const resource of builtinResources) runStrategy(resource, object, old);
      }),
      { numRuns: 50 },
    );
  });

  it('never makes a subresource throw', () => {
    fc.assert(
      fc.property(anyObject, anyObject, (one, other) => {
        decideEviction({ pod: one, eviction: other, budgets: [one, other], now: 'now' });
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
