/**
 * Aggregated discovery: all groups, versions and resources in one document.
 */
import type {
  APIGroupDiscovery,
  APIGroupDiscoveryList,
  APIResourceDiscovery,
  APISubresourceDiscovery,
  APIVersionDiscovery,
  KindName,
  Subresource,
} from '../../kubernetes/types/index.ts';
import { subresourcesOf, verbsOf } from './plain-discovery.ts';
import { type ServedGroup, servedGroups } from './served-groups.ts';
import type { ServedResource } from './served-resource.ts';

/** The aggregated responses of `/api` and `/apis`: the core group, or all the others. */
export function aggregatedDiscovery(
  resources: readonly ServedResource[],
  root: 'api' | 'apis',
): APIGroupDiscoveryList {
  const wanted = servedGroups(resources).filter(({ name }) => (name === '') === (root === 'api'));
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: wanted.map(groupOf),
  };
}

function groupOf({ name, versions }: ServedGroup): APIGroupDiscovery {
  return {
    metadata: { ...(name === '' ? {} : { name }), creationTimestamp: null },
    versions: versions.map(
      ({ version, resources }): APIVersionDiscovery => ({
        version,
        resources: resources.map(resourceOf),
        freshness: 'Current',
      }),
    ),
  };
}

function resourceOf(resource: ServedResource): APIResourceDiscovery {
  const { plural, singular, scope, shortNames, categories } = resource;
  const subresources = subresourcesOf(resource).map((subresource) => subresourceOf(resource, subresource));
  return {
    resource: plural,
    responseKind: responseKind(resource, resource),
    scope,
    singularResource: singular,
    verbs: verbsOf(resource),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(subresources.length === 0 ? {} : { subresources }),
  };
}

function subresourceOf(
  resource: ServedResource,
  { name, takes, verbs }: Subresource,
): APISubresourceDiscovery {
  return { subresource: name, responseKind: responseKind(resource, takes), verbs };
}

/** Built-in resources omit group and version where they are those of the list, custom ones never do. */
function responseKind({ origin, group, version }: ServedResource, takes: KindName): KindName {
  const isOwn = takes.group === group && takes.version === version;
  return origin === 'builtin' && isOwn
    ? { group: '', version: '', kind: takes.kind }
    : { group: takes.group, version: takes.version, kind: takes.kind };
}
