/**
 * Parser of JSONPath, as lenient as that of Kubernetes.
 */
import type { JsonPath, Slice, Step } from './json-path.ts';

/** Undefined if the text is no path. */
export function parseJsonPath(text: string): JsonPath | undefined {
  // The brace marks the end: paths are the content of a template action in braces.
  const source = `${text}}`;
  const steps: Step[] = [];
  let position = 0;
  while (source.charAt(position) !== '}') {
    const part = partAt(source, position, steps.at(-1));
    if (part === undefined) return undefined;
    steps.push(...part.steps);
    position = part.next;
  }
  return steps;
}

/** The parsed steps, and the position after them. */
type Part = { readonly steps: readonly Step[]; readonly next: number };

function partAt(source: string, start: number, previous: Step | undefined): Part | undefined {
  if (source.startsWith('[?(', start)) return filterAt(source, start + 3);
  if (source.startsWith('..', start)) return descentAt(source, start + 2, previous);
  const first = source.charAt(start);
  switch (first) {
    case ' ':
    case '@':
    case '$':
      return { steps: [], next: start + 1 };
    case '[':
      return bracketsAt(source, start + 1);
    case '"':
    case "'":
      return quotedAt(source, start);
    case '.':
      return fieldAt(source, start + 1);
    default:
      if (/^[-+\d]$/.test(first)) return numberAt(source, start);
      return isWordCharacter(first) ? wordAt(source, start) : undefined;
  }
}

const isWordCharacter = (character: string) => /^[_\p{L}\p{Nd}]$/u.test(character);
const isTerminator = (character: string) => character === '' || ' \t\r\n.,[]$@{}'.includes(character);

/** A name ends at the next special character; a backslash escapes that. */
function fieldAt(source: string, start: number): Part {
  let next = start;
  while (!isTerminator(source.charAt(next))) next += source.charAt(next) === '\\' ? 2 : 1;
  const name = source.slice(start, next);
  return {
    steps: [name === '*' ? { kind: 'wildcard' } : { kind: 'field', name: name.replaceAll('\\', '') }],
    next,
  };
}

function descentAt(source: string, start: number, previous: Step | undefined): Part | undefined {
  if (previous?.kind === 'descent') return undefined;
  const descent: Step = { kind: 'descent' };
  if (!isWordCharacter(source.charAt(start))) return { steps: [descent], next: start };
  const { steps, next } = fieldAt(source, start);
  return { steps: [descent, ...steps], next };
}

function numberAt(source: string, start: number): Part | undefined {
  const [text = ''] = /^[-+]?[\d.]*/.exec(source.slice(start)) ?? [];
  if (!/^[-+]?(?:\d+\.?\d*|\.\d+)$/.test(text)) return undefined;
  return { steps: [{ kind: 'literal', value: Number(text) }], next: start + text.length };
}

function wordAt(source: string, start: number): Part {
  let next = start;
  while (!isTerminator(source.charAt(next))) next++;
  const word = source.slice(start, next);
  const isBoolean = word === 'true' || word === 'false';
  return { steps: [isBoolean ? { kind: 'literal', value: word === 'true' } : { kind: 'unknown' }], next };
}

function quotedAt(source: string, start: number): Part | undefined {
  const quote = source.charAt(start);
  let end = start + 1;
  while (source.charAt(end) !== quote || source.charAt(end - 1) === '\\') {
    if (end >= source.length || source.charAt(end) === '\n') return undefined;
    end++;
  }
  const text = unescaped(source.slice(start + 1, end), quote);
  return text === undefined ? undefined : { steps: [{ kind: 'text', text }], next: end + 1 };
}

const NAMED: ReadonlyMap<string, string> = new Map([
  ['a', '\u0007'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ['\\', '\\'],
]);
const ESCAPE = /\\(?:([abfnrtv\\'"])|x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-3][0-7]{2})|)/g;
const MAX_CODE_POINT = 0x10ffff;

/** With Go's escapes; undefined if there is an unknown one. */
function unescaped(text: string, quote: string): string | undefined {
  let isKnown = true;
  const result = text.replace(ESCAPE, (_, named, byte, short, long, octal) => {
    if (named === quote) return quote;
    const character = NAMED.get(named);
    if (character !== undefined) return character;
    const code = octal === undefined ? Number.parseInt(byte ?? short ?? long, 16) : Number.parseInt(octal, 8);
    isKnown &&= code <= MAX_CODE_POINT;
    return isKnown ? String.fromCodePoint(code) : '';
  });
  return isKnown ? result : undefined;
}

function bracketsAt(source: string, start: number): Part | undefined {
  const end = source.indexOf(']', start);
  const inside = source.slice(start, end);
  if (end < 0 || inside.includes('\n')) return undefined;
  const steps = stepsInBrackets(inside);
  return steps === undefined ? undefined : { steps, next: end + 1 };
}

function stepsInBrackets(inside: string): readonly Step[] | undefined {
  const choices = inside.split(',');
  if (choices.length > 1) return unionOf(choices);
  const [, key] = /^'([^']*)'$/.exec(inside) ?? [];
  // A dot in quotes separates two names nevertheless.
  if (key !== undefined) return parseJsonPath(`.${key}`);
  const slice = sliceOf(inside === '*' ? ':' : inside);
  return slice === undefined ? undefined : [{ kind: 'slice', slice }];
}

function unionOf(choices: readonly string[]): readonly Step[] | undefined {
  const paths: JsonPath[] = [];
  for (const choice of choices) {
    const path = parseJsonPath(`[${choice.replace(/^ +| +$/g, '')}]`);
    if (path === undefined) return undefined;
    paths.push(path);
  }
  return [{ kind: 'union', paths }];
}

/** `2`, `1:3`, `:`, `::2`. */
function sliceOf(text: string): Slice | undefined {
  const parts = /^(-?\d*)(?::(-?\d*))?(?::(-?\d*))?$/.exec(text);
  if (parts === null) return undefined;
  const [, from = '', to, step = ''] = parts;
  const numbers = [from, to ?? '', step].map((part) => (part === '' ? undefined : Number(part)));
  // A single minus is no number.
  if (numbers.some((number) => number !== undefined && !Number.isSafeInteger(number))) return undefined;
  return { from: numbers[0], to: numbers[1], step: numbers[2], isIndex: to === undefined };
}

function filterAt(source: string, start: number): Part | undefined {
  const end = endOfFilter(source, start);
  if (end === undefined || source.charAt(end + 1) !== ']') return undefined;
  const condition = source.slice(start, end);
  const [, before = condition, operator, behind = ''] = /^([^!<>=]+)([!<>=]+)(.+)$/s.exec(condition) ?? [];
  const left = parseJsonPath(before);
  const right = parseJsonPath(behind);
  if (left === undefined || right === undefined) return undefined;
  return { steps: [{ kind: 'filter', filter: { left, operator, right } }], next: end + 2 };
}

/** The bracket that closes the filter; one within the first quoted string does not. */
function endOfFilter(source: string, start: number): number | undefined {
  let quote = '';
  let isQuoteClosed = false;
  for (let index = start; index < source.length; index++) {
    const character = source.charAt(index);
    if (character === '\n') return undefined;
    if (character === ')' && (quote === '' || isQuoteClosed)) return index;
    if (character !== '"' && character !== "'") continue;
    if (quote === '') quote = character;
    else if (character === quote && source.charAt(index - 1) !== '\\') isQuoteClosed = true;
  }
  return undefined;
}
