/**
 * Nodes that were installed with the configuration of a custom pool.
 *
 * A new node fetches the configuration of its pool before it has any labels, and then joins as a worker. Sending it to the
 * configuration of the workers would revert its installation, so it gets the labels that its pool selects. This happens
 * once, marked by an annotation: afterwards the labels belong to the administrator.
 */

import { annotations, type MachineConfig, type MachineConfigPool } from '../api/index.ts';
import { isObject } from '../base/json.ts';
import { objectsAt, optionalStringAt, stringAt, valueAt } from '../base/json-fields.ts';
import { annotationOf, type LabelSelector, nameOf } from '../kubernetes/meta/index.ts';
import type { Node } from '../kubernetes/types/index.ts';

/** Written on the node in one patch. */
export type Relabelling = {
  readonly node: string;
  readonly pool: string;
  readonly labels: { readonly [key: string]: string };
  readonly annotations: { readonly [key: string]: string };
};

type BootedPoolLookups = {
  readonly machineConfig: (name: string) => MachineConfig | undefined;
  readonly pool: (name: string) => MachineConfigPool | undefined;
};

/** `undefined` where the node needs no labels: also if its pool is gone, or the pool's selector does not determine any label. */
export function relabellingOf(
  node: Node,
  { machineConfig, pool }: BootedPoolLookups,
): Relabelling | undefined {
  if (annotationOf(node, annotations.customPoolLabelsApplied) !== undefined) return undefined;
  const first = annotationOf(node, annotations.firstPivotConfig) ?? '';
  const poolName = poolOf(first, machineConfig(first));
  if (poolName === '' || poolName === 'master' || poolName === 'worker') return undefined;
  const booted = pool(poolName);
  const labels = labelsOf(booted?.spec?.nodeSelector);
  if (Object.keys(labels).length === 0) return undefined;
  return {
    node: nameOf(node),
    pool: poolName,
    labels,
    annotations: { [annotations.customPoolLabelsApplied]: '' },
  };
}

/** The owner of the rendered config. Where that was pruned while the machine was being installed, its name tells as much. */
function poolOf(name: string, config: MachineConfig | undefined): string {
  const [owner] = objectsAt(config?.metadata, 'ownerReferences');
  return config === undefined
    ? (/^rendered-(.+)-[0-9a-f]{32}$/.exec(name)?.[1] ?? '')
    : stringAt(owner, 'name');
}

/** The labels that the selector determines. Exact values take precedence over `Exists`, in whatever order they are. */
function labelsOf(selector: LabelSelector | undefined): { readonly [key: string]: string } {
  const given = new Map<string, string>();
  for (const expression of objectsAt(selector, 'matchExpressions')) {
    const key = optionalStringAt(expression, 'key');
    if (key === undefined) continue;
    const values: readonly unknown[] = Array.isArray(expression.values) ? expression.values : [];
    const [value] = values;
    if (expression.operator === 'In' && values.length === 1 && typeof value === 'string')
      given.set(key, value);
    if (expression.operator === 'Exists' && !given.has(key)) given.set(key, '');
  }
  const matchLabels = valueAt(selector, 'matchLabels');
  for (const key of isObject(matchLabels) ? Object.keys(matchLabels) : []) {
    given.set(key, stringAt(matchLabels, key));
  }
  return Object.fromEntries(given);
}
