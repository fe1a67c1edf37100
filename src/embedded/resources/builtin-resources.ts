/**
 * All resources that Kubernetes brings itself, each with its rules.
 */
import { type AnyBuiltin, builtins } from '../../kubernetes/types/index.ts';
import { coreRules } from './core-rules.ts';
import { groupRules } from './group-rules.ts';
import type { Resource, Rules } from './resource.ts';
import { builtinRules } from './rules.ts';

type BuiltinResourceOptions = {
  /** The rules of CustomResourceDefinitions, which come from the module that knows what definitions make. */
  readonly definitionRules?: Rules;
};

export function createBuiltinResources({
  definitionRules,
}: BuiltinResourceOptions = {}): readonly Resource[] {
  const rules: ReadonlyMap<string, Rules> = new Map([
    ...Object.entries(coreRules),
    ...Object.entries(groupRules),
    ...(definitionRules === undefined ? [] : [[DEFINITIONS, definitionRules] as const]),
  ]);
  return builtins.map((builtin) => ({
    ...builtin,
    origin: 'builtin',
    rules: rules.get(resourceKey(builtin)) ?? builtinRules({ of: builtin }),
  }));
}

/** With the usual rules for CustomResourceDefinitions. */
export const builtinResources: readonly Resource[] = createBuiltinResources();

/** `pods`, `deployments.apps`: how rules are filed. */
export function resourceKey({ plural, group }: Pick<AnyBuiltin, 'plural' | 'group'>): string {
  return group === '' ? plural : `${plural}.${group}`;
}

const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io';
