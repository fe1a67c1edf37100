/**
 * YAML as go-yaml v2 writes it (`sigs.k8s.io/yaml`, `kubectl -o yaml`), byte for byte.
 *
 * For digests over such texts, which must be the same as those of Go programs: keys sorted, lists not indented below
 * their key, texts with line breaks as literal blocks, ambiguous ones in quotes, long ones folded at spaces.
 */
import { type Json, type JsonObject, own } from '../json.ts';
import { resolvePlain } from './resolve-scalar.ts';

export function goYamlText(value: Json): string {
  const writer = new Writer();
  writer.value(value, { indent: 0, isInSequence: false, isRoot: true });
  return `${writer.text}\n`;
}

/** Where a value is written: its lines begin at `indent`. */
type Place = { readonly indent: number; readonly isInSequence: boolean; readonly isRoot: boolean };

const BEST_WIDTH = 80;
const INDENT = 2;

class Writer {
  text = '';
  /** In characters, since the last line break. */
  #column = 0;

  value(value: Json, place: Place): void {
    if (Array.isArray(value)) this.#sequence(value, place);
    else if (typeof value === 'object' && value !== null) this.#mapping(value as JsonObject, place);
    else if (typeof value === 'string') this.#string(value, place);
    else this.#put(place.isRoot ? String(value) : ` ${String(value)}`);
  }

  #mapping(value: JsonObject, { indent, isInSequence, isRoot }: Place): void {
    const keys = Object.keys(value).sort((a, b) => (a < b ? -1 : 1));
    if (keys.length === 0) this.#put(isRoot ? '{}' : ' {}');
    const inner = isRoot ? 0 : indent + INDENT;
    keys.forEach((key, index) => {
      // The first key of an item stands beside its dash.
      if (isInSequence && index === 0) this.#put(' ');
      else this.#newLine(inner);
      this.#put(`${isPlain(key) ? key : JSON.stringify(key)}:`);
      this.value(own(value, key) as Json, { indent: inner, isInSequence: false, isRoot: false });
    });
  }

  #sequence(value: readonly Json[], { indent, isInSequence, isRoot }: Place): void {
    if (value.length === 0) this.#put(isRoot ? '[]' : ' []');
    const inner = isInSequence ? indent + INDENT : indent;
    value.forEach((item, index) => {
      if (isInSequence && index === 0) this.#put(' ');
      else this.#newLine(inner);
      this.#put('-');
      this.value(item, { indent: inner, isInSequence: true, isRoot: false });
    });
  }

  #string(text: string, { indent, isRoot }: Place): void {
    const inner = isRoot ? 0 : indent + INDENT;
    if (!isRoot) this.#put(' ');
    const allowed = allowedStyles(text);
    if (text.includes('\n') && allowed.block) this.#literal(text, inner);
    else if (text.includes('\n') || !isPlain(text)) this.#doubleQuoted(text, inner);
    else if (allowed.plain) this.#folded(text, inner, (character) => character);
    else if (allowed.singleQuoted) {
      this.#put("'");
      this.#folded(text, inner, (character) => (character === "'" ? "''" : character), { isQuoted: true });
      this.#put("'");
    } else this.#doubleQuoted(text, inner);
  }

  #literal(text: string, indent: number): void {
    const hint = /^[ \n]/.test(text) ? String(INDENT) : '';
    const chomping = !text.endsWith('\n') ? '-' : text === '\n' || text.endsWith('\n\n') ? '+' : '';
    this.#put(`|${hint}${chomping}`);
    const lines = text.split('\n');
    if (text.endsWith('\n')) lines.pop();
    for (const line of lines) {
      if (line === '') this.#lineBreak();
      else {
        this.#newLine(indent);
        this.#put(line);
      }
    }
  }

  /** A line is folded at the first single space beyond the width. */
  #folded(
    text: string,
    indent: number,
    written: (character: string) => string,
    { isQuoted = false } = {},
  ): void {
    const characters = [...text];
    let follows = false;
    characters.forEach((character, index) => {
      const isSpace = character === ' ';
      const isInside = !isQuoted || (index > 0 && index < characters.length - 1);
      const folds = isSpace && !follows && this.#column > BEST_WIDTH && isInside;
      if (folds && characters[index + 1] !== ' ') this.#newLine(indent);
      else this.#put(written(character));
      follows = isSpace;
    });
  }

  #doubleQuoted(text: string, indent: number): void {
    this.#put('"');
    const characters = [...text];
    let follows = false;
    characters.forEach((character, index) => {
      if (character !== ' ') {
        this.#put(escaped(character));
        follows = false;
        return;
      }
      const isInside = index > 0 && index < characters.length - 1;
      if (!follows && this.#column > BEST_WIDTH && isInside) {
        this.#newLine(indent);
        if (characters[index + 1] === ' ') this.#put('\\');
      } else this.#put(' ');
      follows = true;
    });
    this.#put('"');
  }

  #newLine(indent: number): void {
    if (this.text !== '') this.#lineBreak();
    this.#put(' '.repeat(indent));
  }

  #lineBreak(): void {
    this.text += '\n';
    this.#column = 0;
  }

  #put(text: string): void {
    this.text += text;
    this.#column += [...text].length;
  }
}

/** Whether a reader takes the text without quotes for the same text. */
function isPlain(text: string): boolean {
  const resolved = resolvePlain(text);
  return resolved.kind === 'value' && resolved.value === text && !TIMESTAMP.test(text) && !BASE_60.test(text);
}

const TIMESTAMP =
  /^\d{4}-\d{1,2}-\d{1,2}([Tt]\d{1,2}:\d{1,2}:\d{1,2}([.,]\d+)?(Z|[-+]\d\d:\d\d)| \d{1,2}:\d{1,2}:\d{1,2}([.,]\d+)?)?$/;
const BASE_60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;

type AllowedStyles = { readonly plain: boolean; readonly singleQuoted: boolean; readonly block: boolean };

function allowedStyles(text: string): AllowedStyles {
  const hasSpecial = [...text].some((character) => !PRINTABLE.test(character));
  const hasSpaceBeforeBreak = / \n/.test(text);
  const hasSpaceAfterBreak = /\n /.test(text);
  const isUnwritable = hasSpecial || hasSpaceBeforeBreak;
  return {
    plain: !isUnwritable && !text.includes('\n') && !/^ | $/.test(text) && !hasIndicator(text),
    singleQuoted: !isUnwritable && !hasSpaceAfterBreak,
    block: !isUnwritable && !text.endsWith(' '),
  };
}

const PRINTABLE = /^[\n\x20-\x7e\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]$/u;

function hasIndicator(text: string): boolean {
  if (/^(---|\.\.\.)/.test(text)) return true;
  if (/^[#,[\]{}&*!|>'"%@`]/.test(text) || /^[?:-]([ \n]|$)/.test(text)) return true;
  return /:([ \n]|$)/.test(text) || /[ \n]#/.test(text);
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\0', '\\0'],
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\v', '\\v'],
  ['\f', '\\f'],
  ['\r', '\\r'],
  ['\x1b', '\\e'],
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\x85', '\\N'],
  ['\xa0', '\\_'],
  ['\u2028', '\\L'],
  ['\u2029', '\\P'],
]);

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (PRINTABLE.test(character) && character !== '\n' && character !== '"' && character !== '\\') {
    return character;
  }
  const known = ESCAPES.get(character);
  if (known !== undefined) return known;
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}
