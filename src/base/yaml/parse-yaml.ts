/**
 * Parses a text into the documents that kubectl would find in it.
 */
import { invalid, type Outcome, ok, type Problem } from '../errors.ts';
import { isDeeperThan, type Json, MAX_JSON_DEPTH } from '../json.ts';
import { rememberSource } from './line-of.ts';
import { nodeValue, type OnRepeated, startOf } from './node-value.ts';
import { type Flaw, readNodes, syntaxMessage } from './read-nodes.ts';
import { type SplitText, splitText } from './split-text.ts';
import { type TextPositions, textPositions } from './text-positions.ts';
import {
  MAX_YAML_DOCUMENTS,
  MAX_YAML_LENGTH,
  MAX_YAML_PROBLEMS,
  type YamlDocument,
} from './yaml-document.ts';

type ParseOptions = {
  /** Called for duplicate keys, which are then no problem: the last one counts. */
  readonly onRepeated?: (line: number, key: string) => void;
};

/**
 * Parses every document, or returns the problems of all of them: each message begins with `line L, column C`. For a
 * document that is not YAML only the first error is reported, since the rest follows from it.
 */
export function parseYaml(
  input: string,
  { onRepeated }: ParseOptions = {},
): Outcome<readonly YamlDocument[]> {
  const text = normalise(input);
  if (text.length > MAX_YAML_LENGTH) return tooMuch(`${MAX_YAML_LENGTH / 1024 / 1024} Mi characters`);
  const { kind, ranges } = splitText(text);
  if (ranges.length > MAX_YAML_DOCUMENTS) return tooMuch(`${MAX_YAML_DOCUMENTS} documents`);
  const positions = textPositions(text);
  const flaw = forbiddenCharacter(text, kind) ?? badSeparator(text, kind);
  if (flaw !== undefined) return invalid([toProblem(flaw, positions)]);

  const documents: YamlDocument[] = [];
  const flaws: Flaw[] = [];
  for (const [place, range] of ranges.entries()) {
    const onRepeatedHere: OnRepeated | undefined =
      onRepeated && ((offset, key) => onRepeated(positions.lineAt(range.start + offset), key));
    const read = readDocument(text.slice(range.start, range.end), onRepeatedHere);
    for (const found of read.flaws) flaws.push({ ...found, offset: found.offset + range.start });
    if (flaws.length >= MAX_YAML_PROBLEMS) break;
    if (read.flaws.length > 0 || read.value === null) continue;
    const line = positions.lineAt(range.start + read.start);
    const document = { value: read.value, line, index: place + 1 };
    rememberSource(document, { text, range, positions });
    documents.push(document);
  }
  if (flaws.length === 0) return ok(documents);
  return invalid(flaws.slice(0, MAX_YAML_PROBLEMS).map((one) => toProblem(one, positions)));
}

type ReadDocument = { readonly value: Json; readonly start: number; readonly flaws: readonly Flaw[] };

const emptyDocument: ReadDocument = { value: null, start: 0, flaws: [] };

function readDocument(text: string, onRepeated: OnRepeated | undefined): ReadDocument {
  const { documents, stoppedBy } = readNodes(text);
  const [first, next] = documents;
  const error = first?.errors[0];
  if (error !== undefined) return failed({ offset: error.pos[0], message: syntaxMessage(error) });
  if (stoppedBy !== undefined) return failed(stoppedBy);
  if (first === undefined) return emptyDocument;
  // Without a separator only a line of dots ends a document.
  if (next !== undefined) return failed({ offset: startOf(next.contents), message: afterDots });
  const start = startOf(first.contents);
  const { value, flaws } = nodeValue(first.contents, onRepeated);
  if (flaws.length === 0 && isDeeperThan(value, MAX_JSON_DEPTH)) {
    return failed({ offset: start, message: `nested more than ${MAX_JSON_DEPTH} levels deep` });
  }
  return { value, start, flaws };
}

const afterDots = 'kubectl skips what follows a line with "..." unless "---" comes between';

function failed(flaw: Flaw): ReadDocument {
  return { ...emptyDocument, flaws: [flaw] };
}

/** Without a byte order mark, and with line breaks as kubectl sees them. */
function normalise(input: string): string {
  const text = input.startsWith('\uFEFF') ? input.slice(1) : input;
  return text.includes('\r') ? text.replaceAll(/\r(?!\n)/g, '\n') : text;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to be found.
const notInJson = /[\0-\x08\x0b\x0c\x0e-\x1f]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to be found.
const notInYaml = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufffe\uffff]/;

/** kubectl rejects control characters, and treats U+0085, U+2028 and U+2029 as line breaks. */
function forbiddenCharacter(text: string, kind: SplitText['kind']): Flaw | undefined {
  const offset = text.search(kind === 'json' ? notInJson : notInYaml);
  if (offset === -1) return undefined;
  const code = text.charCodeAt(offset).toString(16).toUpperCase().padStart(4, '0');
  return { offset, message: `the character U+${code} must be written as an escape in double quotes` };
}

/** kubectl splits a text into documents line by line, and rejects anything else after the dashes. */
function badSeparator(text: string, kind: SplitText['kind']): Flaw | undefined {
  const offset = kind === 'json' ? -1 : text.search(/^---(?![ \t\r]*(#.*)?$)/m);
  if (offset === -1) return undefined;
  return { offset, message: 'only a comment may follow "---" on the same line' };
}

function tooMuch(limit: string): Outcome<never> {
  return invalid([{ path: '', message: `more than ${limit}: split the file` }]);
}

function toProblem(flaw: Flaw, positions: TextPositions): Problem {
  return { path: '', message: `${positions.describe(flaw.offset)}: ${flaw.message}` };
}
