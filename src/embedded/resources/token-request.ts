/**
 * TokenRequests of ServiceAccounts: defaults and validation.
 */

import type { Problem } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { objectAt, optionalNumberAt, stringAt, stringsAt } from '../../base/json-fields.ts';
import { badRequest, conflict, type StatusError } from '../status/index.ts';
import { invalid, invalidText } from './field-problems.ts';
import { metadataOf } from './object-edits.ts';

const LIFE_SECONDS = 3600;
const MIN_LIFE_SECONDS = 600;
const MAX_LIFE_SECONDS = 2 ** 32;

type TokenAccount = {
  readonly namespace: string;
  readonly name: string;
  /** The audiences of tokens that name none. */
  readonly audiences: readonly string[];
};

export function tokenRequestWithDefaults(request: JsonObject, account: TokenAccount): JsonObject {
  const spec = objectAt(request, 'spec') ?? {};
  const audiences = stringsAt(spec, 'audiences');
  return {
    ...request,
    metadata: { ...metadataOf(request), name: account.name, namespace: account.namespace },
    spec: {
      ...spec,
      audiences: audiences.length === 0 ? account.audiences : audiences,
      expirationSeconds: optionalNumberAt(spec, 'expirationSeconds') ?? LIFE_SECONDS,
      boundObjectRef: spec.boundObjectRef ?? null,
    },
  };
}

/** Validates a request before defaults are set: the name is checked only if it was sent. */
export function tokenRequestProblems(request: JsonObject, account: TokenAccount): readonly Problem[] {
  const name = stringAt(request, 'metadata', 'name');
  const seconds = optionalNumberAt(request, 'spec', 'expirationSeconds') ?? LIFE_SECONDS;
  const path = 'spec.expirationSeconds';
  return [
    ...(name === '' || name === account.name
      ? []
      : [invalidText('metadata.name', name, 'must match the service account name if specified')]),
    ...(seconds < MIN_LIFE_SECONDS
      ? [invalid(path, String(seconds), 'may not specify a duration less than 10 minutes')]
      : []),
    ...(seconds > MAX_LIFE_SECONDS
      ? [invalid(path, String(seconds), 'may not specify a duration larger than 2^32 seconds')]
      : []),
  ];
}

/** The object that the token is bound to: deleting it invalidates the token. */
type BoundObject = {
  readonly kind: 'bound object';
  readonly resource: 'pods' | 'secrets' | 'nodes';
  readonly objectKind: string;
  readonly name: string;
  readonly uid: string;
};

/** The object that the token is bound to, besides its ServiceAccount. */
export function boundObjectOf(request: JsonObject): BoundObject | StatusError | undefined {
  const reference = objectAt(request, 'spec', 'boundObjectRef');
  if (reference === undefined) return undefined;
  const [apiVersion, objectKind, name, uid] = ['apiVersion', 'kind', 'name', 'uid'].map((field) =>
    stringAt(reference, field),
  );
  const resource = apiVersion === 'v1' ? RESOURCES.get(objectKind ?? '') : undefined;
  if (resource === undefined) {
    const [version = '', group = ''] = (apiVersion ?? '').split('/').reverse();
    return badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${objectKind}`);
  }
  if (name === undefined || name === '') return badRequest('Name parameter required.');
  return { kind: 'bound object', resource, objectKind: objectKind ?? '', name, uid: uid ?? '' };
}

const RESOURCES: ReadonlyMap<string, BoundObject['resource']> = new Map<string, BoundObject['resource']>([
  ['Pod', 'pods'],
  ['Secret', 'secrets'],
  ['Node', 'nodes'],
]);

/** The error for an object whose UID is not the one of the reference. */
export function boundUidConflict(bound: BoundObject, found: JsonObject): StatusError | undefined {
  if (bound.uid === '' || bound.uid === stringAt(found, 'metadata', 'uid')) return undefined;
  const why = `the UID in the bound object reference (${bound.uid}) does not match the UID in record. The object might have been deleted and then recreated`;
  return conflict({ group: '', plural: bound.objectKind }, bound.name, why);
}
