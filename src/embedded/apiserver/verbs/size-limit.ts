/** The size limit of etcd. managedFields can be larger than the rest of an object; they are dropped first. */
import type { JsonObject } from '../../../base/json.ts';
import type { Resource } from '../../resources/index.ts';
import { type StatusError, statusError } from '../../status/index.ts';
import type { ServerContext } from '../server-context.ts';
import { storedBytes } from '../store/records.ts';
import { metadataOf, withMetadata } from '../store/stored-object.ts';

/** `--max-request-bytes` of etcd. */
const MAX_OBJECT_BYTES = 1_572_864;
/** The limit of the etcd client, which fails before etcd is asked. */
const MAX_SENT_BYTES = 2_097_152;

type Fitted = { readonly object: JsonObject; readonly value: Uint8Array };

/** Server-side apply needs managedFields: it fails instead. */
type FitOptions = { readonly keepsManagedFields?: boolean };

export function withinSizeLimit(
  server: ServerContext,
  resource: Resource,
  object: JsonObject,
  { keepsManagedFields = false }: FitOptions = {},
): Fitted {
  const value = measured.get(object) ?? storedBytes(server, resource, object);
  if (value.length <= MAX_OBJECT_BYTES) return { object, value };
  if (keepsManagedFields || metadataOf(object).managedFields === undefined) throw tooLarge(value.length);
  const bare = withMetadata(object, { managedFields: undefined });
  const bareValue = storedBytes(server, resource, bare);
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

/** Smaller bodies are not measured: it would cost more than it saves. */
const LARGE_BYTES = 256 * 1024;

/** The size that managedFields may have; empty for small objects. `sentBytes`: size of the request body. */
export function managedFieldsLimit(
  server: ServerContext,
  resource: Resource,
  object: JsonObject,
  sentBytes: number,
): { readonly maxBytes?: number } {
  if (sentBytes < LARGE_BYTES) return {};
  const hasNone = metadataOf(object).managedFields === undefined;
  const bare = hasNone ? object : withMetadata(object, { managedFields: undefined });
  const value = storedBytes(server, resource, bare);
  measured.set(bare, value);
  return { maxBytes: Math.max(0, MAX_OBJECT_BYTES - value.length) };
}

/** Encoded large objects, from measuring to writing. */
const measured = new WeakMap<JsonObject, Uint8Array>();
