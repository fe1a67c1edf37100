/**
 * How a server says what it serves, in both forms: one document for each group, or one for all.
 */
import type { KindName } from './builtin.ts';

/** The answer of `/api`. */
export type APIVersions = {
  readonly kind: 'APIVersions';
  readonly versions: readonly string[];
  readonly serverAddressByClientCIDRs: readonly {
    readonly clientCIDR: string;
    readonly serverAddress: string;
  }[];
};

/** The answer of `/apis`. */
export type APIGroupList = {
  readonly apiVersion: 'v1';
  readonly kind: 'APIGroupList';
  readonly groups: readonly APIGroup[];
};

/** The answer of `/apis/<group>`, where it also has apiVersion and kind. */
export type APIGroup = {
  readonly apiVersion?: 'v1';
  readonly kind?: 'APIGroup';
  readonly name: string;
  readonly versions: readonly GroupVersion[];
  readonly preferredVersion?: GroupVersion;
};

export type GroupVersion = { readonly groupVersion: string; readonly version: string };

/** The answer of `/api/v1` and `/apis/<group>/<version>`. */
export type APIResourceList = {
  readonly apiVersion?: 'v1';
  readonly kind: 'APIResourceList';
  readonly groupVersion: string;
  readonly resources: readonly APIResource[];
};

export type APIResource = {
  /** `pods`, or `pods/log` for a subresource. */
  readonly name: string;
  /** Empty for a subresource. */
  readonly singularName: string;
  readonly namespaced: boolean;
  /** Of the kind, where they are not those of the list. */
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storageVersionHash?: string;
};

/** All of the above at once, which newer clients ask `/api` and `/apis` for by media type. */
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
