/**
 * Objects and lists as JSON patches see them: children by the last part of a path, `-` for the end of a list,
 * indexes that may count from the end.
 */
import type { Json } from '../../base/json.ts';
import { quoted } from '../../base/text/index.ts';

/** An object or a list that is being edited. */
export type Container = { [key: string]: Json } | Json[];

/** What a look-up gives; a text says why it failed. */
type Found = { readonly value: Json | undefined } | { readonly failure: string };

/** The names in `/a/b~1c`. The first one stands before the first slash and counts for nothing. */
export function pointerParts(pointer: string): readonly string[] | undefined {
  const [, ...parts] = pointer.split('/');
  return parts.length === 0 ? undefined : parts.map(unescaped);
}

/** One pass over the text: `~01` is `~1`, not a slash. */
function unescaped(part: string): string {
  return part.replace(/~[01]/g, (found) => (found === '~1' ? '/' : '~'));
}

/** A child; of an object also one that is not there, of a list only one that is. */
export function childOf(container: Container, key: string): Found {
  if (!Array.isArray(container)) return { value: Object.hasOwn(container, key) ? container[key] : undefined };
  const index = indexIn(container.length, key);
  return 'failure' in index ? index : { value: container[index.at] };
}

/** Puts a child in place of the one that `childOf` has found. */
export function setChild(container: Container, key: string, value: Json): void {
  if (!Array.isArray(container)) {
    setField(container, key, value);
    return;
  }
  const index = indexIn(container.length, key);
  if ('at' in index) container[index.at] = value;
}

/** Adds a field, or an item before the one of that index. */
export function addChild(container: Container, key: string, value: Json): string | undefined {
  if (!Array.isArray(container)) {
    setField(container, key, value);
    return undefined;
  }
  if (key === '-') {
    container.push(value);
    return undefined;
  }
  const improper = numberFailure(key);
  if (improper !== undefined) return `value was not a proper array index: '${key}': ${improper}`;
  const index = indexIn(container.length + 1, key);
  if ('failure' in index) return index.failure;
  container.splice(index.at, 0, value);
  return undefined;
}

export function removeChild(container: Container, key: string): string | undefined {
  if (!Array.isArray(container)) {
    if (!Object.hasOwn(container, key)) return `Unable to remove nonexistent key: ${key}: missing value`;
    delete container[key];
    return undefined;
  }
  const index = indexIn(container.length, key);
  if ('failure' in index) return index.failure;
  container.splice(index.at, 1);
  return undefined;
}

/** Defined, not assigned, where the name is the one that would change the prototype. */
function setField(object: { [key: string]: Json }, key: string, value: Json): void {
  if (key !== '__proto__') object[key] = value;
  else Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
}

function indexIn(length: number, key: string): { readonly at: number } | { readonly failure: string } {
  const failure = numberFailure(key);
  if (failure !== undefined) return { failure };
  const asked = BigInt(key.replace(/^\+/, ''));
  if (asked >= BigInt(length) || asked < BigInt(-length)) {
    return { failure: `Unable to access invalid index: ${asked}: invalid index referenced` };
  }
  const index = Number(asked);
  return { at: index < 0 ? index + length : index };
}

const MAX_INT64 = 2n ** 63n - 1n;

/** Why a text is no whole number to Go. */
function numberFailure(text: string): string | undefined {
  if (!/^[+-]?\d+$/.test(text)) return `strconv.Atoi: parsing ${quoted(text)}: invalid syntax`;
  const value = BigInt(text.replace(/^\+/, ''));
  if (value <= MAX_INT64 && value >= -MAX_INT64 - 1n) return undefined;
  return `strconv.Atoi: parsing ${quoted(text)}: value out of range`;
}
