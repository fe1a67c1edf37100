/**
 * Access to the children of objects and lists in JSON patches: by key, by index (possibly negative), or `-` for the end
 * of a list.
 */
import type { Json } from '../../base/json.ts';
import { quoted } from '../../base/text/index.ts';

/** An object or a list that is edited in place. */
export type Container = { [key: string]: Json } | Json[];

/** The result of a lookup, or the message of its failure. */
type Found = { readonly value: Json | undefined } | { readonly failure: string };

/** The segments of `/a/b~1c`. The one before the first slash is ignored. */
export function pointerParts(pointer: string): readonly string[] | undefined {
  const [, ...parts] = pointer.split('/');
  return parts.length === 0 ? undefined : parts.map(unescaped);
}

/** In one pass: `~01` is `~1`, not a slash. */
function unescaped(part: string): string {
  return part.replace(/~[01]/g, (found) => (found === '~1' ? '/' : '~'));
}

/** A child; undefined for a missing field of an object, a failure for a missing item. */
export function childOf(container: Container, key: string): Found {
  if (!Array.isArray(container)) return { value: Object.hasOwn(container, key) ? container[key] : undefined };
  const index = indexIn(container.length, key);
  return 'failure' in index ? index : { value: container[index.at] };
}

/** Replaces the child that `childOf` has found. */
export function setChild(container: Container, key: string, value: Json): void {
  if (!Array.isArray(container)) {
    setField(container, key, value);
    return;
  }
  const index = indexIn(container.length, key);
  if ('at' in index) container[index.at] = value;
}

/** Adds a field, or inserts an item at the index. */
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

/** Defined, not assigned: a key named `__proto__` would change the prototype. */
export function setField(object: { [key: string]: Json }, key: string, value: Json): void {
  if (key !== '__proto__') object[key] = value;
  else Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
}

function indexIn(length: number, key: string): { readonly at: number } | { readonly failure: string } {
  const failure = numberFailure(key);
  if (failure !== undefined) return { failure };
  const requested = BigInt(key.replace(/^\+/, ''));
  if (requested >= BigInt(length) || requested < BigInt(-length)) {
    return { failure: `Unable to access invalid index: ${requested}: invalid index referenced` };
  }
  const index = Number(requested);
  return { at: index < 0 ? index + length : index };
}

const MAX_INT64 = 2n ** 63n - 1n;

/** Go's message for a text that is no integer. */
function numberFailure(text: string): string | undefined {
  if (!/^[+-]?\d+$/.test(text)) return `strconv.Atoi: parsing ${quoted(text)}: invalid syntax`;
  const value = BigInt(text.replace(/^\+/, ''));
  if (value <= MAX_INT64 && value >= -MAX_INT64 - 1n) return undefined;
  return `strconv.Atoi: parsing ${quoted(text)}: value out of range`;
}
