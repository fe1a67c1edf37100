/**
 * All resources that are built into Kubernetes, each with its strategy.
 */
import { builtins } from '../../kubernetes/types/index.ts';
import { builtinStrategies } from './builtin-strategies.ts';
import { builtinStrategy } from './builtin-strategy.ts';
import { groupResourceOf, type Resource } from './resource.ts';
import type { Strategy } from './strategy.ts';

type BuiltinResourceOptions = {
  /** The strategy of CustomResourceDefinitions, which `crds` provides; the default one if absent. */
  readonly crdStrategy?: Strategy;
};

export function createBuiltinResources({ crdStrategy }: BuiltinResourceOptions = {}): readonly Resource[] {
  const strategies: ReadonlyMap<string, Strategy> = new Map([
    ...Object.entries(builtinStrategies),
    ...(crdStrategy === undefined ? [] : [[CRDS, crdStrategy] as const]),
  ]);
  return builtins.map((builtin) => ({
    ...builtin,
    origin: 'builtin',
    strategy: strategies.get(groupResourceOf(builtin)) ?? builtinStrategy({ of: builtin }),
  }));
}

const CRDS = 'customresourcedefinitions.apiextensions.k8s.io';
