/**
 * What admission is asked, of which world, and what it answers.
 */

import type { JsonObject } from '../../base/json.ts';
import type { KindName, Subresource } from '../../kubernetes/types/index.ts';
import type { Attributes, Decision, User } from '../rbac/index.ts';

type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** As much of a resource as admission looks at. */
export type ResourceName = KindName & {
  readonly plural: string;
  readonly subresources?: readonly Subresource[];
};

export type AdmissionRequest = {
  readonly operation: Operation;
  readonly resource: ResourceName;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** Empty outside of namespaces. For a Namespace it is its own name, as in the server. */
  readonly namespace: string;
  /** The name that the server has made from a generateName, too. Empty for each object of a collection. */
  readonly name: string;
  /** What is to be, as it would be stored; what goes through a subresource. Absent for a deletion. */
  readonly object?: JsonObject;
  /** What was. Absent for a creation. */
  readonly oldObject?: JsonObject;
  readonly user: User;
  readonly isDryRun: boolean;
  /** CreateOptions and so on, with apiVersion (meta.k8s.io/v1) and kind. Absent for CONNECT. */
  readonly options?: JsonObject;
};

/** The rest of the cluster, as far as a decision may depend on it. */
export type AdmissionWorld = {
  /**
   * The objects as they are stored. What is found out about them is remembered for these very lists: hand in the
   * same ones until a policy or binding changes.
   */
  readonly policies: readonly JsonObject[];
  readonly bindings: readonly JsonObject[];
  readonly namespaceNamed: (name: string) => JsonObject | undefined;
  /** Where the objects of a kind are found; none where there is no such kind. */
  readonly paramsOf: (kind: KindName) => ParamSource | undefined;
  readonly authorize: (attributes: Attributes) => Decision;
  /** The same resource under other names: its other versions. Absent: it has none. */
  readonly equivalents?: (resource: ResourceName) => readonly Equivalent[];
};

export type Equivalent = ResourceName & {
  /** The object as this name shows it. */
  readonly convert: (object: JsonObject) => JsonObject;
};

export type ParamSource = {
  readonly scope: 'Cluster' | 'Namespaced';
  /** Namespace: empty for kinds outside of namespaces. */
  readonly get: (place: { readonly namespace: string; readonly name: string }) => JsonObject | undefined;
  readonly list: (namespace: string) => Iterable<JsonObject>;
};

export type Admission = {
  /** Absent: the request may go on. */
  readonly denial?: Denial;
  readonly warnings: readonly string[];
  /** Keys with their prefix. */
  readonly auditAnnotations: { readonly [key: string]: string };
};

/** What a Status tells; its details have the group and plural of the resource besides. */
export type Denial = {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  /** `details.name`. */
  readonly name: string;
  readonly causes: readonly { readonly message: string }[];
};
