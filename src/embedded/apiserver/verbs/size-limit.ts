/**
 * Objects have to fit into the store as they would into etcd. The list of who owns what may be larger than all the rest
 * of an object; then it is that list which goes.
 */
import type { JsonObject } from '../../../base/json.ts';
import type { Resource } from '../../resources/index.ts';
import { type StatusError, statusError } from '../../status/index.ts';
import type { World } from '../call.ts';
import { storedBytes } from '../store/records.ts';
import { metadataOf, withMetadata } from '../store/stored-object.ts';

/** What etcd takes at most. */
const MAX_OBJECT_BYTES = 1_572_864;
/** What a client of etcd sends at most; beyond it etcd is not even asked. */
const MAX_SENT_BYTES = 2_097_152;

type Fitted = { readonly object: JsonObject; readonly value: Uint8Array };

/** Whoever applies does it in order to own: to them it is told that the object is too large. */
type FitOptions = { readonly keepsOwners?: boolean };

export function fitObject(
  world: World,
  resource: Resource,
  object: JsonObject,
  { keepsOwners = false }: FitOptions = {},
): Fitted {
  const value = measured.get(object) ?? storedBytes(world, resource, object);
  if (value.length <= MAX_OBJECT_BYTES) return { object, value };
  if (keepsOwners || metadataOf(object).managedFields === undefined) throw tooLarge(value.length);
  const bare = withMetadata(object, { managedFields: undefined });
  const bareValue = storedBytes(world, resource, bare);
  if (bareValue.length > MAX_OBJECT_BYTES) throw tooLarge(bareValue.length);
  return { object: bare, value: bareValue };
}

function tooLarge(size: number): StatusError {
  const isSent = size <= MAX_SENT_BYTES;
  const message = isSent
    ? 'etcdserver: request is too large'
    : `rpc error: code = ResourceExhausted desc = trying to send message larger than max (${size} vs. ${MAX_SENT_BYTES})`;
  return statusError({ code: 500, message });
}

/** Objects of which less was sent need no second look: to measure all of them would cost more than it saves. */
const LARGE_BYTES = 256 * 1024;

/**
 * How many bytes the list of owners may take if it is to be kept; nothing is said where that is not worth knowing.
 * `sentBytes` is how much the client sent.
 */
export function limitForOwners(
  world: World,
  resource: Resource,
  object: JsonObject,
  sentBytes: number,
): { readonly maxBytes?: number } {
  if (sentBytes < LARGE_BYTES) return {};
  const hasNone = metadataOf(object).managedFields === undefined;
  const bare = hasNone ? object : withMetadata(object, { managedFields: undefined });
  const value = storedBytes(world, resource, bare);
  measured.set(bare, value);
  return { maxBytes: Math.max(0, MAX_OBJECT_BYTES - value.length) };
}

/** What large objects are kept as, from when they are measured until they are written. */
const measured = new WeakMap<JsonObject, Uint8Array>();
