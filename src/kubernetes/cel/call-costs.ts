/**
 * Cost estimates of calls without their arguments, and the sizes of their results: the server's costs, function by
 * function. Functions that are not listed cost one unit.
 */
import type { CelType } from './cel-type.ts';
import { exactly, priced, product, REGEX, type Size, sum, TRAVERSAL, times, UNKNOWN } from './sizes.ts';
import type { Tree } from './tree.ts';

/** A target or argument of a call. */
export type Operand = {
  readonly tree: Tree;
  readonly size: Size;
  /** The items, if it is a list and something is known about them. */
  readonly items: { readonly type: CelType; readonly size: Size } | undefined;
};

type Call = {
  readonly name: string;
  /** The receiver; of size zero for functions. */
  readonly target: Operand | undefined;
  readonly args: readonly Operand[];
  /** The parameters of the resolved overload. */
  readonly signature: readonly CelType[];
};

type CallPrice = { readonly cost: number; readonly size?: Size };

export function priceOf(call: Call): CallPrice {
  const price = Object.hasOwn(PRICES, call.name) ? PRICES[call.name] : undefined;
  return price?.(call) ?? ONE;
}

type Price = (call: Call) => CallPrice | undefined;

const ONE: CallPrice = { cost: 1 };

/** Comparing two strings costs as much as the shorter one. */
const compared: Price = ({ args }) => {
  const smaller = Math.min(sizeOf(args[0]).max, sizeOf(args[1]).max);
  return { cost: priced(exactly(smaller), TRAVERSAL) };
};
const comparedTexts: Price = (call) => (isTextual(call.signature[0]) ? compared(call) : undefined);

const readArgument: Price = ({ args }) => ({ cost: priced(sizeOf(args[0]), TRAVERSAL) });
const readTarget: Price = ({ target }) => ({
  cost: priced(sizeOf(target), TRAVERSAL),
  size: sizeOf(target),
});

/** One unit per item, plus the traversal of strings; for a single string its traversal. */
const everyItem: Price = ({ target }) => {
  const items = target?.items;
  if (items === undefined) return { cost: priced(sizeOf(target), TRAVERSAL) };
  const each = 1 + (isTextual(items.type) ? priced(items.size, TRAVERSAL) : 0);
  return { cost: times(sizeOf(target).max, each) };
};

const matched = (text: Size, pattern: Size): number =>
  times(priced(sum(text, exactly(1)), TRAVERSAL), priced(pattern, REGEX));

const found: Price = ({ target, args }) => ({
  cost: matched(sizeOf(target), sizeOf(args[0])),
  size: { min: 0, max: sizeOf(target).max },
});

const sets =
  (factor: number): Price =>
  ({ args }) => ({ cost: priced(product(sizeOf(args[0]), sizeOf(args[1])), factor) + 1 });

