/**
 * Data without a schema: the values of objects of which only the JSON is known.
 *
 * Objects are maps then, integral numbers are integers, and null is a value. Everything is converted lazily: most rules
 * select a field or two of objects that may have a megabyte.
 */
import { isWhole } from '../../base/text/index.ts';
import { ListValue, type MapKey, MapValue, ObjectValue, type Value } from './values.ts';

type Raw = { readonly [key: string]: unknown };

export function dynamicValue(raw: unknown): Value {
  switch (typeof raw) {
    case 'string':
    case 'boolean':
      return raw;
    case 'number':
      return isWhole(raw) ? BigInt(raw) : raw;
    case 'object':
      if (raw === null) return null;
      if (Array.isArray(raw)) return new ListValue(raw.map(dynamicValue));
      // Neither null nor a list: the remaining JSON type is an object.
      return new MapValue(new DynamicEntries(raw as Raw));
    default:
      return null;
  }
}

/** An object whose fields are computed when a rule first selects them, each at most once. */
export function computedObject(fields: ReadonlyMap<string, () => Value>): Value {
  const raw = Object.fromEntries([...fields.keys()].map((name) => [name, true]));
  return new ObjectValue(raw, (name) => fields.get(name)?.());
}

/** The entries of a JSON object, each converted when it is needed. */
class DynamicEntries implements ReadonlyMap<MapKey, Value> {
  readonly #raw: Raw;
  readonly #known = new Map<MapKey, Value>();
  #keys: readonly string[] | undefined;

  constructor(raw: Raw) {
    this.#raw = raw;
  }

  get size(): number {
    return this.#names().length;
  }

  has(key: MapKey): boolean {
    return typeof key === 'string' && Object.hasOwn(this.#raw, key) && this.#raw[key] !== undefined;
  }

  get(key: MapKey): Value | undefined {
    if (typeof key !== 'string' || !this.has(key)) return undefined;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const value = dynamicValue(this.#raw[key]);
    this.#known.set(key, value);
    return value;
  }

  *entries(): MapIterator<[MapKey, Value]> {
    for (const key of this.#names()) yield [key, this.get(key) ?? null];
  }

  *keys(): MapIterator<MapKey> {
    yield* this.#names();
  }

  *values(): MapIterator<Value> {
    for (const [, value] of this.entries()) yield value;
  }

  [Symbol.iterator](): MapIterator<[MapKey, Value]> {
    return this.entries();
  }

  forEach(call: (value: Value, key: MapKey, map: ReadonlyMap<MapKey, Value>) => void): void {
    for (const [key, value] of this.entries()) call(value, key, this);
  }

  #names(): readonly string[] {
    this.#keys ??= Object.keys(this.#raw).filter((key) => this.#raw[key] !== undefined);
    return this.#keys;
  }
}
