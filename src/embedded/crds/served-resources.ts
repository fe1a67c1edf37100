/**
 * The resources that a CRD defines: one for every served version.
 *
 * All versions share the same objects. `strategy.convertStored` converts a stored object to the requested version: it
 * replaces `apiVersion`, prunes and sets defaults with the schema of that version. Conversion webhooks are not called.
 * `toStorageVersion` converts an object to the version that is stored.
 */

import type { JsonObject } from '../../base/json.ts';
import type { StructuralSchema } from '../../kubernetes/schema/index.ts';
import type { KindName, SelectableField, Subresource, Verb } from '../../kubernetes/types/index.ts';
import type { Resource } from '../resources/index.ts';
import { type Crd, type CrdNames, type CrdVersion, isConditionTrue, type ScalePaths, toCrd } from './crd.ts';
import { type CustomKind, convertToVersion, customResourceStrategy } from './custom-resource-strategy.ts';
import { deprecationText } from './validate-version.ts';

/** Empty before the CRD is established. Cached by the identity of the CRD object. */
export function servedResourcesOf(object: JsonObject): readonly CustomResource[] {
  const known = cache.get(object);
  if (known !== undefined) return known;
  const resources = createResources(toCrd(object));
  cache.set(object, resources);
  return resources;
}

const cache = new WeakMap<JsonObject, readonly CustomResource[]>();

export type CustomResource = Resource & {
  /** The name of the CRD: resources with the same one share their objects. */
  readonly crdName: string;
  /** Whether this is the storage version. */
  readonly isStorage: boolean;
  /** The deprecation warning of this version. */
  readonly deprecation?: string;
  /** The paths of the scale subresource. */
  readonly scale?: ScalePaths;
};

/** Converts an object to the storage version. */
export function toStorageVersion(crd: JsonObject, object: JsonObject): JsonObject {
  const of = toCrd(crd);
  const version = of.spec.versions.find(({ storage }) => storage);
  return version === undefined
    ? object
    : convertToVersion(customKindOf(of, version, namesOf(of).kind), object);
}

function createResources(crd: Crd): readonly CustomResource[] {
  const { plural, kind } = namesOf(crd);
  // A client that can write the status can also remove the accepted names.
  if (!isConditionTrue(crd, 'Established') || plural === '' || kind === '') return [];
  return crd.spec.versions.filter(({ served }) => served).map((version) => createResource(crd, version));
}

type AcceptedNames = Partial<CrdNames> & { readonly plural: string; readonly kind: string };

function namesOf({ status }: Crd): AcceptedNames {
  return status?.acceptedNames ?? { plural: '', kind: '' };
}

/** In the order of kube-apiserver. */
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

function createResource(crd: Crd, version: CrdVersion): CustomResource {
  const { spec, metadata } = crd;
  const names = namesOf(crd);
  const { plural, kind } = names;
  const name: KindName = { group: spec.group, version: version.name, kind };
  const custom = customKindOf(crd, version, kind);
  const deprecation = deprecationText(name, version);
  const columns = version.additionalPrinterColumns ?? [];
  return {
    ...name,
    origin: 'custom',
    crdName: metadata.name,
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

function customKindOf({ spec }: Crd, version: CrdVersion, kind: string): CustomKind {
  const { subresources } = version;
  return {
    apiVersion: `${spec.group}/${version.name}`,
    kind,
    schema: schemaOf(version),
    hasStatusSubresource: subresources?.status !== undefined,
    scale: subresources?.scale,
  };
}

/** Validation ensures that it exists and is structural. */
function schemaOf(version: CrdVersion): StructuralSchema {
  return version.schema?.openAPIV3Schema ?? { type: 'object' };
}

const SUBRESOURCE_VERBS: readonly Verb[] = ['get', 'patch', 'update'];
const SCALE: KindName = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

function subresourcesOf({ subresources }: CrdVersion, takes: KindName): readonly Subresource[] {
  return [
    ...(subresources?.status === undefined ? [] : [{ name: 'status', verbs: SUBRESOURCE_VERBS, takes }]),
    ...(subresources?.scale === undefined ? [] : [{ name: 'scale', verbs: SUBRESOURCE_VERBS, takes: SCALE }]),
  ];
}

function selectableFields(scope: string, version: CrdVersion): readonly SelectableField[] {
  const custom = (version.selectableFields ?? []).map(({ jsonPath }) => jsonPath.replace(/^\./, ''));
  const names = ['metadata.name', ...(scope === 'Namespaced' ? ['metadata.namespace'] : []), ...custom];
  return names.map((name) => ({ name, places: [name.split('.')], absent: '' }));
}
