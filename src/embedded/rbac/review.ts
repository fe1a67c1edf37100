/** Common parts of reviews: the response is the request with a status, and nothing is stored. */

import type { Problem } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { objectAt } from '../../base/json-fields.ts';

export type Reviewed =
  | { readonly kind: 'answer'; readonly object: JsonObject }
  /** 422. kube-apiserver omits kind and name: `.authorization.k8s.io "" is invalid: …`. */
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] }
  | { readonly kind: 'badRequest'; readonly message: string };

/**
 * The review with its status. It has no creationTimestamp. The namespace is that of the request; absent for cluster-
 * scoped reviews.
 */
export function answered(review: JsonObject, status: JsonObject, namespace?: string): Reviewed {
  const place: JsonObject = namespace === undefined ? {} : { namespace };
  const metadata: JsonObject = { ...clientMetadata(review), ...place, creationTimestamp: null };
  return { kind: 'answer', object: { ...review, metadata, status } };
}

/** Server-set fields, dropped from the request. */
const SYSTEM_FIELDS: ReadonlySet<string> = new Set([
  'namespace',
  'uid',
  'selfLink',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
]);

/** The metadata without server-set fields. */
export function clientMetadata(review: JsonObject): JsonObject {
  const metadata = objectAt(review, 'metadata') ?? {};
  const kept = Object.entries(metadata).filter(([key]) => !SYSTEM_FIELDS.has(key));
  return Object.fromEntries(kept);
}
