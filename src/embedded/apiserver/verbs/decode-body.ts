/**
 * Decodes a body as an object of its kind and sets defaults. Unknown fields are dropped, and reported by the
 * requested `fieldValidation`.
 */
import { isJsonObject, type JsonObject } from '../../../base/json.ts';
import { quoted, scanJson } from '../../../base/text/index.ts';
import type { Resource } from '../../resources/index.ts';
import { badRequest } from '../../status/index.ts';
import type { WriteOptions } from './query-options.ts';
import { repeatedText, type Sent } from './read-body.ts';

export type DecodeOptions = Pick<WriteOptions, 'fieldValidation'> & {
  /** Makes the error of a decoding failure; patches have other messages than bodies. */
  readonly toError: (why: string) => Error;
  readonly warnings: string[];
};

export function decodeBody(
  resource: Resource,
  sent: Sent,
  { fieldValidation, toError, warnings }: DecodeOptions,
): JsonObject {
  const decoded = resource.strategy.decode(sent.value);
  if (decoded.kind === 'failed') throw toError(decoded.message);
  // Built-in objects are decoded in one pass; custom ones are scanned for duplicate keys first.
  const inOrder = resource.origin === 'custom' ? { ...sent, text: undefined } : sent;
  const problems = fieldValidation === 'Ignore' ? [] : fieldProblems(inOrder, decoded.unknownFields);
  const { repeated = [] } = sent;
  if (problems.length + repeated.length > 0 && fieldValidation === 'Strict') {
    const texts = repeated.length > 0 ? [repeatedText(repeated), ...problems] : problems;
    throw toError(`strict decoding error: ${texts.join(', ')}`);
  }
  // One by one: there may be more problems than a call can have arguments.
  if (fieldValidation === 'Warn') for (const text of [...repeated, ...problems]) warnings.push(text);
  return resource.strategy.setDefaults(withMetadataObject(decoded.object));
}

function fieldProblems(
  { duplicates, ofPatch = '', text }: Omit<Sent, 'text'> & { readonly text?: Uint8Array | undefined },
  unknown: readonly string[],
): readonly string[] {
  const problems = [
    ...duplicates.map((path) => ({ path, message: `${ofPatch}duplicate field ${quoted(path)}` })),
    ...unknown.map((path) => ({ path, message: `unknown field ${quoted(path)}` })),
  ];
  if (duplicates.length > 0 && unknown.length > 0 && text !== undefined) {
    const places = new Map<string, number>();
    scanJson(text, (path) => places.set(path, places.size));
    problems.sort((a, b) => (places.get(a.path) ?? 0) - (places.get(b.path) ?? 0));
  }
  return problems.map(({ message }) => message);
}

/** `Widget in version "v1" cannot be handled as a Widget: …` */
export function unreadableBody({ kind, version }: Resource): (why: string) => Error {
  return (why) => badRequest(`${kind} in version ${quoted(version)} cannot be handled as a ${kind}: ${why}`);
}

function withMetadataObject(object: JsonObject): JsonObject {
  return isJsonObject(object.metadata) ? object : { ...object, metadata: {} };
}
