/**
 * Definitions that every document contains: the types around objects (lists, deletions, patches, failures, watches) and those
 * of discovery.
 */
import {
  anyObject,
  named,
  required,
  type StructuralSchema,
  string,
  struct,
} from '../../kubernetes/schema/index.ts';
import {
  apiGroup,
  apiGroupList,
  apiResourceList,
  apiVersions,
  deleteOptions,
  listMeta,
  objectMeta,
  status,
} from '../../kubernetes/types/index.ts';
import { definitionName } from './definition-name.ts';
import { definitionsOf } from './definitions.ts';
import { lazily } from './memoized.ts';
import type { Definitions, OpenApiSchema } from './openapi-schema.ts';

export const metaNames = {
  apiGroup: definitionName('meta.APIGroup'),
  apiGroupList: definitionName('meta.APIGroupList'),
  apiResourceList: definitionName('meta.APIResourceList'),
  apiVersions: definitionName('meta.APIVersions'),
  deleteOptions: definitionName('meta.DeleteOptions'),
  listMeta: definitionName('meta.ListMeta'),
  objectMeta: definitionName('meta.ObjectMeta'),
  patch: definitionName('meta.Patch'),
  status: definitionName('meta.Status'),
  versionInfo: definitionName('version.Info'),
  watchEvent: definitionName('meta.WatchEvent'),
} as const;

/** By their full names. */
export const metaDefinitions = lazily((): Definitions => {
  const definitions = new Map([...parts, ...messages, ...kinds].flatMap((one) => [...definitionsOf(one)]));
  // Only now: a kind may be the type of a field of another one too.
  for (const schema of [...messages, ...kinds]) {
    const goType = schema['x-go-type'] ?? '';
    const name = definitionName(goType);
    const kind = kinds.includes(schema) ? groupVersionKind(goType) : {};
    definitions.set(name, { description: schema.description, ...definitions.get(name), ...kind });
  }
  return definitions;
});

function groupVersionKind(goType: string): OpenApiSchema {
  const kind = goType.slice(goType.lastIndexOf('.') + 1);
  return { 'x-kubernetes-group-version-kind': [{ group: '', kind, version: 'v1' }] };
}

const versionInfo = struct('version.Info', 'The version of the server.', {
  major: required(string('The major version of Kubernetes whose API it serves.')),
  minor: required(string('The minor version of that.')),
  emulationMajor: string('The major version that it emulates.'),
  emulationMinor: string('The minor version that it emulates.'),
  minCompatibilityMajor: string('The oldest major version that it is compatible with.'),
  minCompatibilityMinor: string('The oldest minor version that it is compatible with.'),
  gitVersion: required(string('The version of Kubernetes whose API it serves.')),
  gitCommit: required(string('The commit that it was built from.')),
  gitTreeState: required(string('Whether there were uncommitted changes.')),
  buildDate: required(string('When it was built.')),
  goVersion: required(string('The version of Go that it was built with.')),
  compiler: required(string('The compiler that it was built with.')),
  platform: required(string('The platform that it runs on.')),
});

const watchEvent = struct('meta.WatchEvent', 'An event of a watch.', {
  type: required(string('ADDED, MODIFIED, DELETED, BOOKMARK or ERROR.')),
  object: required(
    named(
      'runtime.RawExtension',
      anyObject('The object; only its resourceVersion for a bookmark, a Status for an error.'),
    ),
  ),
});

/** Types of fields, which describe them. */
const parts: readonly StructuralSchema[] = [listMeta, objectMeta];

/** Bodies of requests and responses that are no kinds. */
const messages: readonly StructuralSchema[] = [
  named('meta.Patch', anyObject('A change to an object, in the format that the content type names.')),
  versionInfo,
];

const kinds: readonly StructuralSchema[] = [
  apiGroup,
  apiGroupList,
  apiResourceList,
  apiVersions,
  deleteOptions,
  status,
  watchEvent,
];
