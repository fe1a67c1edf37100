/**
 * The resources that a definition makes: one for every version that is served.
 *
 * All versions show the same objects. An object that was kept in one version is shown in another by `rules.read`,
 * which changes `apiVersion` and then prunes and fills in by the schema of that version; conversion by webhook is not
 * done. `storedForm` is what is to be kept of an object that was written in any version.
 */

import type { JsonObject } from '../../base/json.ts';
import type { StructuralSchema } from '../../kubernetes/schema/index.ts';
import type { KindName, SelectableField, Subresource, Verb } from '../../kubernetes/types/index.ts';
import type { Resource } from '../resources/index.ts';
import { deprecationText } from './check-version.ts';
import { type CustomKind, converted, customResourceStrategy } from './custom-rules.ts';
import {
  type Definition,
  definitionOf,
  isTrue,
  type Names,
  type ScalePaths,
  type Version,
} from './definition.ts';

/** None before the definition is established. For one definition object always the same. */
export function resourcesOf(object: JsonObject): readonly CustomResource[] {
  const known = cache.get(object);
  if (known !== undefined) return known;
  const resources = makeResources(definitionOf(object));
  cache.set(object, resources);
  return resources;
}

const cache = new WeakMap<JsonObject, readonly CustomResource[]>();

export type CustomResource = Resource & {
  /** The name of the definition: resources with the same one share their objects. */
  readonly definition: string;
  /** Whether objects are kept in this version. */
  readonly isStorage: boolean;
  /** What every answer in this version warns of. */
  readonly deprecation?: string;
  /** Where the numbers of a Scale stand. */
  readonly scale?: ScalePaths;
};

/** The object as it is kept: in the storage version, with what the schema of that version knows. */
export function storedForm(definition: JsonObject, object: JsonObject): JsonObject {
  const of = definitionOf(definition);
  const version = of.spec.versions.find(({ storage }) => storage);
  return version === undefined ? object : converted(customKind(of, version, namesOf(of).kind), object);
}

function makeResources(definition: Definition): readonly CustomResource[] {
  const { plural, kind } = namesOf(definition);
  // Whoever may write the status may also take the names out of it again.
  if (!isTrue(definition, 'Established') || plural === '' || kind === '') return [];
  return definition.spec.versions
    .filter(({ served }) => served)
    .map((version) => makeResource(definition, version));
}

type AcceptedNames = Partial<Names> & { readonly plural: string; readonly kind: string };

function namesOf({ status }: Definition): AcceptedNames {
  return status?.acceptedNames ?? { plural: '', kind: '' };
}

/** Not in the order of the alphabet: so the server lists them. */
const VERBS: readonly Verb[] = [
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'create',
  'update',
  'watch',
];

function makeResource(definition: Definition, version: Version): CustomResource {
  const { spec, metadata } = definition;
  const names = namesOf(definition);
  const { plural, kind } = names;
  const name: KindName = { group: spec.group, version: version.name, kind };
  const custom = customKind(definition, version, kind);
  const deprecation = deprecationText(name, version);
  const columns = version.additionalPrinterColumns ?? [];
  return {
    ...name,
    origin: 'custom',
    definition: metadata.name,
    isStorage: version.storage,
    plural,
    singular: names.singular ?? '',
    listKind: names.listKind ?? '',
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    scope: spec.scope === 'Namespaced' ? 'Namespaced' : 'Cluster',
    verbs: VERBS,
    subresources: subresourcesOf(version, name),
    selectableFields: selectableFields(spec.scope, version),
    schema: custom.schema,
    strategy: customResourceStrategy(custom),
    ...(columns.length === 0 ? {} : { columns }),
    ...(deprecation === undefined ? {} : { deprecation }),
    ...(custom.scale === undefined ? {} : { scale: custom.scale }),
  };
}

function customKind({ spec }: Definition, version: Version, kind: string): CustomKind {
  const { subresources } = version;
  return {
    apiVersion: `${spec.group}/${version.name}`,
    kind,
    schema: schemaOf(version),
    hasStatusSubresource: subresources?.status !== undefined,
    scale: subresources?.scale,
  };
}

/** Validation has made sure that there is one and that it is structural. */
function schemaOf(version: Version): StructuralSchema {
  return version.schema?.openAPIV3Schema ?? { type: 'object' };
}

const SUBRESOURCE_VERBS: readonly Verb[] = ['get', 'patch', 'update'];
const SCALE: KindName = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

function subresourcesOf({ subresources }: Version, takes: KindName): readonly Subresource[] {
  return [
    ...(subresources?.status === undefined ? [] : [{ name: 'status', verbs: SUBRESOURCE_VERBS, takes }]),
    ...(subresources?.scale === undefined ? [] : [{ name: 'scale', verbs: SUBRESOURCE_VERBS, takes: SCALE }]),
  ];
}

function selectableFields(scope: string, version: Version): readonly SelectableField[] {
  const custom = (version.selectableFields ?? []).map(({ jsonPath }) => jsonPath.replace(/^\./, ''));
  const names = ['metadata.name', ...(scope === 'Namespaced' ? ['metadata.namespace'] : []), ...custom];
  return names.map((name) => ({ name, places: [name.split('.')], absent: '' }));
}
