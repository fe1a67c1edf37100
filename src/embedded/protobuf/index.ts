/**
 * Kubernetes' protobuf: the encoding in which clients written with client-go send and request built-in objects.
 *
 * A message follows from the schema of its type (`kubernetes/types`) and the numbers of its fields
 * (`field-numbers.ts`); one decoder and one encoder interpret it. Decoding yields the JSON that the same client would
 * have sent.
 *
 * Not here: custom resources, which have no protobuf encoding, and tables and watches, which are served as JSON.
 *
 * Start with `schema-message.ts`, then `decode-protobuf.ts` and `decode-message.ts`.
 */
export { decodeProtobuf } from './decode-protobuf.ts';
export { encodeProtobuf } from './encode-protobuf.ts';
export { messageOfKind } from './kinds.ts';
