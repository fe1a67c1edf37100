/**
 * A built-in kind: its names, its subresources, and the schema of its objects.
 */
import { type ObjectMeta, typeFields } from '../meta/index.ts';
import { type ObjectOf, type Schema, type StructuralSchema, struct } from '../schema/index.ts';
import { filled, present } from './fields.ts';
import { objectMeta, templateMeta } from './object-meta.ts';
import { metadataFields, type SelectableField } from './selectable-fields.ts';

export type Verb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch';

export type KindName = { readonly group: string; readonly version: string; readonly kind: string };

/** A kind of request or response bodies, whether or not it is stored. */
export type AnyBody = KindName & { readonly schema: StructuralSchema };
type Body<T> = AnyBody & { readonly schema: Schema<T> };

/** A subresource: `/status`, `/eviction`. */
export type Subresource = {
  readonly name: string;
  readonly verbs: readonly Verb[];
  /** The kind of the body, or of the query options for subresources that stream. */
  readonly takes: KindName;
};

/** A resource of unknown object type. */
export type AnyBuiltin = AnyBody & {
  /** Absent if objects are not stored. */
  readonly listKind?: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly scope: 'Cluster' | 'Namespaced';
  readonly verbs: readonly Verb[];
  readonly subresources: readonly Subresource[];
  /** The fields that field selectors support. */
  readonly selectableFields: readonly SelectableField[];
};

/** A resource with the TypeScript type of its objects: `type Pod = ObjectOfKind<typeof pod>`. */
type Builtin<T> = AnyBuiltin & { readonly schema: Schema<T> };

type Fields = { readonly [name: string]: Schema<unknown> };
type StoredObject<F extends Fields> = TypeFields & { readonly metadata: ObjectMeta } & ObjectOf<F>;
type SentObject<F extends Fields> = TypeFields & { readonly metadata?: Partial<ObjectMeta> } & ObjectOf<F>;
type TypeFields = { readonly apiVersion: string; readonly kind: string };

type Definition<F> = {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly scope?: 'Cluster' | 'Namespaced';
  readonly subresources?: readonly (Omit<Subresource, 'takes'> & { readonly takes?: KindName })[];
  /** In place of metadata.name and metadata.namespace. */
  readonly selectableFields?: readonly SelectableField[];
  /** One sentence; `kubectl explain` shows it. */
  readonly description: string;
  /** The fields other than apiVersion, kind and metadata. */
  readonly fields: F;
};

/** A kind whose objects are stored. */
export function defineBuiltin<F extends Fields>(
  definition: Definition<F> & { readonly verbs?: readonly Verb[] },
): Builtin<StoredObject<F>> {
  const schema = struct(goTypeOfKind(definition), definition.description, {
    ...typeFields,
    metadata: present(objectMeta),
    ...definition.fields,
  });
  return {
    ...resourceOf(definition, definition.verbs ?? allVerbs),
    listKind: `${definition.kind}List`,
    // The one place where the schema and the TypeScript type of an object are connected.
    schema: schema as Schema<StoredObject<F>>,
  };
}

/** A kind that is only created: the server returns the object with its status and does not store it. */
export function defineReview<F extends Fields>(definition: Definition<F>): Builtin<SentObject<F>> {
  return {
    ...resourceOf(definition, ['create']),
    schema: sentSchema(goTypeOfKind(definition), definition),
  };
}

/** The kind of a subresource that is no resource itself. */
export function defineBody<F extends Fields>(
  definition: Omit<KindName, 'version'> & { readonly description: string; readonly fields: F },
): Body<SentObject<F>> {
  const { group, kind } = definition;
  return { group, kind, version: 'v1', schema: sentSchema(goTypeOfKind(definition), definition) };
}

/** The subresource to which controllers write the status. */
export const statusSubresource = { name: 'status', verbs: ['get', 'patch', 'update'] } as const;

const allVerbs: readonly Verb[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
];

function sentSchema<F extends Fields>(
  goType: string,
  { description, fields }: { readonly description: string; readonly fields: F },
): Schema<SentObject<F>> {
  const schema = struct(goType, description, { ...typeFields, metadata: filled(templateMeta), ...fields });
  // As in defineBuiltin: the schema and the type are written side by side.
  return schema as Schema<SentObject<F>>;
}

/** `Role` of `rbac.authorization.k8s.io` → `rbac.Role`. */
export function goTypeOfKind({ group, kind }: { readonly group: string; readonly kind: string }): string {
  const [first = ''] = group.split('.');
  return `${first === '' ? 'core' : first}.${kind}`;
}

function resourceOf(definition: Definition<Fields>, verbs: readonly Verb[]): Omit<AnyBuiltin, 'schema'> {
  const { group, kind, plural, shortNames, categories, scope, subresources, selectableFields } = definition;
  const name: KindName = { group, version: 'v1', kind };
  return {
    ...name,
    plural,
    singular: kind.toLowerCase(),
    shortNames: shortNames ?? [],
    categories: categories ?? [],
    scope: scope ?? 'Namespaced',
    verbs,
    subresources: (subresources ?? []).map((one) => ({ ...one, takes: nameOf(one.takes ?? name) })),
    selectableFields: selectableFields ?? metadataFields,
  };
}

/** Without the schema that the given kind may have. */
function nameOf({ group, version, kind }: KindName): KindName {
  return { group, version, kind };
}