const PRICES: { readonly [name: string]: Price } = {
  '_==_': (call) => equalityOfOwnTypes(call) ?? compared(call),
  '_!=_': compared,
  '_<_': comparedTexts,
  '_<=_': comparedTexts,
  '_>_': comparedTexts,
  '_>=_': comparedTexts,
  '@in': ({ args, signature }) => (signature[1]?.kind === 'list' ? { cost: sizeOf(args[1]).max } : undefined),
  isSorted: everyItem,
  sum: everyItem,
  min: everyItem,
  max: everyItem,
  indexOf: everyItem,
  lastIndexOf: everyItem,
  lowerAscii: readTarget,
  upperAscii: readTarget,
  substring: readTarget,
  trim: readTarget,
  startsWith: readArgument,
  endsWith: readArgument,
  format: ({ target }) => ({ cost: priced(sizeOf(target), TRAVERSAL) }),
  contains: ({ target, args }) => ({
    cost: times(priced(sizeOf(target), TRAVERSAL), priced(sizeOf(args[0]), TRAVERSAL)),
  }),
  // The server's list omits the function form (`matches(a, b)`), so it costs one unit.
  matches: ({ target, args }) =>
    target === undefined ? undefined : { cost: matched(sizeOf(target), sizeOf(args[0])) },
  find: found,
  findAll: found,
  replace: ({ target, args }) => ({
    cost: priced(sizeOf(target), 2 * TRAVERSAL),
    size: replacedSize(sizeOf(target), sizeOf(args[0]), sizeOf(args[1])),
  }),
  split: ({ target, args }) => ({
    cost: priced(sizeOf(target), 2 * TRAVERSAL),
    size: { min: 0, max: limitOf(args[1]) ?? sizeOf(target).max },
  }),
  join: joined,
  bytes: ({ args, signature }) => {
    const { min, max } = sizeOf(args[0]);
    if (signature[0]?.kind !== 'string') return undefined;
    return { cost: priced({ min, max }, TRAVERSAL), size: { min, max: max * 4 } };
  },
  string: ({ args, signature }) => {
    const { min, max } = sizeOf(args[0]);
    if (signature[0]?.kind !== 'bytes') return undefined;
    return { cost: priced({ min, max }, TRAVERSAL), size: { min: Math.floor(min / 4), max } };
  },
  'strings.quote': ({ args }) => {
    const { min, max } = sizeOf(args[0]);
    return { cost: priced({ min, max }, TRAVERSAL), size: { min: min + 2, max: max * 2 + 2 } };
  },
  'sets.contains': sets(1),
  'sets.intersects': sets(1),
  'sets.equivalent': sets(2),
  url: (call) => ({ cost: readArgument(call)?.cost ?? 1, size: sizeOf(call.args[0]) }),
  cidr: readArgument,
  isIP: readArgument,
  isCIDR: readArgument,
  // `ip('…')` parses a string, `cidr.ip()` only selects a part.
  ip: (call) => (call.args.length === 0 ? ONE : readArgument(call)),
  'ip.isCanonical': ({ args }) => ({ cost: priced(sizeOf(args[0]), 2 * TRAVERSAL) }),
  containsIP: (call) => ({ cost: 4 + parsing(call) }),
  containsCIDR: (call) => ({ cost: 7 + parsing(call) }),
  quantity: readArgument,
  isQuantity: readArgument,
  // As for a regular expression of 128 characters.
  validate: ({ args }) => ({ cost: Math.ceil(priced(sizeOf(args[0]), TRAVERSAL) * 128 * REGEX) }),
};

function sizeOf(operand: Operand | undefined): Size {
  return operand?.size ?? UNKNOWN;
}

function isTextual(type: CelType | undefined): boolean {
  return type?.kind === 'string' || type?.kind === 'bytes';
}

/** An argument that is still a string has to be parsed first. */
function parsing({ args, signature }: Call): number {
  return signature[1]?.kind === 'string' ? priced(sizeOf(args[0]), TRAVERSAL) : 0;
}

/** Types of Kubernetes' libraries are compared at a fixed cost; URLs by their length. */
function equalityOfOwnTypes({ args: [left, right] }: Call): CallPrice | undefined {
  if (left?.tree.type.kind !== 'opaque' || right?.tree.type.kind !== 'opaque') return undefined;
  if (left.tree.type.name !== right.tree.type.name) return undefined;
  switch (left.tree.type.name) {
    case 'kubernetes.URL':
      return { cost: priced(right.size === UNKNOWN ? exactly(1) : right.size, TRAVERSAL) };
    case 'kubernetes.NamedFormat':
      return { cost: priced(exactly(64), TRAVERSAL) };
    default:
      return ONE;
  }
}

/** The number in `split(separator, 3)`; a negative one is no limit. */
function limitOf(operand: Operand | undefined): number | undefined {
  if (operand?.tree.kind !== 'literal' || typeof operand.tree.value !== 'bigint') return undefined;
  return operand.tree.value < 0n ? UNKNOWN.max : Number(operand.tree.value);
}

/**
 * The longest result has the shortest part replaced by the longest, as often as it fits; the shortest result
 * the reverse.
 */
function replacedSize(text: Size, part: Size, replacement: Size): Size {
  return {
    max: replacedLength(text.max, part.min, {
      replacement: replacement.max,
      isKept: replacement.max <= part.min,
    }),
    min: replacedLength(text.min, part.max, {
      replacement: replacement.min,
      isKept: part.max <= replacement.min,
    }),
  };
}

/**
 * An empty part matches around every character. `isKept`: replacing cannot change the length in that direction.
 */
function replacedLength(
  text: number,
  part: number,
  { replacement, isKept }: { readonly replacement: number; readonly isKept: boolean },
): number {
  if (part === 0) return times(text + 1, replacement) + text;
  return isKept ? text : times(Math.ceil(text / part), replacement);
}

function joined({ target, args }: Call): CallPrice {
  const list = sizeOf(target);
  const texts = target?.items === undefined ? exactly(0) : product(list, target.items.size);
  const [separator] = args;
  const gaps: Size = { min: Math.max(0, list.min - 1), max: Math.max(0, list.max - 1) };
  const size = separator === undefined ? texts : sum(texts, product(separator.size, gaps));
  return { cost: priced(size, TRAVERSAL), size };
}
