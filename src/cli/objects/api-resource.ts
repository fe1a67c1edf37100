/**
 * The resources that a server serves, parsed from API discovery: aggregated, or one list per group and version from older
 * servers.
 */

import { isObject, own } from '../../base/json.ts';
import { type Fields, objectsAt, stringAt, stringsAt } from '../../base/json-fields.ts';

export type ApiResource = {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly scope: 'Cluster' | 'Namespaced';
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
};

/** `machineconfigpool.machineconfiguration.openshift.io/worker`, like in kubectl. */
export function objectLabel(resource: ApiResource, name: string): string {
  return `${kindLabel(resource)}/${name}`;
}

/** `machineconfigpool.machineconfiguration.openshift.io`. */
export function kindLabel({ kind, group }: ApiResource): string {
  return group === '' ? kind.toLowerCase() : `${kind.toLowerCase()}.${group}`;
}

/** `machineconfigpools.machineconfiguration.openshift.io`. */
export function resourceLabel({ plural, group }: ApiResource): string {
  return group === '' ? plural : `${plural}.${group}`;
}

export function apiVersionText({ group, version }: Pick<ApiResource, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}

/** The resources of an `APIGroupDiscoveryList`, in order of preference; undefined for other responses. */
export function resourcesOfGroups(answer: unknown): readonly ApiResource[] | undefined {
  if (!isObject(answer) || own(answer, 'kind') !== 'APIGroupDiscoveryList') return undefined;
  return objectsAt(answer, 'items').flatMap((item) => {
    const group = stringAt(item, 'metadata', 'name');
    return objectsAt(item, 'versions').flatMap((one) => {
      const version = stringAt(one, 'version');
      return objectsAt(one, 'resources').map((resource) => ({
        group,
        version,
        ...named(resource),
        plural: stringAt(resource, 'resource'),
        singular: stringAt(resource, 'singularResource'),
        kind: stringAt(resource, 'responseKind', 'kind'),
        scope: stringAt(resource, 'scope') === 'Namespaced' ? ('Namespaced' as const) : ('Cluster' as const),
      }));
    });
  });
}

/** The resources of an `APIResourceList`, without subresources such as `pods/log`. */
export function resourcesOfList(answer: unknown): readonly ApiResource[] {
  const [version = '', group = ''] = stringAt(answer, 'groupVersion').split('/').reverse();
  return objectsAt(answer, 'resources')
    .filter((resource) => !stringAt(resource, 'name').includes('/'))
    .map((resource) => ({
      group,
      version,
      ...named(resource),
      plural: stringAt(resource, 'name'),
      singular: stringAt(resource, 'singularName'),
      kind: stringAt(resource, 'kind'),
      scope: own(resource, 'namespaced') === true ? ('Namespaced' as const) : ('Cluster' as const),
    }));
}

/** The paths of all group versions of an `APIGroupList`; in each group the preferred version first. */
export function pathsOfGroups(answer: unknown): readonly string[] {
  return objectsAt(answer, 'groups').flatMap((group) => {
    const preferred = stringAt(group, 'preferredVersion', 'groupVersion');
    const all = objectsAt(group, 'versions').map((version) => stringAt(version, 'groupVersion'));
    const others = all.filter((version) => version !== preferred);
    return [...(all.includes(preferred) ? [preferred] : []), ...others].map((version) => `/apis/${version}`);
  });
}

function named(resource: Fields) {
  return {
    shortNames: stringsAt(resource, 'shortNames'),
    categories: stringsAt(resource, 'categories'),
    verbs: stringsAt(resource, 'verbs'),
  };
}
