/**
 * Encodes a config as JSON.
 */
import type { JsonObject } from '../../base/json.ts';
import type { IgnitionConfig } from './config.ts';
import { configShape } from './config.ts';
import type { Shape } from './shape.ts';

/**
 * The config with its keys in the order of the format and without empty structs and lists. Values are unchanged: a
 * data URL keeps its bytes.
 */
export function encodeIgnition(config: IgnitionConfig): JsonObject {
  // Structs of JSON scalars encode to JSON, and `ignition.version` is always present.
  return encode(configShape, config) as JsonObject;
}

function encode(shape: Shape, value: unknown): unknown {
  if (value === undefined) return undefined;
  switch (shape.kind) {
    case 'struct': {
      const result: Record<string, unknown> = {};
      const given = value as { readonly [name: string]: unknown };
      for (const [name, field] of Object.entries(shape.fields)) {
        const item = encode(field, given[name]);
        if (item !== undefined) result[name] = item;
      }
      return Object.keys(result).length === 0 ? undefined : result;
    }
    case 'list': {
      const items = value as readonly unknown[];
      return items.length === 0 ? undefined : items.map((item) => encode(shape.item, item) ?? {});
    }
    default:
      return value;
  }
}
