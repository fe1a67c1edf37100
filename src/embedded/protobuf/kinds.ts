/**
 * The messages of kinds.
 */
import { list, required, type StructuralSchema, struct } from '../../kubernetes/schema/index.ts';
import {
  deleteOptions,
  filled,
  findBody,
  listMeta,
  META_API_VERSION,
  objectMeta,
  status,
} from '../../kubernetes/types/index.ts';
import type { Message } from './message.ts';
import { messageOfSchema } from './schema-message.ts';

/** The message of the kind or of its list; undefined where the kind has no protobuf encoding here. */
export function messageOfKind(apiVersion: string, kind: string): Message | undefined {
  const schema = schemaOf(apiVersion, kind);
  if (schema !== undefined) return messageOfSchema(schema);
  const item = kind.endsWith('List') ? schemaOf(apiVersion, kind.slice(0, -'List'.length)) : undefined;
  return item === undefined ? undefined : messageOfSchema(listOf(item));
}

function schemaOf(apiVersion: string, kind: string): StructuralSchema | undefined {
  // Clients write DeleteOptions in the version of the object that they delete.
  if (kind === 'DeleteOptions') return deleteOptions;
  if (apiVersion === 'v1' && kind === 'Status') return status;
  if (apiVersion === META_API_VERSION && kind === 'PartialObjectMetadata') return partialObjectMetadata;
  return findBody(apiVersion, kind)?.schema;
}

const partialObjectMetadata = struct('meta.PartialObjectMetadata', 'The metadata of an object.', {
  metadata: filled(objectMeta),
});

function listOf(item: StructuralSchema): StructuralSchema {
  return struct(`${item['x-go-type']}List`, 'A list of objects.', {
    metadata: filled(listMeta),
    items: required(list('The objects.', item)),
  });
}
