/**
 * Built-in admission plugins: what the server changes or rejects based on other objects of the cluster.
 *
 * They run after managed fields are updated, so that no field manager owns the fields that they set.
 */
import type { JsonObject } from '../../base/json.ts';

export type Admitted =
  | { readonly kind: 'admitted'; readonly object: JsonObject }
  /** A 403; the message follows `pods "a" is forbidden: `. */
  | { readonly kind: 'rejected'; readonly message: string };

export type AdmissionContext = {
  readonly operation: 'create' | 'update';
  /** In [0, 1). */
  readonly random: () => number;
  /** Undefined if the namespace has no such ServiceAccount. */
  readonly findServiceAccount: (namespace: string, name: string) => JsonObject | undefined;
};

export type Admission = (object: JsonObject, context: AdmissionContext) => Admitted;
