/**
 * All resources that Kubernetes brings itself, each with its rules.
 */
import { type AnyBuiltin, builtins } from '../../kubernetes/types/index.ts';
import { coreStrategies } from './core-rules.ts';
import { groupStrategies } from './group-rules.ts';
import type { Resource, Strategy } from './resource.ts';
import { builtinStrategy } from './rules.ts';

type BuiltinResourceOptions = {
  /** The rules of CustomResourceDefinitions, which come from the module that knows what definitions make. */
  readonly crdStrategy?: Strategy;
};

export function createBuiltinResources({ crdStrategy }: BuiltinResourceOptions = {}): readonly Resource[] {
  const strategies: ReadonlyMap<string, Strategy> = new Map([
    ...Object.entries(coreStrategies),
    ...Object.entries(groupStrategies),
    ...(crdStrategy === undefined ? [] : [[DEFINITIONS, crdStrategy] as const]),
  ]);
  return builtins.map((builtin) => ({
    ...builtin,
    origin: 'builtin',
    strategy: strategies.get(groupResourceOf(builtin)) ?? builtinStrategy({ of: builtin }),
  }));
}

/** With the usual rules for CustomResourceDefinitions. */
export const builtinResources: readonly Resource[] = createBuiltinResources();

/** `pods`, `deployments.apps`: how rules are filed. */
export function groupResourceOf({ plural, group }: Pick<AnyBuiltin, 'plural' | 'group'>): string {
  return group === '' ? plural : `${plural}.${group}`;
}

const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io';
