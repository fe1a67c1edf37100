/**
 * The resources that a server says it serves, as its discovery tells of them: all at once in the newer form, or one list
 * for each group and version in the older.
 */
import { isObject, own } from '../../base/json.ts';

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

/** `machineconfigpool.machineconfiguration.openshift.io/worker`, as kubectl names an object. */
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

/** The resources of an `APIGroupDiscoveryList`, those that the server prefers first; undefined where it is none. */
export function resourcesOfGroups(answer: unknown): readonly ApiResource[] | undefined {
  if (!isObject(answer) || own(answer, 'kind') !== 'APIGroupDiscoveryList') return undefined;
  return objects(answer, 'items').flatMap((item) => {
    const group = text(objectIn(item, 'metadata'), 'name');
    return objects(item, 'versions').flatMap((one) => {
      const version = text(one, 'version');
      return objects(one, 'resources').map((resource) => ({
        ...{ group, version, ...named(resource) },
        plural: text(resource, 'resource'),
        singular: text(resource, 'singularResource'),
        kind: text(objectIn(resource, 'responseKind'), 'kind'),
        scope: text(resource, 'scope') === 'Namespaced' ? ('Namespaced' as const) : ('Cluster' as const),
      }));
    });
  });
}

/** The resources of an `APIResourceList`, without the doors that some of them have beside (`pods/log`). */
export function resourcesOfList(answer: unknown): readonly ApiResource[] {
  if (!isObject(answer)) return [];
  const [version = '', group = ''] = text(answer, 'groupVersion').split('/').reverse();
  return objects(answer, 'resources')
    .filter((resource) => !text(resource, 'name').includes('/'))
    .map((resource) => ({
      ...{ group, version, ...named(resource) },
      plural: text(resource, 'name'),
      singular: text(resource, 'singularName'),
      kind: text(resource, 'kind'),
      scope: own(resource, 'namespaced') === true ? ('Namespaced' as const) : ('Cluster' as const),
    }));
}

/** The groups and versions of an `APIGroupList`, as paths; in each group the preferred version first. */
export function pathsOfGroups(answer: unknown): readonly string[] {
  if (!isObject(answer)) return [];
  return objects(answer, 'groups').flatMap((group) => {
    const preferred = text(objectIn(group, 'preferredVersion'), 'groupVersion');
    const all = objects(group, 'versions').map((version) => text(version, 'groupVersion'));
    const others = all.filter((version) => version !== preferred);
    return [...(all.includes(preferred) ? [preferred] : []), ...others].map((version) => `/apis/${version}`);
  });
}

type Fields = { readonly [key: string]: unknown };

function named(resource: Fields) {
  return {
    shortNames: texts(resource, 'shortNames'),
    categories: texts(resource, 'categories'),
    verbs: texts(resource, 'verbs'),
  };
}

function objects(fields: Fields, key: string): readonly Fields[] {
  const value = own(fields, key);
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function objectIn(fields: Fields, key: string): Fields {
  const value = own(fields, key);
  return isObject(value) ? value : {};
}

function text(fields: Fields, key: string): string {
  const value = own(fields, key);
  return typeof value === 'string' ? value : '';
}

function texts(fields: Fields, key: string): readonly string[] {
  const value = own(fields, key);
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
