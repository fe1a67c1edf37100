/**
 * The maximum sizes of the parts of an object, from its schema, or else from the maximum size of a request.
 */
import { byteLength, isObject } from '../../base/json.ts';
import type { StructuralSchema } from '../schema/index.ts';
import { asResource } from './data.ts';
import { escapeName } from './names.ts';

export type Bounds = {
  /** The maximum number of bytes of a string, items of a list or entries of a map; 0 for all others. */
  readonly maxElements: number;
  /** The minimum number of bytes in JSON. */
  readonly minBytes: number;
  /** The fields of an object, by their names in CEL. */
  readonly fields?: ReadonlyMap<string, Bounds>;
  /** The items of a list, or the values of a map. */
  readonly items?: Bounds;
  /** The keys of a map. */
  readonly keys?: Bounds;
};

/** The largest request that the server accepts. */
export const MAX_REQUEST_BYTES = 3 * 1024 * 1024;

/** Undefined where rules have no access, as for {@link typeOfSchema}. */
export function boundsOf(schema: StructuralSchema): Bounds | undefined {
  const known = cache.get(schema);
  if (known !== undefined) return known.bounds;
  const bounds = computeBounds(schema);
  cache.set(schema, { bounds });
  return bounds;
}

const cache = new WeakMap<StructuralSchema, { readonly bounds: Bounds | undefined }>();

function computeBounds(schema: StructuralSchema): Bounds | undefined {
  if (schema['x-kubernetes-int-or-string']) return { maxElements: MAX_TEXT_BYTES, minBytes: 1 };
  switch (schema.type) {
    case 'array':
      return listBounds(schema);
    case 'object':
      return isObject(schema.additionalProperties)
        ? mapBounds(schema, schema.additionalProperties)
        : objectBounds(schema);
    case 'string':
      return textBounds(schema);
    case 'boolean':
      return { maxElements: 0, minBytes: 4 };
    case 'number':
    case 'integer':
      return { maxElements: 0, minBytes: 1 };
    default:
      return undefined;
  }
}

/** Two bytes for the quotes or brackets. */
const MAX_TEXT_BYTES = MAX_REQUEST_BYTES - 2;

function listBounds({ items, maxItems }: StructuralSchema): Bounds | undefined {
  const item = items && boundsOf(asResource(items));
  if (item === undefined) return undefined;
  const maxElements = atLeastZero(maxItems) ?? Math.floor(MAX_TEXT_BYTES / (item.minBytes + 1));
  return { maxElements, minBytes: 2, items: item };
}

function mapBounds({ maxProperties }: StructuralSchema, values: StructuralSchema): Bounds | undefined {
  const value = boundsOf(asResource(values));
  if (value === undefined) return undefined;
  // A key of two bytes, its quotes, a colon and a comma.
  const maxElements = atLeastZero(maxProperties) ?? Math.floor(MAX_TEXT_BYTES / (value.minBytes + 6));
  return { maxElements, minBytes: 2, items: value, keys: { maxElements: 0, minBytes: 2 } };
}

/** An object is at least as large as its required fields without defaults. */
function objectBounds(schema: StructuralSchema): Bounds {
  const required = new Set(schema.required);
  const fields = new Map<string, Bounds>();
  let minBytes = 2;
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    const bounds = boundsOf(asResource(property));
    if (bounds === undefined) continue;
    const name = escapeName(key);
    if (name !== undefined) fields.set(name, bounds);
    const isGiven = required.has(key) && (property.default === undefined || property.default === null);
    if (isGiven) minBytes += byteLength(key) + bounds.minBytes + 4;
  }
  return { maxElements: 0, minBytes, fields };
}

/** Lengths of formatted strings include their quotes. */
const TIMES: { readonly [format: string]: Bounds } = {
  duration: { maxElements: 32, minBytes: 3 },
  date: { maxElements: 12, minBytes: 12 },
  'date-time': { maxElements: 32, minBytes: 21 },
};

function textBounds({ format, maxLength, enum: values }: StructuralSchema): Bounds {
  const time = format !== undefined && Object.hasOwn(TIMES, format) ? TIMES[format] : undefined;
  if (time !== undefined) return time;
  const characters = atLeastZero(maxLength);
  if (format === 'byte') return { maxElements: characters ?? MAX_TEXT_BYTES, minBytes: 2 };
  // A character may have four bytes.
  if (characters !== undefined) return { maxElements: characters * 4, minBytes: 2 };
  if (values === undefined || values.length === 0) return { maxElements: MAX_TEXT_BYTES, minBytes: 2 };
  const longest = values.reduce<number>(
    (most, value) => Math.max(most, typeof value === 'string' ? byteLength(value) : 0),
    0,
  );
  return { maxElements: longest, minBytes: 2 };
}

function atLeastZero(limit: number | undefined): number | undefined {
  return limit === undefined ? undefined : Math.max(0, limit);
}
