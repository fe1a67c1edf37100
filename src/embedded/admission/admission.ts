/** The input and output of admission. */

import type { JsonObject } from '../../base/json.ts';
import type { KindName, Subresource } from '../../kubernetes/types/index.ts';
import type { Attributes, Decision, User } from '../rbac/index.ts';
import type { StatusError } from '../status/index.ts';

type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** The fields of a resource that admission uses. */
export type ResourceName = KindName & {
  readonly plural: string;
  readonly subresources?: readonly Subresource[];
};

export type AdmissionRequest = {
  readonly operation: Operation;
  readonly resource: ResourceName;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** Empty for cluster-scoped resources. For a Namespace it is its own name, as in kube-apiserver. */
  readonly namespace: string;
  /** Including generated names. Empty in the deletion of a collection. */
  readonly name: string;
  /** The object as it would be stored, or the body of a subresource. Absent for a deletion. */
  readonly object?: JsonObject;
  /** The stored object. Absent for a creation. */
  readonly oldObject?: JsonObject;
  readonly user: User;
  readonly isDryRun: boolean;
  /** CreateOptions and so on, with apiVersion (meta.k8s.io/v1) and kind. Absent for CONNECT. */
  readonly options?: JsonObject;
};

/** The state of the cluster that decisions depend on. */
export type AdmissionContext = {
  /** The stored objects. Results are cached by these arrays: pass the same ones until a policy or binding changes. */
  readonly policies: readonly JsonObject[];
  readonly bindings: readonly JsonObject[];
  readonly namespaceNamed: (name: string) => JsonObject | undefined;
  /** Undefined if the kind does not exist. */
  readonly paramsOf: (kind: KindName) => ParamSource | undefined;
  readonly authorize: (attributes: Attributes) => Decision;
  /** The other versions of the resource. */
  readonly equivalents?: (resource: ResourceName) => readonly Equivalent[];
};

export type Equivalent = ResourceName & {
  /** Converts an object to this version. */
  readonly convert: (object: JsonObject) => JsonObject;
};

export type ParamSource = {
  readonly scope: 'Cluster' | 'Namespaced';
  /** Namespace: empty for cluster-scoped kinds. */
  readonly get: (place: { readonly namespace: string; readonly name: string }) => JsonObject | undefined;
  readonly list: (namespace: string) => Iterable<JsonObject>;
};

export type Admission = {
  /** Absent if the request is admitted. */
  readonly denial?: StatusError;
  readonly warnings: readonly string[];
  /** Keys with their prefix. */
  readonly auditAnnotations: { readonly [key: string]: string };
};
