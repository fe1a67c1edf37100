/**
 * The ids of operations in a document. Generated clients derive the names of their methods from them.
 */

/** `rbac.authorization.k8s.io` → `rbacAuthorization`, the core group → `core`, `my-team.example.com` → `myTeamExampleCom`. */
export function friendlyGroup(group: string): string {
  if (group === '') return 'core';
  const parts = group.replace(/\.k8s\.io$/, '').split(/[.-]/);
  return parts.map((part, index) => (index === 0 ? part : capitalized(part))).join('');
}

/** `core_v1`. */
export function operationTag({ group, version }: Pick<OperationName, 'group' | 'version'>): string {
  return `${friendlyGroup(group)}_${version}`;
}

export type OperationName = {
  readonly verb: 'list' | 'create' | 'deletecollection' | 'get' | 'update' | 'delete' | 'patch';
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
  /** A list over all namespaces. */
  readonly isOverAll?: boolean;
  readonly subresource?: string;
};

/** `listCoreV1PodForAllNamespaces`, `patchCoreV1NamespacedPodStatus`. */
export function operationId(name: OperationName): string {
  const { verb, group, version, kind, isNamespaced, isOverAll = false, subresource = '' } = name;
  return [
    VERBS[verb],
    capitalized(friendlyGroup(group)),
    capitalized(version),
    verb === 'deletecollection' ? 'Collection' : '',
    isNamespaced && !isOverAll ? 'Namespaced' : '',
    kind,
    capitalized(subresource),
    isOverAll ? 'ForAllNamespaces' : '',
  ].join('');
}

const VERBS: { readonly [Verb in OperationName['verb']]: string } = {
  list: 'list',
  create: 'create',
  deletecollection: 'delete',
  get: 'read',
  update: 'replace',
  delete: 'delete',
  patch: 'patch',
};

export function capitalized(part: string): string {
  return part.slice(0, 1).toUpperCase() + part.slice(1);
}
