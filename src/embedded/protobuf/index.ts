/**
 * Kubernetes' protobuf: the form in which clients written with its libraries send and ask for built-in objects.
 *
 * Messages are data: `fields-*.ts` say which field has which number, name and type, and one decoder and one encoder
 * read them. What comes out is the JSON that the same client would have sent.
 *
 * Not here: custom resources, which have no such form, and tables and watches, which are answered in JSON.
 *
 * Start with `field-table.ts`, then `decode-protobuf.ts` and `decode-message.ts`.
 */
export { decodeProtobuf } from './decode-protobuf.ts';
export { encodeProtobuf } from './encode-protobuf.ts';
export { messageOfKind } from './kinds.ts';
