/**
 * Which pool a node is in.
 *
 * Pools select nodes by label. Clusters that were installed by others label nodes in other ways, and nodes are never
 * relabelled: their labels are translated for the selection alone. kubeadm and k3s give workers no role, kubeadm calls the
 * control plane `control-plane` only, k3s and RKE2 write `true` where others leave the value empty.
 *
 * A node may match several pools. All pools but `master` and `worker` are custom (`arbiter` too). A custom pool takes
 * precedence over `worker`, `master` over all, and two custom pools are a conflict that the administrator has to solve.
 *
 * Selectors are compiled once per pool object, so that an event of a node costs one match per pool. An invalid selector
 * affects only its own pool, which then has no nodes.
 */

import { labels, type MachineConfigPool, nodeRoleLabel } from '../api/index.ts';
import { formatProblem, type Problem } from '../base/errors.ts';
import { compareBytes } from '../base/json.ts';
import {
  isEmptySelector,
  type LabelSelector,
  labelsOf,
  nameOf,
  selectorProblems,
} from '../kubernetes/meta/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import { isManaged, isWindows } from './node-state.ts';

export type Membership =
  /** `primary` counts the node; `also` selects it too and is reconciled with it. */
  | {
      readonly kind: 'member';
      readonly primary: MachineConfigPool;
      readonly also: readonly MachineConfigPool[];
      /** A custom pool that selects a control plane node, without effect. */
      readonly ignored?: MachineConfigPool;
    }
  /** No pool selects the node. With a message if it should be in one. */
  | { readonly kind: 'none'; readonly primary?: undefined; readonly message?: string }
  | { readonly kind: 'windows'; readonly primary?: undefined }
  /** More than one custom pool selects it: it is in none until the administrator decides. */
  | {
      readonly kind: 'conflict';
      readonly primary?: undefined;
      readonly pools: readonly MachineConfigPool[];
      readonly message: string;
    };

export function membershipOf(node: Node, pools: Iterable<MachineConfigPool>): Membership {
  if (isWindows(node)) return { kind: 'windows' };
  const labelsOfNode = poolLabels(node);
  const matching = [...pools].filter((pool) => selectionOf(pool).matches(labelsOfNode));
  const master = matching.find((pool) => nameOf(pool) === 'master');
  const worker = matching.find((pool) => nameOf(pool) === 'worker');
  const custom = matching.filter((pool) => pool !== master && pool !== worker);
  if (custom.length > 1) return conflict(node, custom);
  const [only] = custom;
  const shared = worker === undefined ? [] : [worker];
  if (only !== undefined && master !== undefined) {
    return { kind: 'member', primary: master, also: shared, ignored: only };
  }
  if (only !== undefined) return { kind: 'member', primary: only, also: shared };
  const builtIn = master ?? worker;
  return builtIn === undefined ? outside(node) : { kind: 'member', primary: builtIn, also: [] };
}

/** The error of the pool's node selector, as its event reports it. */
export function nodeSelectorProblem(pool: MachineConfigPool): Problem | undefined {
  return selectionOf(pool).problem;
}

/** Whether the selector is empty. That would select every node, which is never intended; it selects none. */
export function isSelectingAll(pool: MachineConfigPool): boolean {
  const selector = pool.spec?.nodeSelector;
  return selector !== undefined && selector !== null && isEmptySelector(selector);
}

function conflict(node: Node, pools: readonly MachineConfigPool[]): Membership {
  const sorted = pools.toSorted((a, b) => compareBytes(nameOf(a), nameOf(b)));
  const names = sorted.map(nameOf);
  const list = `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  return {
    kind: 'conflict',
    pools: sorted,
    message:
      `node ${nameOf(node)} belongs to ${names.length} custom roles, cannot proceed with this Node: ` +
      `it matches the pools ${list}; a node can be in one custom pool only, so remove the labels of all but one`,
  };
}

function outside(node: Node): Membership {
  if (!isManaged(node)) return { kind: 'none' };
  const message = `all nodes must be in a pool if managed by the MCO. Node ${nameOf(node)} is not in a pool`;
  return { kind: 'none', message };
}

const ROLE_PREFIX = nodeRoleLabel('');

/** The labels that selectors of pools are matched with. */
function poolLabels(node: Node): ReadonlyMap<string, string> {
  const found = new Map(Object.entries(labelsOf(node)).map(([key, value]) => [key, roleValue(key, value)]));
  const hasRole = [...found.keys()].some((key) => key.startsWith(ROLE_PREFIX));
  if (!hasRole) found.set(labels.nodeRoleWorker, '');
  if (found.has(labels.nodeRoleControlPlane) && !found.has(labels.nodeRoleMaster)) {
    found.set(labels.nodeRoleMaster, '');
  }
  return found;
}

/** Of a label of a node, and of a selector. */
function roleValue(key: string, value: string): string {
  return value === 'true' && key.startsWith(ROLE_PREFIX) ? '' : value;
}

type Selection = {
  readonly matches: (labels: ReadonlyMap<string, string>) => boolean;
  readonly problem?: Problem;
};

/** By object, not by name: a changed pool is a new object, and its old selector is garbage collected. */
const selections = new WeakMap<MachineConfigPool, Selection>();

function selectionOf(pool: MachineConfigPool): Selection {
  const known = selections.get(pool);
  if (known !== undefined) return known;
  const selection = compile(pool.spec?.nodeSelector);
  selections.set(pool, selection);
  return selection;
}

function compile(selector: LabelSelector | undefined): Selection {
  if (isEmptySelector(selector)) return { matches: () => false };
  const [first] = selectorProblems(selector, '');
  if (first !== undefined) {
    const message = `invalid label selector: ${formatProblem(first)}`;
    return { matches: () => false, problem: { path: 'spec.nodeSelector', message } };
  }
  const equal = Object.entries(selector?.matchLabels ?? {}).map(
    ([key, value]) => [key, roleValue(key, value)] as const,
  );
  const requirements = (selector?.matchExpressions ?? []).map(({ key, operator, values }) => ({
    key,
    operator,
    values: new Set((values ?? []).map((value) => roleValue(key, value))),
  }));
  return {
    matches: (given) =>
      equal.every(([key, value]) => given.get(key) === value) &&
      requirements.every(({ key, operator, values }) => {
        const value = given.get(key);
        const isAmongValues = value !== undefined && values.has(value);
        if (operator === 'In') return isAmongValues;
        if (operator === 'NotIn') return !isAmongValues;
        return operator === 'Exists' ? value !== undefined : value === undefined;
      }),
  };
}
