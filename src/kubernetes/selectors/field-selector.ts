/**
 * Field selectors in one line: `spec.nodeName=worker-0,status.phase!=Succeeded`.
 */
import { invalid, type Outcome, ok } from '../../base/errors.ts';
import { compareBytes } from '../../base/json.ts';

/** All terms must hold. They are in the order of their texts, in which the server judges them. */
export type FieldSelector = readonly FieldTerm[];

type FieldTerm = {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
};

/** An empty text selects everything. */
export function parseFieldSelector(text: string): Outcome<FieldSelector> {
  const terms: FieldTerm[] = [];
  for (const part of splitTerms(text).sort(compareBytes)) {
    if (part === '') continue;
    const [, field = '', sign, rest = ''] = TERM.exec(part) ?? [];
    if (sign === undefined) return refused(`invalid selector: '${text}'; can't understand '${part}'`);
    const value = unescaped(rest);
    if (typeof value !== 'string') return refused(`invalid field selector: ${value.refusal}`);
    // A sign alone says nothing, and the server passes over it.
    if (field === '' && value === '') continue;
    terms.push({ field, operator: sign === '!=' ? '!=' : '=', value });
  }
  return ok(terms);
}

/** The first sign counts; what looks like one behind it belongs to the value. */
const TERM = /^((?:[^=!]|!(?!=))*)(!=|==|=)(.*)$/s;

const refused = (message: string): Outcome<never> => invalid([{ path: '', message }]);

/** At the commas that no backslash stands before. */
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

/** Backslash, comma and equals sign stand behind a backslash in a value, and nothing else does. */
function unescaped(value: string): string | { readonly refusal: string } {
  let result = '';
  const characters = [...value];
  for (let index = 0; index < characters.length; index++) {
    let character = characters[index] ?? '';
    if (character === ',' || character === '=') {
      // The number of the character, in place of the character itself, is what the server says.
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
