/**
 * Discovery: the documents in which a server lists what it serves, one per group or one for all groups.
 */
import { typeFields } from '../meta/index.ts';
import { boolean, described, type Infer, list, required, string, struct } from '../schema/index.ts';
import type { KindName } from './builtin.ts';
import { filled, items, strings } from './fields.ts';

const groupVersion = struct('meta.GroupVersionForDiscovery', 'A version of a group.', {
  groupVersion: required(string('Group and version, such as apps/v1.')),
  version: required(string('The version alone.')),
});
export type GroupVersion = Infer<typeof groupVersion>;

const serverAddresses = items(
  'The addresses of the server, by the network of the client.',
  struct('meta.ServerAddressByClientCIDR', 'An address of the server.', {
    clientCIDR: required(string('The network of the client.')),
    serverAddress: required(string('The address of the server for that network.')),
  }),
);

/** The response of `/api`. */
export const apiVersions = struct('meta.APIVersions', 'The versions of the core group.', {
  ...typeFields,
  versions: required(strings('The versions.', 'A version.')),
  serverAddressByClientCIDRs: required(serverAddresses),
});
export type APIVersions = Infer<typeof apiVersions> & { readonly kind: 'APIVersions' };

/** The response of `/apis/<group>`, where it also has apiVersion and kind. */
export const apiGroup = struct('meta.APIGroup', 'A group and its versions.', {
  ...typeFields,
  name: required(string('The name of the group.')),
  versions: required(items('The versions that are served, the preferred one first.', groupVersion)),
  preferredVersion: filled(described('The version that clients should use.', groupVersion)),
  serverAddressByClientCIDRs: serverAddresses,
});
export type APIGroup = Infer<typeof apiGroup> & { readonly apiVersion?: 'v1'; readonly kind?: 'APIGroup' };

/** The response of `/apis`. */
export const apiGroupList = struct('meta.APIGroupList', 'The groups that are served.', {
  ...typeFields,
  groups: required(items('The groups.', apiGroup)),
});
export type APIGroupList = Infer<typeof apiGroupList> & {
  readonly apiVersion: 'v1';
  readonly kind: 'APIGroupList';
};

const apiResource = struct('meta.APIResource', 'A resource or subresource.', {
  name: required(string('Its name in the plural, as in paths: pods, or pods/log for a subresource.')),
  singularName: required(string('Its name in the singular; empty for a subresource.')),
  namespaced: required(boolean('Whether the objects are in namespaces.')),
  group: string('The group of the kind, where it differs from that of the list.'),
  version: string('The version of the kind, where it differs from that of the list.'),
  kind: required(string('The kind of the objects.')),
  verbs: required(list('The verbs that it supports.', string('A verb.'))),
  shortNames: strings('Short names.', 'A short name.'),
  categories: strings('Categories of kubectl, such as all.', 'A category.'),
  storageVersionHash: string('A hash of the version in which objects are stored.'),
});
export type APIResource = Infer<typeof apiResource>;

/** The response of `/api/v1` and `/apis/<group>/<version>`. */
export const apiResourceList = struct('meta.APIResourceList', 'The resources of one version of a group.', {
  ...typeFields,
  groupVersion: required(string('Group and version.')),
  resources: required(items('The resources and their subresources.', apiResource)),
});
export type APIResourceList = Infer<typeof apiResourceList> & {
  readonly apiVersion?: 'v1';
  readonly kind: 'APIResourceList';
};

/** The same for all groups at once, which newer clients request from `/api` and `/apis` by media type. */
export type APIGroupDiscoveryList = {
  readonly apiVersion: 'apidiscovery.k8s.io/v2';
  readonly kind: 'APIGroupDiscoveryList';
  readonly metadata: Record<string, never>;
  readonly items: readonly APIGroupDiscovery[];
};

export type APIGroupDiscovery = {
  readonly metadata: { readonly name?: string; readonly creationTimestamp: null };
  readonly versions: readonly APIVersionDiscovery[];
};

export type APIVersionDiscovery = {
  readonly version: string;
  readonly freshness?: 'Current' | 'Stale';
  readonly resources: readonly APIResourceDiscovery[];
};

export type APIResourceDiscovery = {
  readonly resource: string;
  readonly responseKind: KindName;
  readonly scope: 'Cluster' | 'Namespaced';
  readonly singularResource: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly APISubresourceDiscovery[];
};

export type APISubresourceDiscovery = {
  readonly subresource: string;
  readonly responseKind?: KindName;
  readonly verbs: readonly string[];
};
