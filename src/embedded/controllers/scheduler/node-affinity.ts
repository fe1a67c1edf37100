/**
 * Node selector and required node affinity.
 */

import { own } from '../../../base/json.ts';
import type { Labels } from '../../../kubernetes/meta/index.ts';
import { matchesLabels } from '../../../kubernetes/selectors/index.ts';
import type { NodeSelectorTerm, PodSpec } from '../../../kubernetes/types/index.ts';

type NamedNode = { readonly name: string; readonly labels: Labels };

/** The node requirements of a pod. */
export type NodeRequirements = {
  readonly selector: readonly (readonly [key: string, value: string])[];
  /** Alternatives; undefined without required node affinity. */
  readonly terms: readonly NodeSelectorTerm[] | undefined;
};

export function nodeRequirements({ nodeSelector, affinity }: PodSpec): NodeRequirements | undefined {
  const selector = Object.entries(nodeSelector ?? {});
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (selector.length === 0 && required === undefined) return undefined;
  return { selector, terms: required?.nodeSelectorTerms };
}

export function meetsRequirements({ selector, terms }: NodeRequirements, node: NamedNode): boolean {
  return (
    selector.every(([key, value]) => own(node.labels, key) === value) &&
    (terms === undefined || terms.some((term) => matchesTerm(term, node)))
  );
}

/**
 * The only possible nodes if every alternative names some; undefined otherwise. Pods of DaemonSets name their node, so that
 * not all nodes have to be filtered.
 */
export function namedNodes(demands: NodeRequirements | undefined): ReadonlySet<string> | undefined {
  if (demands?.terms === undefined || demands.terms.length === 0) return undefined;
  const names = new Set<string>();
  for (const term of demands.terms) {
    const inTerm = namesInTerm(term);
    if (inTerm === undefined) return undefined;
    for (const name of inTerm) names.add(name);
  }
  return names;
}

const NAME_FIELD = 'metadata.name';

function namesInTerm({ matchFields = [] }: NodeSelectorTerm): ReadonlySet<string> | undefined {
  let names: ReadonlySet<string> | undefined;
  for (const { key, operator, values = [] } of matchFields) {
    if (key !== NAME_FIELD || operator !== 'In') continue;
    const before = names;
    names = new Set(before === undefined ? values : values.filter((value) => before.has(value)));
  }
  return names;
}

/** An empty term matches nothing. */
function matchesTerm(
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
  node: NamedNode,
): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  return (
    matchesLabels(
      matchExpressions.map(({ key, operator, values = [] }) => ({
        key,
        operator: LABEL_OPERATORS[operator],
        values,
      })),
      node.labels,
    ) &&
    // The server allows only metadata.name, with one value.
    matchFields.every(({ operator, values: [value] = [] }) => (operator === 'In') === (value === node.name))
  );
}

const LABEL_OPERATORS = {
  In: 'In',
  NotIn: 'NotIn',
  Exists: 'Exists',
  DoesNotExist: 'DoesNotExist',
  Gt: 'GreaterThan',
  Lt: 'LessThan',
} as const;
