/**
 * What the server itself changes or refuses once it knows the rest of the cluster (its admission plug-ins).
 *
 * This comes after ownership of fields was settled: nobody owns what is filled in here.
 */
import type { JsonObject } from '../../base/json.ts';

export type Admitted =
  | { readonly kind: 'admitted'; readonly object: JsonObject }
  /** 403; the message is what follows `pods "a" is forbidden: `. */
  | { readonly kind: 'refused'; readonly message: string };

export type AdmissionContext = {
  readonly operation: 'create' | 'update';
  /** At least 0 and below 1. */
  readonly random: () => number;
  /** The account of a namespace, if it is there. */
  readonly findServiceAccount: (namespace: string, name: string) => JsonObject | undefined;
};

export type Admission = (object: JsonObject, context: AdmissionContext) => Admitted;
