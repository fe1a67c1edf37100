/**
 * Parses field selectors: `spec.nodeName=worker-0,status.phase!=Succeeded`.
 */
import { invalid, type Outcome, ok } from '../../base/errors.ts';
import { compareBytes } from '../../base/json.ts';

/** All terms must hold. They are sorted by their text, in which order the server evaluates them. */
export type FieldSelector = readonly FieldTerm[];

type FieldTerm = {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
};

/** An empty string selects everything. */
export function parseFieldSelector(text: string): Outcome<FieldSelector> {
  const terms: FieldTerm[] = [];
  for (const part of splitTerms(text).sort(compareBytes)) {
    if (part === '') continue;
    const [, field = '', sign, rest = ''] = TERM.exec(part) ?? [];
    if (sign === undefined) return refused(`invalid selector: '${text}'; can't understand '${part}'`);
    const value = unescaped(rest);
    if (typeof value !== 'string') return refused(`invalid field selector: ${value.refusal}`);
    // The server ignores an operator alone.
    if (field === '' && value === '') continue;
    terms.push({ field, operator: sign === '!=' ? '!=' : '=', value });
  }
  return ok(terms);
}

/** The first operator counts; further ones belong to the value. */
const TERM = /^((?:[^=!]|!(?!=))*)(!=|==|=)(.*)$/s;

const refused = (message: string): Outcome<never> => invalid([{ path: '', message }]);

/** At the commas that are not escaped with a backslash. */
function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index);
    if (character === '\\') index++;
    if (character !== ',') continue;
    terms.push(text.slice(start, index));
    start = index + 1;
  }
  return [...terms, text.slice(start)];
}

/** In a value, backslash, comma and equals sign are escaped with a backslash, and nothing else is. */
function unescaped(value: string): string | { readonly refusal: string } {
  let result = '';
  const characters = [...value];
  for (let index = 0; index < characters.length; index++) {
    let character = characters[index] ?? '';
    if (character === ',' || character === '=') {
      // The server prints the code point in place of the character.
      return { refusal: `unescaped character in value: ${character.charCodeAt(0)}` };
    }
    if (character === '\\') {
      character = characters[++index] ?? '';
      if (!'\\,='.includes(character) || character === '') {
        return { refusal: `invalid escape sequence: \\${character}` };
      }
    }
    result += character;
  }
  return result;
}
