/**
 * What a client sent as an object of its kind, with its defaults; what the kind does not know is dropped, and told
 * or refused as the client asked.
 */
import { isJsonObject, type JsonObject } from '../../../base/json.ts';
import { quoted, scanJson } from '../../../base/text/index.ts';
import type { Resource } from '../../resources/index.ts';
import { badRequest } from '../../status/index.ts';
import type { WriteOptions } from './query-options.ts';
import { repeatedText, type Sent } from './read-body.ts';

export type DecodeOptions = Pick<WriteOptions, 'fieldValidation'> & {
  /** How a failure of the decoder is told; a patch has other words than a body. */
  readonly refuse: (why: string) => Error;
  readonly warnings: string[];
};

export function decodeSent(
  resource: Resource,
  sent: Sent,
  { fieldValidation, refuse, warnings }: DecodeOptions,
): JsonObject {
  const decoded = resource.strategy.decode(sent.value);
  if (decoded.kind === 'failed') throw refuse(decoded.message);
  // The text of a built-in object is read once, that of a custom one is looked over for its keys first.
  const inOrder = resource.origin === 'custom' ? { ...sent, text: undefined } : sent;
  const complaints = fieldValidation === 'Ignore' ? [] : complaintsOf(inOrder, decoded.unknownFields);
  const { repeated = [] } = sent;
  if (complaints.length + repeated.length > 0 && fieldValidation === 'Strict') {
    const texts = repeated.length > 0 ? [repeatedText(repeated), ...complaints] : complaints;
    throw refuse(`strict decoding error: ${texts.join(', ')}`);
  }
  // One by one: a call takes only so many arguments, and a body may hold more mistakes.
  if (fieldValidation === 'Warn') for (const text of [...repeated, ...complaints]) warnings.push(text);
  return resource.strategy.setDefaults(withMetadataObject(decoded.object));
}

function complaintsOf(
  { duplicates, ofPatch = '', text }: Omit<Sent, 'text'> & { readonly text?: Uint8Array | undefined },
  unknown: readonly string[],
): readonly string[] {
  const complaints = [
    ...duplicates.map((path) => ({ path, message: `${ofPatch}duplicate field ${quoted(path)}` })),
    ...unknown.map((path) => ({ path, message: `unknown field ${quoted(path)}` })),
  ];
  if (duplicates.length > 0 && unknown.length > 0 && text !== undefined) {
    const places = new Map<string, number>();
    scanJson(text, (path) => places.set(path, places.size));
    complaints.sort((a, b) => (places.get(a.path) ?? 0) - (places.get(b.path) ?? 0));
  }
  return complaints.map(({ message }) => message);
}

/** `Widget in version "v1" cannot be handled as a Widget: …` */
export function unreadableBody({ kind, version }: Resource): (why: string) => Error {
  return (why) => badRequest(`${kind} in version ${quoted(version)} cannot be handled as a ${kind}: ${why}`);
}

function withMetadataObject(object: JsonObject): JsonObject {
  return isJsonObject(object.metadata) ? object : { ...object, metadata: {} };
}
