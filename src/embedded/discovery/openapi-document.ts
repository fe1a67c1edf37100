/**
 * The documents of OpenAPI v3: one for each version of each group, one for each group, and a few for the paths
 * above them.
 */
import { sha512 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { bodies } from '../../kubernetes/types/index.ts';
import { bodyDefinitions, resourceDefinitions } from './kind-definitions.ts';
import { lazily, memoized, memoizedByItems } from './memoized.ts';
import { metaDefinitions, metaNames } from './meta-definitions.ts';
import { responsesWith } from './openapi-operations.ts';
import { type Paths, pathsOf } from './openapi-paths.ts';
import { type Definitions, type OpenApiSchema, referredNames } from './openapi-schema.ts';
import { capitalized, friendlyGroup, operationTag } from './operation-ids.ts';
import { servedGroups } from './served-groups.ts';
import type { ServedResource } from './served-resource.ts';

/** A serialized document and its hash. */
export type OpenApiDocument = { readonly bytes: Uint8Array; readonly hash: string };

/** By their paths below `/openapi/v3/`: `api/v1`, `apis/apps/v1`, `version`. */
export const openApiDocuments = memoized(
  (resources: readonly ServedResource[]): ReadonlyMap<string, OpenApiDocument> => {
    const groups = servedGroups(resources);
    const versions = groups.flatMap(({ name, versions: served }) =>
      served.map(({ version, resources: members }) => {
        const path = name === '' ? `api/${version}` : `apis/${name}/${version}`;
        return [path, versionDocument(members)] as const;
      }),
    );
    const ownGroups = groups.filter(({ name, versions: served }) => name !== '' && isBuiltin(served));
    const above = [...rootDocuments(), ...ownGroups.map(({ name }) => groupDocument(name))];
    return new Map([...above, ...versions].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  },
);

/** The parts of a document, before it is serialized. */
type DocumentParts = { readonly paths: OpenApiSchema; readonly definitions: Definitions };

/** What the resources of one version need, and nothing else. */
export function versionParts(resources: readonly ServedResource[]): DocumentParts {
  const [first] = resources;
  const isOwn = first?.origin === 'builtin';
  const paths: Paths = [...(isOwn ? [listOfResources(first)] : []), ...resources.flatMap(pathsOf)];
  const defined = resources.map(resourceDefinitions);
  const shared = [metaDefinitions(), ...bodies.map(bodyDefinitions)];
  return partsOf(paths, firstOf(isOwn ? [...shared, ...defined] : [...defined, ...shared]));
}

const versionDocument = memoizedByItems((resources: readonly ServedResource[]): OpenApiDocument => {
  const isOwn = resources.every(({ origin }) => origin === 'builtin');
  return documentOf(versionParts(resources), isOwn);
});

const rootDocuments = lazily(() => {
  const root = (path: string, operation: Discovery) => [path, discoveryDocument(path, operation)] as const;
  return [
    root('api', {
      tag: 'core',
      description: 'get available API versions',
      operationId: 'getCoreAPIVersions',
      schema: metaNames.apiVersions,
    }),
    root('apis', {
      tag: 'apis',
      description: 'get available API versions',
      operationId: 'getAPIVersions',
      schema: metaNames.apiGroupList,
    }),
    root('version', {
      tag: 'version',
      description: 'get the version information for this server',
      operationId: 'getCodeVersion',
      schema: metaNames.versionInfo,
    }),
  ];
});

const isBuiltin = (served: readonly { readonly origin: ServedResource['origin'] }[]) =>
  served.every(({ origin }) => origin === 'builtin');

function groupDocument(group: string): readonly [path: string, document: OpenApiDocument] {
  const path = `apis/${group}`;
  const tag = friendlyGroup(group);
  const operationId = `get${capitalized(tag)}APIGroup`;
  const description = 'get information of a group';
  return [path, discoveryDocument(path, { tag, description, operationId, schema: metaNames.apiGroup })];
}

type Discovery = {
  readonly tag: string;
  readonly description: string;
  readonly operationId: string;
  readonly schema: string;
};

function discoveryDocument(path: string, operation: Discovery): OpenApiDocument {
  return documentOf(partsOf([discoveryPath(path, operation)], metaDefinitions()), true);
}

function listOfResources({ group, version }: ServedResource): Paths[number] {
  const tag = operationTag({ group, version });
  const operationId = `get${capitalized(friendlyGroup(group))}${capitalized(version)}APIResources`;
  const path = group === '' ? `api/${version}` : `apis/${group}/${version}`;
  const description = 'get available resources';
  return discoveryPath(path, { tag, description, operationId, schema: metaNames.apiResourceList });
}

function discoveryPath(path: string, { tag, schema, ...rest }: Discovery): Paths[number] {
  const responses = { ...responsesWith(schema, ['200']), '401': { description: 'Unauthorized' } };
  return [`/${path}/`, { get: { tags: [tag], ...rest, responses } }];
}

function partsOf(paths: Paths, known: Definitions): DocumentParts {
  const sorted = Object.fromEntries(paths.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return { paths: sorted, definitions: reachable(sorted, known) };
}

/** The definitions that are referred to, directly or indirectly, in the order of their names. */
function reachable(paths: OpenApiSchema, known: Definitions): Definitions {
  const found = new Map<string, OpenApiSchema>();
  const visit = (part: unknown): void => {
    for (const name of referredNames(part)) {
      const definition = known.get(name);
      if (definition === undefined || found.has(name)) continue;
      found.set(name, definition);
      visit(definition);
    }
  };
  visit(paths);
  return new Map([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function documentOf({ paths, definitions }: DocumentParts, isOwn: boolean): OpenApiDocument {
  const text = JSON.stringify({
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: '1.33' },
    paths,
    components: { schemas: Object.fromEntries(definitions), ...(isOwn ? { securitySchemes } : {}) },
  });
  const bytes = utf8ToBytes(text);
  return { bytes, hash: bytesToHex(sha512(bytes)).toUpperCase() };
}

const securitySchemes = {
  BearerToken: {
    type: 'apiKey',
    description: 'Bearer Token authentication',
    name: 'authorization',
    in: 'header',
  },
};

/** Where a name is defined more than once, the first definition counts. */
function firstOf(all: readonly Definitions[]): Definitions {
  return new Map(all.toReversed().flatMap((definitions) => [...definitions]));
}
