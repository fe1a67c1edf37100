/**
 * Random objects of a kind and random strategic merge patches for them, generated from its schema. Few fields and few
 * names, so that object and patch overlap.
 */
import fc from 'fast-check';
import type { Json, JsonObject } from '../../src/base/json.ts';
import type { StructuralSchema } from '../../src/kubernetes/schema/index.ts';

const some = fc.constantFrom;

/** Fields that cover lists of every type, maps, and atomic objects. */
export const FIELDS: ReadonlySet<string> = new Set(
  `metadata labels annotations finalizers ownerReferences uid controller
   spec status data immutable podCIDRs taints key effect value unschedulable addresses type address conditions
   containers name image args env ports containerPort protocol hostPort volumeMounts mountPath
   volumes emptyDir configMap sizeLimit items path imagePullSecrets tolerations hostAliases ip hostnames
   nodeSelector securityContext runAsUser sysctls topologySpreadConstraints maxSkew topologyKey whenUnsatisfiable
   template selector matchLabels strategy rollingUpdate maxSurge replicas port targetPort sessionAffinity
   secrets subsets capacity allocatable images names`.split(/\s+/),
);

type Entry = [string, Json];

export type Liking = {
  /** For patches: nulls and directives. */
  readonly isPatch: boolean;
  /** Restricts the fields. */
  readonly fields?: ReadonlySet<string>;
};

export function typedObject(schema: StructuralSchema, liking: Liking): fc.Arbitrary<JsonObject> {
  return objectOf(schema, liking) as fc.Arbitrary<JsonObject>;
}

function anyValue(schema: StructuralSchema, liking: Liking): fc.Arbitrary<Json> {
  const plain = plainValue(schema, liking);
  if (!liking.isPatch) return plain;
  return fc.oneof({ weight: 12, arbitrary: plain }, { weight: 1, arbitrary: fc.constant(null) });
}

function plainValue(schema: StructuralSchema, liking: Liking): fc.Arbitrary<Json> {
  switch (schema.type) {
    case 'object':
      return objectOf(schema, liking);
    case 'array':
      return listOf(schema, liking);
    case 'integer':
    case 'number':
      return some(1, 2, 80);
    case 'boolean':
      return fc.boolean();
    default:
      return schema.format === undefined ? some('a', 'b', 'c') : some<Json>('a', 1, '50%');
  }
}

function objectOf(schema: StructuralSchema, liking: Liking): fc.Arbitrary<Json> {
  const { properties, additionalProperties } = schema;
  if (properties === undefined) {
    const item = anyValue(
      typeof additionalProperties === 'object' ? additionalProperties : { type: 'string' },
      liking,
    );
    return fc
      .array(fc.tuple(some('a', 'b', 'c', '__proto__'), item), { maxLength: 3 })
      .map((entries) => Object.fromEntries(entries));
  }
  const fields = liking.fields ?? FIELDS;
  const names = Object.keys(properties).filter((name) => fields.has(name));
  if (names.length === 0) return fc.constant({});
  const field = (name: string) => {
    const property = properties[name] ?? {};
    const entry = anyValue(property, liking).map((value): Entry[] => [[name, value]]);
    return liking.isPatch && property.type === 'array' ? withDirectives(entry, name, property) : entry;
  };
  const entries = fc
    .subarray(names, { minLength: 1, maxLength: Math.min(4, names.length) })
    .chain((chosen) => fc.tuple(...chosen.map(field)).map((all) => all.flat()));
  if (!liking.isPatch) return entries.map((all) => Object.fromEntries(all));
  const directives = fc.oneof(
    { weight: 30, arbitrary: fc.constant<Entry[]>([]) },
    {
      weight: 1,
      arbitrary: some('replace', 'delete', 'merge', 'x').map((word): Entry[] => [['$patch', word]]),
    },
    { weight: 2, arbitrary: fc.subarray(names).map((kept): Entry[] => [['$retainKeys', kept]]) },
  );
  return fc.tuple(entries, directives).map((all) => Object.fromEntries(all.flat()));
}

/** Directives next to a list, or in place of it: the result of both at once is random. */
function withDirectives(
  list: fc.Arbitrary<Entry[]>,
  name: string,
  schema: StructuralSchema,
): fc.Arbitrary<Entry[]> {
  const key = schema['x-kubernetes-patch-merge-key'];
  const names = fc.shuffledSubarray(['a', 'b', 'c'], { minLength: 1 });
  const order = names.map((all): Entry => {
    const items = all.map((one): Json => (key === undefined ? one : { [key]: one }));
    return [`$setElementOrder/${name}`, items];
  });
  const deletion = names.map((all): Entry[] => [[`$deleteFromPrimitiveList/${name}`, all]]);
  return fc.oneof(
    { weight: 9, arbitrary: list },
    { weight: 2, arbitrary: fc.tuple(list, order).map(([entries, one]) => [...entries, one]) },
    { weight: 1, arbitrary: order.map((one) => [one]) },
    { weight: schema.items?.type === 'object' ? 0 : 2, arbitrary: deletion },
  );
}

function listOf(schema: StructuralSchema, liking: Liking): fc.Arbitrary<Json> {
  const { items = {} } = schema;
  const keys = keysOf(schema);
  const required = Object.fromEntries(keys.map((key) => [key, items.properties?.[key] ?? {}]));
  const item =
    items.type === 'object'
      ? fc
          .tuple(objectOf(items, liking), fc.record(mapValues(required, plainKey)))
          .map(([value, key]): Json => ({ ...(value as JsonObject), ...key }))
      : anyValue(items, liking);
  const sorted = fc.oneof(
    { weight: 20, arbitrary: fc.uniqueArray(item, { maxLength: 3, selector: (one) => identity(one, keys) }) },
    { weight: 1, arbitrary: fc.array(item, { maxLength: 3 }) },
  );
  if (!liking.isPatch || items.type !== 'object') return sorted;
  const removal = fc.record({
    ...mapValues(required, plainKey),
    $patch: some('delete', 'delete', 'delete', 'replace'),
  });
  return fc.oneof(
    { weight: 4, arbitrary: sorted },
    {
      weight: 1,
      arbitrary: fc.tuple(sorted, removal).map(([all, one]) => [...(all as Json[]), one as Json]),
    },
  );
}

function plainKey(schema: StructuralSchema): fc.Arbitrary<Json> {
  return plainValue(schema, { isPatch: false });
}

function keysOf(schema: StructuralSchema): readonly string[] {
  const key = schema['x-kubernetes-patch-merge-key'];
  return schema['x-kubernetes-list-map-keys'] ?? (key === undefined ? [] : [key]);
}

function identity(item: Json, keys: readonly string[]): string {
  if (keys.length === 0 || typeof item !== 'object' || item === null) return JSON.stringify(item);
  return JSON.stringify(keys.map((key) => (item as JsonObject)[key]));
}

function mapValues<A, B>(
  record: { readonly [key: string]: A },
  change: (value: A) => B,
): { [key: string]: B } {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
