/**
 * Parses label selectors: `a=b,c!=d,e in (f,g),h notin (i),!j,k,l>1,m<2`.
 */

import { invalid, type Outcome, ok } from '../../base/errors.ts';
import { compareBytes } from '../../base/json.ts';
import { quoted } from '../../base/text/index.ts';
import { checkLabelValue, checkQualifiedName } from '../meta/index.ts';
import { parseInt64 } from './int64.ts';
import { END, type Token, type TokenKind, tokensOf } from './label-tokens.ts';

/** The requirements of a selector; all of them must hold. */
export type LabelRequirements = readonly LabelRequirement[];

/**
 * A requirement on one label. `a=b` is `In` with one value, `a!=b` is `NotIn`. Values are sorted and distinct.
 */
export type LabelRequirement = {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'GreaterThan' | 'LessThan';
  readonly values: readonly string[];
};

/** An empty string has no requirements. */
export function parseLabelSelector(text: string): Outcome<LabelRequirements> {
  const reader = readerOf(tokensOf(text));
  const requirements: LabelRequirement[] = [];
  if (reader.next().kind === 'end') return ok(requirements);
  if (!beginsRequirement(reader.next())) {
    return refused(`found '${reader.next().text}', expected: !, identifier, or 'end of string'`);
  }
  for (;;) {
    const requirement = parseRequirement(reader);
    if (isRefusal(requirement)) return refused(`unable to parse requirement: ${requirement.refusal}`);
    requirements.push(requirement);
    const after = reader.take();
    if (after.kind === 'end') return ok(requirements);
    if (after.kind !== ',') return refused(`found '${after.text}', expected: ',' or 'end of string'`);
    if (!beginsRequirement(reader.next())) {
      return refused(`found '${reader.next().text}', expected: identifier after ','`);
    }
  }
}

const refused = (message: string): Outcome<never> => invalid([{ path: '', message }]);

type Refusal = { readonly refusal: string };
type Values = { readonly values: readonly string[] };

function isRefusal(result: object): result is Refusal {
  return 'refusal' in result;
}

type Reader = { readonly next: () => Token; readonly take: () => Token };

function readerOf(tokens: readonly Token[]): Reader {
  let position = 0;
  return {
    next: () => tokens[position] ?? END,
    take: () => tokens[position++] ?? END,
  };
}

function isWord({ kind }: Token): boolean {
  return kind === 'word' || kind === 'in' || kind === 'notin';
}

function beginsRequirement(token: Token): boolean {
  return isWord(token) || token.kind === '!';
}

const OPERATORS: ReadonlyMap<TokenKind, LabelRequirement['operator']> = new Map([
  ['in', 'In'],
  ['notin', 'NotIn'],
  ['=', 'In'],
  ['==', 'In'],
  ['!=', 'NotIn'],
  ['>', 'GreaterThan'],
  ['<', 'LessThan'],
]);

function parseRequirement(reader: Reader): LabelRequirement | Refusal {
  const isNegated = reader.next().kind === '!';
  if (isNegated) reader.take();
  const word = reader.take();
  if (!isWord(word)) return { refusal: `found '${word.text}', expected: identifier` };
  const key = word.text;
  const problems = checkQualifiedName(key);
  if (problems.length > 0) return { refusal: invalidText('<nil>', key, problems.join('; ')) };
  if (isNegated) return { key, operator: 'DoesNotExist', values: [] };
  const { kind } = reader.next();
  if (kind === 'end' || kind === ',') return { key, operator: 'Exists', values: [] };
  return parseComparison(reader, key);
}

function parseComparison(reader: Reader, key: string): LabelRequirement | Refusal {
  const sign = reader.take();
  const operator = OPERATORS.get(sign.kind);
  if (operator === undefined) {
    return { refusal: `found '${sign.text}', expected: in, notin, =, ==, !=, gt, lt` };
  }
  const isSet = sign.kind === 'in' || sign.kind === 'notin';
  const parsed = isSet ? parseSet(reader) : parseValue(reader);
  if (isRefusal(parsed)) return parsed;
  const values = [...new Set(parsed.values)].sort(compareBytes);
  const problems = [
    ...(operator === 'GreaterThan' || operator === 'LessThan' ? numberProblems(values) : []),
    ...valueProblems(key, values),
  ];
  return problems.length > 0 ? { refusal: joined(problems) } : { key, operator, values };
}

/** The value after `=` may be omitted and is empty then. */
function parseValue(reader: Reader): Values | Refusal {
  const { kind } = reader.next();
  if (kind === 'end' || kind === ',') return { values: [''] };
  const token = reader.take();
  return isWord(token)
    ? { values: [token.text] }
    : { refusal: `found '${token.text}', expected: identifier` };
}

function parseSet(reader: Reader): Values | Refusal {
  const opening = reader.take();
  if (opening.kind !== '(') return { refusal: `found '${opening.text}' expected: '('` };
  const first = reader.next();
  if (first.kind === ')') {
    reader.take();
    return { values: [''] };
  }
  if (!isWord(first) && first.kind !== ',') {
    return { refusal: `found '${first.text}', expected: ',', ')' or identifier` };
  }
  return parseItems(reader);
}

/** Up to and including the closing parenthesis. A comma without a neighbour implies an empty value. */
function parseItems(reader: Reader): Values | Refusal {
  const values: string[] = [];
  for (;;) {
    const token = reader.take();
    const after = reader.next();
    if (isWord(token)) {
      values.push(token.text);
      if (after.kind !== ',' && after.kind !== ')') {
        return { refusal: `found '${after.text}', expected: ',' or ')'` };
      }
    } else if (token.kind === ',') {
      if (values.length === 0 || after.kind === ',' || after.kind === ')') values.push('');
    } else {
      return { refusal: `found '${token.text}', expected: ',', or identifier` };
    }
    if (after.kind === ')') {
      reader.take();
      return { values };
    }
    // The server reads two commas as one, and then does not accept the end of the list.
    if (token.kind === ',' && after.kind === ',') reader.take();
  }
}

function numberProblems(values: readonly string[]): readonly string[] {
  return values.flatMap((value, index) =>
    parseInt64(value) === undefined
      ? [invalidText(`values[${index}]`, value, "for 'Gt', 'Lt' operators, the value must be an integer")]
      : [],
  );
}

function valueProblems(key: string, values: readonly string[]): readonly string[] {
  return values.flatMap((value, index) => {
    const problems = checkLabelValue(value);
    return problems.length === 0 ? [] : [invalidText(`values[${index}][${key}]`, value, problems.join('; '))];
  });
}

function invalidText(path: string, value: string, why: string): string {
  return `${path}: Invalid value: ${quoted(value)}: ${why}`;
}

/** The format in which the server joins several errors. */
function joined(problems: readonly string[]): string {
  const distinct = [...new Set(problems)];
  return distinct.length === 1 ? distinct.join('') : `[${distinct.join(', ')}]`;
}
