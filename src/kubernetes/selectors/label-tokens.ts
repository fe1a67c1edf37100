/**
 * The tokens of a label selector.
 */

const SIGNS = ['=', '==', '!=', '!', '>', '<', '(', ')', ','] as const;

/** `in` and `notin` are identifiers too: a label may have that name. */
export type TokenKind = 'word' | 'in' | 'notin' | (typeof SIGNS)[number] | 'end';

export type Token = { readonly kind: TokenKind; readonly text: string };

export const END: Token = { kind: 'end', text: '' };

/** All tokens of the text; the last one, and only that, is the `end`. */
export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let position = 0;
  for (;;) {
    while (isBlank(text.charAt(position))) position++;
    const token = tokenAt(text, position);
    tokens.push(token);
    if (token.kind === 'end') return tokens;
    position += token.text.length;
    // The server's lexer takes a zero byte for the end of input, and continues after it.
    if (text.charAt(position) === ZERO) position++;
  }
}

const ZERO = '\0';
/** Characters of operators and delimiters. */
const SIGN = /^[=!(),<>]$/;

function tokenAt(text: string, start: number): Token {
  const first = text.charAt(start);
  if (first === '' || first === ZERO) return END;
  return signAt(text, start) ?? wordAt(text, start);
}

/** The longest token: every character is one by itself, and none is longer than two. */
function signAt(text: string, start: number): Token | undefined {
  for (const length of [2, 1]) {
    const kind = SIGNS.find((sign) => sign === text.slice(start, start + length));
    if (kind !== undefined) return { kind, text: kind };
  }
  return undefined;
}

function wordAt(text: string, start: number): Token {
  let end = start;
  while (end < text.length && !isBoundary(text.charAt(end))) end++;
  const word = text.slice(start, end);
  return { kind: word === 'in' || word === 'notin' ? word : 'word', text: word };
}

function isBoundary(character: string): boolean {
  return isBlank(character) || character === ZERO || SIGN.test(character);
}

function isBlank(character: string): boolean {
  return character === ' ' || character === '\t' || character === '\r' || character === '\n';
}
