/**
 * Builders for the bootstrap policy: roles and bindings in one line each. Lists are strings separated by spaces; the
 * API shows them sorted.
 */
import {
  type ClusterRole,
  type ClusterRoleBinding,
  type PolicyRule,
  RBAC_GROUP,
  type Role,
  type RoleBinding,
  type Subject,
} from '../../kubernetes/types/index.ts';

export const READ = 'get list watch';
export const WRITE = 'create delete deletecollection patch update';
/** The core group. */
export const CORE = '';

/** Verbs on resources: `rule(READ, 'apps', 'deployments replicasets')`. */
export function rule(verbs: string, groups: string, resources: string, names?: string): PolicyRule {
  return {
    verbs: splitList(verbs),
    apiGroups: splitList(groups),
    resources: splitList(resources),
    ...(names === undefined ? {} : { resourceNames: splitList(names) }),
  };
}

/** Verbs on non-resource paths. */
export function urls(verbs: string, paths: string): PolicyRule {
  return { verbs: splitList(verbs), nonResourceURLs: splitList(paths) };
}

/** Almost every component records events, in either group. */
export const writesEvents: PolicyRule = {
  verbs: splitList('create patch update'),
  apiGroups: [CORE, 'events.k8s.io'],
  resources: ['events'],
};

export function clusterRole(name: string, rules: readonly PolicyRule[], labels: Labels = {}): ClusterRole {
  return { apiVersion: API_VERSION, kind: 'ClusterRole', metadata: metadataOf({ name }, labels), rules };
}

/** A role that aggregates those with the label `rbac.authorization.k8s.io/aggregate-to-NAME`. */
export function aggregatedRole(name: string, labels: Labels = {}): ClusterRole {
  return {
    ...clusterRole(name, [], labels),
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: aggregatesTo(name) }] },
  };
}

/** The label of roles that are aggregated to the role of that name. */
export function aggregatesTo(name: string): Labels {
  return { [`${RBAC_GROUP}/aggregate-to-${name}`]: 'true' };
}

export function role(place: ObjectName, rules: readonly PolicyRule[]): Role {
  return { apiVersion: API_VERSION, kind: 'Role', metadata: metadataOf(place), rules };
}

/** Binds the cluster role of the same name. */
export function clusterRoleBinding(name: string, subjects: readonly Subject[]): ClusterRoleBinding {
  return {
    apiVersion: API_VERSION,
    kind: 'ClusterRoleBinding',
    metadata: metadataOf({ name }),
    ...(subjects.length === 0 ? {} : { subjects }),
    roleRef: { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name },
  };
}

/** Binds the role of the same name, unless another is named. */
export function roleBinding(
  place: ObjectName,
  subjects: readonly Subject[],
  roleName = place.name,
): RoleBinding {
  return {
    apiVersion: API_VERSION,
    kind: 'RoleBinding',
    metadata: metadataOf(place),
    subjects,
    roleRef: { apiGroup: RBAC_GROUP, kind: 'Role', name: roleName },
  };
}

export const user = (name: string): Subject => ({ kind: 'User', apiGroup: RBAC_GROUP, name });
export const group = (name: string): Subject => ({ kind: 'Group', apiGroup: RBAC_GROUP, name });
/** A service account of the namespace `kube-system`. */
export const account = (name: string): Subject => ({
  kind: 'ServiceAccount',
  name,
  namespace: 'kube-system',
});

const API_VERSION = `${RBAC_GROUP}/v1`;

type Labels = { readonly [key: string]: string };
type ObjectName = { readonly name: string; readonly namespace?: string };

function metadataOf(place: ObjectName, labels: Labels = {}): ClusterRole['metadata'] {
  return {
    ...place,
    labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...labels },
    annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
  };
}

function splitList(text: string): readonly string[] {
  return text.split(' ').sort();
}
