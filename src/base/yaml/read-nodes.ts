/**
 * Parses a text into the node trees of its documents, within limits.
 *
 * The limits are enforced token by token, before any tree is built: a megabyte of `[` must exhaust neither the stack
 * nor the memory. Messages never quote the text, which may contain secrets.
 */
import {
  Composer,
  type CST,
  type Document,
  type ErrorCode,
  Lexer,
  type ParsedNode,
  Parser,
  type YAMLParseError,
} from 'yaml';
import { MAX_JSON_DEPTH } from '../json.ts';
import { MAX_YAML_TOKENS } from './yaml-document.ts';

type NodeDocument = Document.Parsed<ParsedNode>;

/** An error at an offset of the text. */
export type Flaw = { readonly offset: number; readonly message: string };

type NodeReading = {
  readonly documents: readonly NodeDocument[];
  /** Why reading stopped before the end of the text. */
  readonly stoppedBy?: Flaw;
};

export function readNodes(text: string): NodeReading {
  const documents: NodeDocument[] = [];
  const composer = new Composer(composing);
  const parser = new Parser();
  const take = (tokens: Iterable<CST.Token>): Flaw | undefined => {
    for (const token of tokens) {
      if (token.type === 'directive') return { offset: token.offset, message: directive };
      if (token.type === 'error') return { offset: token.offset, message: unexpected };
      documents.push(...composer.next(token));
    }
    return undefined;
  };
  let tokens = 0;
  let stoppedBy: Flaw | undefined;
  for (const lexeme of new Lexer().lex(text)) {
    stoppedBy = take(parser.next(lexeme)) ?? limitFlaw(++tokens, parser);
    if (stoppedBy !== undefined) break;
  }
  stoppedBy ??= take(parser.end());
  documents.push(...composer.end());
  // The error of the last document explains why nothing could follow it.
  const isExplained = (documents.at(-1)?.errors.length ?? 0) > 0;
  return stoppedBy === undefined || isExplained ? { documents } : { documents, stoppedBy };
}

/** The parser's message in one line, without quotes from the text. */
export function syntaxMessage(error: YAMLParseError): string {
  return messages[error.code] ?? error.message;
}

// Every scalar stays a string here: `resolve-scalar.ts` decides its type. Keys are compared there as well, because
// `1` and `"1"` are one key of a JSON object.
const composing = {
  schema: 'failsafe',
  version: '1.1',
  merge: false,
  uniqueKeys: false,
  resolveKnownTags: false,
  prettyErrors: false,
  logLevel: 'silent',
} as const;

/** The parser's stack holds the document and a scalar besides the collections. */
const MAX_PARSER_STACK = MAX_JSON_DEPTH + 2;

function limitFlaw(tokens: number, parser: Parser): Flaw | undefined {
  if (parser.stack.length > MAX_PARSER_STACK) {
    return { offset: parser.offset, message: `nested more than ${MAX_JSON_DEPTH} levels deep` };
  }
  if (tokens > MAX_YAML_TOKENS) {
    return { offset: parser.offset, message: `more than ${MAX_YAML_TOKENS} tokens: split the file` };
  }
  return undefined;
}

const directive = 'kubectl reads no directives such as %YAML: remove the line';
const unexpected = 'this cannot stand here: check the indentation and the quotes above';

/** Our message where the parser's would quote the text. */
const messages: { readonly [code in ErrorCode]?: string } = {
  BAD_DQ_ESCAPE: 'unknown escape in a double-quoted text',
  BAD_SCALAR_START: 'a text cannot begin with this character unless it is quoted',
  BAD_DIRECTIVE: directive,
  TAG_RESOLVE_FAILED: 'unknown tag',
  UNEXPECTED_TOKEN: unexpected,
  RESOURCE_EXHAUSTION: 'the document is too deep',
  IMPOSSIBLE: unexpected,
};
