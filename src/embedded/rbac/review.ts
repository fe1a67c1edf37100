/**
 * What the reviews have in common: an object asks, the same object answers, and nothing is stored.
 */

import type { Problem } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { objectAt } from '../../base/json-fields.ts';

export type Reviewed =
  | { readonly kind: 'answer'; readonly object: JsonObject }
  /** A 422. The server leaves out kind and name: `.authorization.k8s.io "" is invalid: …`. */
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] }
  | { readonly kind: 'badRequest'; readonly message: string };

/**
 * What was asked, with the answer in its status. Nothing is stored, so it has no time of creation. The namespace is
 * that of the request; absent where the review has none.
 */
export function answered(review: JsonObject, status: JsonObject, namespace?: string): Reviewed {
  const place: JsonObject = namespace === undefined ? {} : { namespace };
  const metadata: JsonObject = { ...clientMetadata(review), ...place, creationTimestamp: null };
  return { kind: 'answer', object: { ...review, metadata, status } };
}

/** What the server decides: whatever a client says there is dropped before anybody looks. */
const SYSTEM_FIELDS: ReadonlySet<string> = new Set([
  'namespace',
  'uid',
  'selfLink',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
]);

/** The metadata without what the server decides. */
export function clientMetadata(review: JsonObject): JsonObject {
  const metadata = objectAt(review, 'metadata') ?? {};
  const kept = Object.entries(metadata).filter(([key]) => !SYSTEM_FIELDS.has(key));
  return Object.fromEntries(kept);
}
