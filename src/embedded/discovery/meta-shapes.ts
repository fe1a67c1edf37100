/**
 * Shapes that every document needs: what comes with lists, deletions, patches and failures, and what discovery
 * itself answers.
 */

import {
  anyObject,
  boolean,
  int32,
  int64,
  list,
  object,
  required,
  type Schema,
  type StructuralSchema,
  string,
} from '../../kubernetes/schema/index.ts';
import { deleteOptions, objectMeta } from '../../kubernetes/types/index.ts';
import { definitionsOf } from './definitions.ts';
import { lazily } from './memoized.ts';
import type { Definitions, OpenApiSchema } from './openapi-schema.ts';
import { definitionName } from './shape-names.ts';

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

/** What every object says of itself; as everywhere, so in lists and in custom kinds. */
export const typeFields = {
  apiVersion: string('The group and version in which this object is written, such as apps/v1.'),
  kind: string('What this object is, in CamelCase.'),
};

/** By their full names. */
export const metaDefinitions = lazily((): Definitions => {
  const kinds = Object.entries(metaKinds).map(([kind, schema]) => [`meta.${kind}`, schema] as const);
  const whole = [...Object.entries(wholeShapes), ...kinds];
  const all = [...Object.entries(partShapes), ...whole].flatMap(([shape, schema]) => [
    ...definitionsOf(shape, schema),
  ]);
  const definitions = new Map(all);
  // Only now: a kind may stand in a field of another one too.
  for (const [shape, { description }] of whole) {
    const name = definitionName(shape);
    definitions.set(name, { description, ...definitions.get(name), ...kindMark(shape) });
  }
  return definitions;
});

function kindMark(shape: string): OpenApiSchema {
  const [, kind = ''] = shape.split('.');
  const isKind = Object.hasOwn(metaKinds, kind);
  return isKind ? { 'x-kubernetes-group-version-kind': [{ group: '', kind, version: 'v1' }] } : {};
}

const atomic = <T>(description: string, items: Schema<T>) => list(description, items, { list: 'atomic' });

const listMeta = object('What every list carries.', {
  continue: string('How the next page is asked for; absent on the last one.'),
  remainingItemCount: int64('How many items come after this page.'),
  resourceVersion: string('From where a watch goes on.'),
  selfLink: string('No longer filled in.'),
});

const status = object('The answer to a request that failed, or that has nothing to show.', {
  ...typeFields,
  code: int32('The HTTP status of the answer.'),
  details: {
    ...object('What the failure is about.', {
      causes: atomic(
        'Everything that was wrong.',
        object('One thing that was wrong.', {
          field: string('Where it was wrong, such as spec.containers[0].name.'),
          message: string('What was wrong, in a sentence.'),
          reason: string('What was wrong, in a word.'),
        }),
      ),
      group: string('The group of the resource.'),
      kind: string('The resource.'),
      name: string('The name of the object.'),
      retryAfterSeconds: int32('When to try again.'),
      uid: string('The identity of the object.'),
    }),
  },
  message: string('What happened, in a sentence.'),
  metadata: { ...listMeta, default: {} },
  reason: string('Why the request failed, in a word.'),
  status: string('Success or Failure.'),
});

const groupVersion = object('A version of a group.', {
  groupVersion: required(string('Group and version, such as apps/v1.')),
  version: required(string('The version alone.')),
});

const serverAddresses = atomic(
  'Where clients find the server, by where they are.',
  object('An address.', {
    clientCIDR: required(string('Where the client is.')),
    serverAddress: required(string('Where the server is for it.')),
  }),
);

const apiGroup = object('A group and its versions.', {
  ...typeFields,
  name: required(string('The name of the group.')),
  preferredVersion: { ...groupVersion, description: 'The version to use.', default: {} },
  serverAddressByClientCIDRs: serverAddresses,
  versions: required(atomic('The versions that are served, the best first.', groupVersion)),
});

const apiResource = object('A resource, or a subresource of one.', {
  categories: atomic('Groups of resources that kubectl knows, such as all.', string('A group.')),
  group: string('The group of the kind, where it is another.'),
  kind: required(string('The kind of the objects.')),
  name: required(string('Its name in the plural, as in paths.')),
  namespaced: required(boolean('Whether the objects are in namespaces.')),
  shortNames: atomic('Short names.', string('A short name.')),
  singularName: required(string('Its name in the singular.')),
  storageVersionHash: string('Stands for the version in which objects are kept.'),
  verbs: required(list('What may be done.', string('A verb.'))),
  version: string('The version of the kind, where it is another.'),
});

const metaKinds: { readonly [kind: string]: StructuralSchema } = {
  APIGroup: apiGroup,
  APIGroupList: object('The groups that are served.', {
    ...typeFields,
    groups: required(atomic('The groups.', apiGroup)),
  }),
  APIResourceList: object('The resources of one version of a group.', {
    ...typeFields,
    groupVersion: required(string('Group and version.')),
    resources: required(atomic('The resources, and their subresources.', apiResource)),
  }),
  APIVersions: object('The versions of the core group.', {
    ...typeFields,
    serverAddressByClientCIDRs: required(serverAddresses),
    versions: required(atomic('The versions.', string('A version.'))),
  }),
  DeleteOptions: deleteOptions,
  Status: status,
  WatchEvent: object('One line of a watch.', {
    object: required(anyObject('The object; of a bookmark its resourceVersion alone, of an error a Status.')),
    type: required(string('ADDED, MODIFIED, DELETED, BOOKMARK or ERROR.')),
  }),
};

/** What only stands in fields, which describe it. */
const partShapes: { readonly [shape: string]: StructuralSchema } = {
  'meta.ListMeta': listMeta,
  'meta.ObjectMeta': objectMeta,
};

/** What stands for itself, without being a kind. */
const wholeShapes: { readonly [shape: string]: StructuralSchema } = {
  'meta.Patch': anyObject('A change to an object, in the form that the content type says.'),
  'version.Info': object('Which server this is.', {
    buildDate: required(string('When it was built.')),
    compiler: required(string('What it was built with.')),
    emulationMajor: string('The major version that it behaves as.'),
    emulationMinor: string('The minor version that it behaves as.'),
    gitCommit: required(string('The commit that it was built from.')),
    gitTreeState: required(string('Whether there were changes beside the commit.')),
    gitVersion: required(string('The version of Kubernetes whose API it serves.')),
    goVersion: required(string('The version of Go, where it was built with it.')),
    major: required(string('The major version of that.')),
    minCompatibilityMajor: string('The oldest major version that it can stand in for.'),
    minCompatibilityMinor: string('The oldest minor version that it can stand in for.'),
    minor: required(string('The minor version of that.')),
    platform: required(string('What it runs on.')),
  }),
};
