/**
 * Untrusted regular expressions, as RE2 like on the API server: matching takes linear time, and `(?i)`, `[[:alpha:]]`
 * or `\z` have RE2's meaning.
 */
import { RE2JS } from 're2js';

export type Regex = { readonly kind: 'regex'; readonly pattern: RE2JS };
type BadRegex = { readonly kind: 'bad'; readonly error: string };

/** Patterns come with schemas, which are few; rules that build patterns from data must not fill the memory. */
const MAX_CACHED_PATTERNS = 2000;
const MAX_PATTERN_CHARS = 20_000;
const cache = new Map<string, Regex | BadRegex>();

export function compileRegex(source: string): Regex | BadRegex {
  const known = cache.get(source);
  if (known !== undefined) return known;
  const compiled = compile(source);
  if (cache.size >= MAX_CACHED_PATTERNS) cache.clear();
  cache.set(source, compiled);
  return compiled;
}

/** Whether the pattern matches anywhere in the text. */
export function isFound(regex: Regex, text: string): boolean {
  return regex.pattern.test(text);
}

function compile(source: string): Regex | BadRegex {
  if (source.length > MAX_PATTERN_CHARS) return { kind: 'bad', error: 'pattern too long' };
  try {
    return { kind: 'regex', pattern: RE2JS.compile(source) };
  } catch (error) {
    return { kind: 'bad', error: error instanceof Error ? error.message : String(error) };
  }
}
