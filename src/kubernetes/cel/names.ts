/**
 * Escaping of field names in CEL: `foo-bar` is `self.foo__dash__bar` in a rule.
 */

// biome-ignore format: a list of names
const RESERVED: ReadonlySet<string> = new Set([
  'true', 'false', 'null', 'in', 'as', 'break', 'const', 'continue', 'else', 'for', 'function', 'if',
  'import', 'let', 'loop', 'package', 'namespace', 'return', 'var', 'void', 'while',
]);

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['__', '__underscores__'],
  ['.', '__dot__'],
  ['-', '__dash__'],
  ['/', '__slash__'],
]);
const UNESCAPES: ReadonlyMap<string, string> = new Map(
  [...ESCAPES].map(([plain, escaped]) => [escaped, plain]),
);

/** The name in CEL; undefined if it has characters that cannot be escaped. */
export function escapeName(name: string): string | undefined {
  if (RESERVED.has(name)) return `__${name}__`;
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined;
  return name.replace(/__|[-./]/g, (part) => ESCAPES.get(part) ?? part);
}

/** The field of a name in CEL; undefined if it has an unknown escape sequence. */
export function unescapeName(name: string): string | undefined {
  if (!name.includes('__')) return name;
  let isValid = true;
  const plain = name.replace(/__[^_]+__/g, (escaped) => {
    const word = escaped.slice(2, -2);
    if (RESERVED.has(word) && escaped === name) return word;
    const character = UNESCAPES.get(escaped);
    if (character === undefined) isValid = false;
    return character ?? '';
  });
  return isValid ? plain : undefined;
}
