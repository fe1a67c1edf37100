/**
 * The served resources by group and version, in the order of kube-apiserver.
 */
import { compareBytes } from '../../base/json.ts';
import { memoized } from './memoized.ts';
import type { ServedResource } from './served-resource.ts';

export type ServedGroup = {
  /** Empty for the core group. */
  readonly name: string;
  /** The first is the preferred one. */
  readonly versions: readonly ServedVersion[];
};

export type ServedVersion = {
  readonly group: string;
  readonly version: string;
  readonly origin: ServedResource['origin'];
  readonly resources: readonly ServedResource[];
};

/** The core group comes first, then those of Kubernetes in an order of their own, then all others by name. */
export const servedGroups = memoized((resources: readonly ServedResource[]): readonly ServedGroup[] => {
  const groups = [...groupedBy(resources, ({ group }) => group)];
  return groups
    .toSorted(([a], [b]) => compareGroups(a, b))
    .map(([name, found]) => ({ name, versions: versionsOf(name, found) }));
});

export function findGroup(resources: readonly ServedResource[], name: string): ServedGroup | undefined {
  return servedGroups(resources).find((group) => group.name === name);
}

function versionsOf(group: string, resources: readonly ServedResource[]): readonly ServedVersion[] {
  return [...groupedBy(resources, ({ version }) => version)]
    .toSorted(([a], [b]) => compareVersions(a, b))
    .map(([version, found]) => ({
      group,
      version,
      // A version has built-in kinds or custom ones, never both.
      origin: found.every(({ origin }) => origin === 'builtin') ? 'builtin' : 'custom',
      resources: found.toSorted((a, b) => compareBytes(a.plural, b.plural)),
    }));
}

function groupedBy(
  resources: readonly ServedResource[],
  keyOf: (resource: ServedResource) => string,
): ReadonlyMap<string, readonly ServedResource[]> {
  const grouped = new Map<string, ServedResource[]>();
  for (const resource of resources) {
    const key = keyOf(resource);
    const members = grouped.get(key) ?? [];
    members.push(resource);
    grouped.set(key, members);
  }
  return grouped;
}

/**
 * The older groups before the newer ones: where two groups have a kind of the same name, clients use the first.
 */
const GROUPS_OF_KUBERNETES: readonly string[] = [
  '',
  'apps',
  'events.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'networking.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'storage.k8s.io',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'scheduling.k8s.io',
  'coordination.k8s.io',
  'node.k8s.io',
  'discovery.k8s.io',
];

function compareGroups(a: string, b: string): number {
  const rank = (name: string) => {
    const index = GROUPS_OF_KUBERNETES.indexOf(name);
    return index < 0 ? GROUPS_OF_KUBERNETES.length : index;
  };
  return rank(a) - rank(b) || compareBytes(a, b);
}

/**
 * The most stable version first: `v10`, `v2`, `v2beta1`, `v1beta2`, `v3alpha1`, and names of any other form at the end,
 * in alphabetical order.
 */
export function compareVersions(a: string, b: string): number {
  const left = parseVersion(a);
  const right = parseVersion(b);
  if (left === undefined || right === undefined) {
    return left === right ? compareBytes(a, b) : left === undefined ? 1 : -1;
  }
  return right.stage - left.stage || right.major - left.major || right.minor - left.minor;
}

type ParsedVersion = { readonly stage: number; readonly major: number; readonly minor: number };

const STAGES = ['alpha', 'beta', ''];

function parseVersion(version: string): ParsedVersion | undefined {
  const match = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/.exec(version);
  if (match === null) return undefined;
  const [, major, stage = '', minor = '0'] = match;
  return { stage: STAGES.indexOf(stage), major: Number(major), minor: Number(minor) };
}
