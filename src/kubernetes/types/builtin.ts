/**
 * What a built-in kind is: its name, its doors, and the schema of its objects.
 */
import { type ObjectMeta, typeFields } from '../meta/index.ts';
import { type ObjectOf, type Schema, type StructuralSchema, struct } from '../schema/index.ts';
import { filled, present } from './fields.ts';
import { objectMeta, templateMeta } from './object-meta.ts';
import { metadataFields, type SelectableField } from './selectable-fields.ts';

export type Verb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch';

export type KindName = { readonly group: string; readonly version: string; readonly kind: string };

/** What may be sent to the server or come back, whether or not it is kept there. */
export type AnyBody = KindName & { readonly schema: StructuralSchema };
type Body<T> = AnyBody & { readonly schema: Schema<T> };

/** A further door of an object: `/status`, `/eviction`. */
export type Subresource = {
  readonly name: string;
  readonly verbs: readonly Verb[];
  /** What goes through the door: the kind of the body, or that of the query for doors that stream. */
  readonly takes: KindName;
};

/** A resource of the server, whichever its objects are. */
export type AnyBuiltin = AnyBody & {
  /** Absent where the server answers objects and keeps none. */
  readonly listKind?: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly scope: 'Cluster' | 'Namespaced';
  readonly verbs: readonly Verb[];
  readonly subresources: readonly Subresource[];
  /** What a field selector may name. */
  readonly selectableFields: readonly SelectableField[];
};

/** A resource that knows the TypeScript type of its objects: `type Pod = ObjectOfKind<typeof pod>`. */
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
  /** In place of the two that every kind has. */
  readonly selectableFields?: readonly SelectableField[];
  /** What an object of this kind is for, in a sentence. */
  readonly description: string;
  /** What the object holds beside its type and metadata. */
  readonly fields: F;
};

/** A kind whose objects the server keeps. */
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
    // The builder above is the one place where the data and the TypeScript type of an object are tied.
    schema: schema as Schema<StoredObject<F>>,
  };
}

/** A kind that is only asked: the server answers with the object, filled in, and forgets it. */
export function defineReview<F extends Fields>(definition: Definition<F>): Builtin<SentObject<F>> {
  return {
    ...resourceOf(definition, ['create']),
    schema: sentSchema(goTypeOfKind(definition), definition),
  };
}

/** A kind that goes through a subresource of others and is no resource itself. */
export function defineBody<F extends Fields>(
  definition: Omit<KindName, 'version'> & { readonly description: string; readonly fields: F },
): Body<SentObject<F>> {
  const { group, kind } = definition;
  return { group, kind, version: 'v1', schema: sentSchema(goTypeOfKind(definition), definition) };
}

/** The door through which controllers say how things are. */
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
  // As in defineBuiltin: the data and the type are written side by side.
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
    subresources: (subresources ?? []).map((door) => ({ ...door, takes: nameOf(door.takes ?? name) })),
    selectableFields: selectableFields ?? metadataFields,
  };
}

/** The name alone: whoever is given as what a door takes may bring a whole schema. */
function nameOf({ group, version, kind }: KindName): KindName {
  return { group, version, kind };
}
