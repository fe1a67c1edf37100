/**
 * Parses the arguments of a command: `KIND`, `KIND,KIND`, `KIND NAME…` or `KIND/NAME…`.
 */
import { invalid, type Outcome, ok } from '../../base/errors.ts';

type NamedResource = {
  /** As written: a name, short name, kind or category. */
  readonly word: string;
  /** Undefined for all objects of the kind. */
  readonly names: readonly string[] | undefined;
};

export function parseResourceArgs(args: readonly string[]): Outcome<readonly NamedResource[]> {
  const withSlash = args.filter((arg) => arg.includes('/'));
  if (withSlash.length === 0) return kindThenNames(args);
  const plain = args.find((arg) => !arg.includes('/'));
  if (plain !== undefined) {
    return invalidArgs(
      `${quoted(plain)} cannot be combined with ${quoted(withSlash[0] ?? '')}: write each as KIND/NAME`,
    );
  }
  const named: NamedResource[] = [];
  for (const arg of args) {
    const [word = '', name = '', ...rest] = arg.split('/');
    if (word === '' || name === '' || rest.length > 0) return invalidArgs(`${quoted(arg)} is not KIND/NAME`);
    if (word.includes(',')) return invalidArgs(`${quoted(arg)} has several kinds: write each as KIND/NAME`);
    named.push({ word, names: [name] });
  }
  return ok(named);
}

function kindThenNames([kinds = '', ...names]: readonly string[]): Outcome<readonly NamedResource[]> {
  const list = kinds.split(',');
  if (list.includes('')) return invalidArgs(`${quoted(kinds)} is not a kind or a list of kinds`);
  if (names.includes('')) return invalidArgs('a name is empty');
  return ok([...new Set(list)].map((word) => ({ word, names: names.length === 0 ? undefined : names })));
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

function invalidArgs(message: string): Outcome<never> {
  return invalid([{ path: '', message }]);
}
