/**
 * The merge types of a schema: which lists and maps are merged or atomic, the keys of list items, and where unknown
 * fields are preserved. structured-merge-diff calls this its schema.
 *
 * Derived from a structural schema as kube-apiserver does, with `apiVersion`, `kind` and `metadata` added to every
 * object and embedded resource.
 */
import type { Json } from '../../base/json.ts';
import type { StructuralSchema } from '../../kubernetes/schema/index.ts';
import { objectMetaSchema } from './object-meta-schema.ts';
import { fieldElement, type PathElement } from './path-element.ts';

/** The possible types of a value; several if the schema leaves it open. */
export type Shape = {
  readonly scalar?: ScalarShape;
  readonly list?: ListShape;
  readonly map?: MapShape;
};

export type ScalarShape = 'numeric' | 'string' | 'boolean' | 'untyped';

export type ListShape = {
  readonly items: Shape;
  /** Replaced as a whole, like a scalar. Other lists are sets or, with keys, associative. */
  readonly isAtomic: boolean;
  readonly keys: readonly string[];
};

export type MapShape = {
  readonly field: (name: string) => FieldShape | undefined;
  /** The shape of other fields; undefined if there must be none. */
  readonly others: Shape | undefined;
  /** There are no named fields. */
  readonly isUniform: boolean;
  readonly isAtomic: boolean;
  /** All fields are of unknown type. */
  readonly isDeduced: boolean;
};

type FieldShape = {
  readonly shape: Shape;
  readonly default: Json | undefined;
  /** The path element of the field, created once for all objects. */
  readonly element: PathElement;
};

/** The shape of an object of the kind; without a schema everything is deduced from the values. */
export function shapeOfObject(schema: StructuralSchema | undefined): Shape {
  if (schema === undefined) return DEDUCED;
  const known = shapes.get(schema);
  if (known !== undefined) return known;
  const shape = shapeOf(asObject(schema), false);
  shapes.set(schema, shape);
  return shape;
}

const shapes = new WeakMap<StructuralSchema, Shape>();

/** The shape of a field, named or not. */
export function shapeOfField(map: MapShape, name: string): Shape | undefined {
  return map.field(name)?.shape ?? map.others;
}

const UNTYPED: Shape = {
  scalar: 'untyped',
  list: {
    get items() {
      return UNTYPED;
    },
    isAtomic: true,
    keys: [],
  },
  map: {
    field: () => undefined,
    get others() {
      return UNTYPED;
    },
    isUniform: true,
    isAtomic: true,
    isDeduced: false,
  },
};

const DEDUCED: Shape = {
  scalar: 'untyped',
  list: { items: UNTYPED, isAtomic: true, keys: [] },
  map: {
    field: () => undefined,
    get others() {
      return DEDUCED;
    },
    isUniform: true,
    isAtomic: false,
    isDeduced: true,
  },
};

/** `preserves`: an object above preserves unknown fields, which applies to everything below. */
function shapeOf(schema: StructuralSchema, preserves: boolean): Shape {
  const full = schema['x-kubernetes-embedded-resource'] === true ? asObject(schema) : schema;
  const keeps = preserves || full['x-kubernetes-preserve-unknown-fields'] === true;
  switch (full.type) {
    case 'object':
      return { map: mapShape(full, keeps) };
    case 'array':
      return { list: listShape(full, keeps) };
    case 'integer':
    case 'number':
      return { scalar: 'numeric' };
    case 'boolean':
      return { scalar: 'boolean' };
    case 'string':
      return { scalar: ['', 'byte'].includes(full.format ?? '') ? 'string' : 'untyped' };
    default:
      return { scalar: 'untyped', list: listShape(full, keeps), map: mapShape(full, keeps) };
  }
}

function mapShape(schema: StructuralSchema, preserves: boolean): MapShape {
  const { properties = {}, additionalProperties } = schema;
  const hasFields = Object.keys(properties).length > 0;
  const fields = new Map<string, FieldShape>();
  const isOpen = additionalProperties === undefined ? preserves || !hasFields : additionalProperties === true;
  const others =
    typeof additionalProperties === 'object'
      ? shapeOf(additionalProperties, preserves)
      : isOpen
        ? DEDUCED
        : undefined;
  return {
    field(name) {
      const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (schema === undefined) return undefined;
      const known = fields.get(name);
      if (known !== undefined) return known;
      // A schema is JSON, and so are its defaults.
      const field = {
        shape: shapeOf(schema, preserves),
        default: schema.default as Json | undefined,
        element: fieldElement(name),
      };
      fields.set(name, field);
      return field;
    },
    others,
    isUniform: !hasFields,
    isAtomic: schema['x-kubernetes-map-type'] === 'atomic',
    isDeduced: !hasFields && others !== undefined && others !== UNTYPED && others.scalar === 'untyped',
  };
}

function listShape(schema: StructuralSchema, preserves: boolean): ListShape {
  const items = schema.items === undefined ? UNTYPED : shapeOf(schema.items, preserves);
  switch (schema['x-kubernetes-list-type']) {
    case 'map':
      return { items, isAtomic: false, keys: schema['x-kubernetes-list-map-keys'] ?? [] };
    case 'set':
      return { items, isAtomic: false, keys: [] };
    case 'atomic':
      return { items, isAtomic: true, keys: [] };
    default:
      return { items, ...patchedListShape(schema) };
  }
}

/** A list with a patch strategy but no list type. */
function patchedListShape(schema: StructuralSchema): { isAtomic: boolean; keys: readonly string[] } {
  const isMerged = ['merge', 'merge,retainKeys'].includes(schema['x-kubernetes-patch-strategy'] ?? '');
  const key = schema['x-kubernetes-patch-merge-key'];
  return { isAtomic: !isMerged, keys: isMerged && key !== undefined ? [key] : [] };
}

function asObject(schema: StructuralSchema): StructuralSchema {
  return {
    ...schema,
    properties: {
      ...schema.properties,
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: objectMetaSchema,
    },
  };
}
