/**
 * Unaggregated discovery: a list of groups, and a list of resources for each version of each group.
 */
import { apiVersionOf } from '../../kubernetes/meta/index.ts';
import type {
  APIGroup,
  APIGroupList,
  APIResource,
  APIResourceList,
  APIVersions,
  GroupVersion,
  Subresource,
} from '../../kubernetes/types/index.ts';
import { memoized } from './memoized.ts';
import { type ServedGroup, type ServedVersion, servedGroups } from './served-groups.ts';
import type { ServedResource } from './served-resource.ts';
import { storageVersionHash } from './storage-version-hash.ts';

/** The response of `/api`. */
export function apiVersions(resources: readonly ServedResource[], serverAddress: string): APIVersions {
  const core = servedGroups(resources).find(({ name }) => name === '');
  return {
    kind: 'APIVersions',
    versions: (core?.versions ?? []).map(({ version }) => version),
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  };
}

/** The response of `/apis`. */
export function apiGroupList(resources: readonly ServedResource[]): APIGroupList {
  const named = servedGroups(resources).filter(({ name }) => name !== '');
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: named.map(groupOf) };
}

/** The response of `/apis/<group>`. */
export function apiGroup(group: ServedGroup): APIGroup {
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(group) };
}

/** The response of `/api/<version>` and `/apis/<group>/<version>`. The core group omits apiVersion. */
export const apiResourceList = memoized(
  (served: ServedVersion): APIResourceList => ({
    kind: 'APIResourceList',
    ...(served.group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: apiVersionOf(served),
    resources: served.resources.flatMap((resource) => [
      resourceOf(resource),
      ...subresourcesOf(resource).map((subresource) => subresourceOf(resource, subresource)),
    ]),
  }),
);

/** Subresources of built-in resources are sorted by name; custom resources have status before scale. */
export function subresourcesOf({ origin, subresources }: ServedResource): readonly Subresource[] {
  if (origin === 'custom') return subresources;
  return subresources.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** In the order of kube-apiserver, which does not sort those of custom resources. */
export function verbsOf({ origin, verbs }: ServedResource): readonly string[] {
  if (origin === 'builtin') return verbs;
  return verbs.toSorted((a, b) => CUSTOM_VERBS.indexOf(a) - CUSTOM_VERBS.indexOf(b));
}

const CUSTOM_VERBS: ServedResource['verbs'] = [
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'create',
  'update',
  'watch',
];

function groupOf({ name, versions }: ServedGroup): APIGroup {
  const all = versions.map(
    (served): GroupVersion => ({
      groupVersion: apiVersionOf(served),
      version: served.version,
    }),
  );
  const [preferredVersion] = all;
  return { name, versions: all, ...(preferredVersion === undefined ? {} : { preferredVersion }) };
}

function resourceOf(resource: ServedResource): APIResource {
  const { plural, singular, scope, kind, shortNames, categories } = resource;
  const hash = storageVersionHash(resource);
  return {
    name: plural,
    singularName: singular,
    namespaced: scope === 'Namespaced',
    kind,
    verbs: verbsOf(resource),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(hash === undefined ? {} : { storageVersionHash: hash }),
  };
}

function subresourceOf(
  { plural, scope, group, version }: ServedResource,
  subresource: Subresource,
): APIResource {
  const { takes } = subresource;
  const isOwn = takes.group === group && takes.version === version;
  return {
    name: `${plural}/${subresource.name}`,
    singularName: '',
    namespaced: scope === 'Namespaced',
    ...(isOwn ? {} : { group: takes.group, version: takes.version }),
    kind: takes.kind,
    verbs: subresource.verbs,
  };
}
