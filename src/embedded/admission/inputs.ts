/**
 * What the expressions of policies are given: the request and its surroundings as CEL values.
 *
 * Each is made when the first expression asks for it. Fields that would be empty are absent, as in the server.
 */

import { type JsonObject, own } from '../../base/json.ts';
import { type Fields, objectAt } from '../../base/json-fields.ts';
import {
  type Authorize,
  authorizerValue,
  celValue,
  dynamicValue,
  type RequestResource,
  resourceCheckValue,
  type Value,
} from '../../kubernetes/cel/index.ts';
import type { StructuralSchema } from '../../kubernetes/schema/index.ts';
import { serviceAccountGroups, serviceAccountName, userInfo } from '../rbac/index.ts';
import type { AdmissionRequest, AdmissionWorld, ResourceName } from './admission.ts';

/** The values by the names of the variables. */
export type Inputs = { readonly valueOf: (name: string) => Value };

type Surroundings = {
  readonly request: AdmissionRequest;
  /** The resource under the name that the policy knows. */
  readonly as: ResourceName;
  /** The objects as that name shows them. */
  readonly object: JsonObject | undefined;
  readonly oldObject: JsonObject | undefined;
  readonly params: JsonObject | undefined;
  /** Absent outside of namespaces. */
  readonly namespaceObject: JsonObject | undefined;
  readonly authorize: AdmissionWorld['authorize'];
};

export function inputsFrom(surroundings: Surroundings): Inputs {
  const known = new Map<string, Value>();
  return {
    valueOf(name) {
      const value = known.get(name) ?? compute(name, surroundings);
      known.set(name, value);
      return value;
    },
  };
}

function compute(name: string, surroundings: Surroundings): Value {
  switch (name) {
    case 'object':
    case 'oldObject':
    case 'params':
      return dynamicValue(surroundings[name] ?? null);
    case 'namespaceObject':
      return namespaceValue(surroundings.namespaceObject);
    case 'request':
      return dynamicValue(requestFields(surroundings));
    case 'authorizer':
      return authorizerValue(asker(surroundings));
    case 'authorizer.requestResource':
      return resourceCheckValue(asker(surroundings), aboutRequest(surroundings.request));
    default:
      return null;
  }
}

function requestFields({ request, as }: Surroundings): Fields {
  const { resource, subresource, name, namespace, operation, isDryRun, options } = request;
  const doors = subresource === '' ? {} : { subResource: subresource, requestSubResource: subresource };
  return {
    kind: kindOf(as, subresource),
    resource: { group: as.group, version: as.version, resource: as.plural },
    requestKind: kindOf(resource, subresource),
    requestResource: { group: resource.group, version: resource.version, resource: resource.plural },
    ...doors,
    ...(name === '' ? {} : { name }),
    ...(namespace === '' ? {} : { namespace }),
    operation,
    userInfo: userInfo(request.user),
    dryRun: isDryRun,
    options: options ?? null,
  };
}

/** What goes through a subresource may be of another kind: a Scale, an Eviction. */
function kindOf(resource: ResourceName, subresource: string): Fields {
  const door = resource.subresources?.find(({ name }) => name === subresource);
  const { group, version, kind } = door?.takes ?? resource;
  return { group, version, kind };
}

function aboutRequest({ resource, subresource, namespace, name }: AdmissionRequest) {
  return { group: resource.group, resource: resource.plural, subresource, namespace, name };
}

/** Selectors in a question are dropped: no rule of ours knows them. */
function asker({ request, authorize }: Surroundings): Authorize {
  return ({ account, verb, ...about }) => {
    const user =
      account === undefined
        ? request.user
        : { name: serviceAccountName(account), groups: serviceAccountGroups(account.namespace) };
    const { allowed, reason } =
      'path' in about
        ? authorize({ kind: 'path', user, verb, path: about.path })
        : authorize({ kind: 'resource', user, verb, ...resourceAttributes(about) });
    return { isAllowed: allowed, reason };
  };
}

function resourceAttributes({ group, resource, subresource, namespace, name }: RequestResource) {
  return { group, version: '*', resource, subresource, namespace, name };
}

/** Expressions see these fields; the uid has its name in capitals, by an old mistake that policies now rely on. */
function namespaceValue(namespace: JsonObject | undefined): Value {
  if (namespace === undefined) return null;
  const metadata = objectAt(namespace, 'metadata') ?? {};
  const uid = own(metadata, 'uid');
  const named = uid === undefined ? metadata : { ...metadata, UID: uid };
  return celValue(NAMESPACE, { ...namespace, metadata: named });
}

const TEXT: StructuralSchema = { type: 'string' };
const WHOLE: StructuralSchema = { type: 'integer' };
const TIME: StructuralSchema = { type: 'string', format: 'date-time' };
const TEXTS: StructuralSchema = { type: 'array', items: TEXT };
const TEXT_MAP: StructuralSchema = { type: 'object', additionalProperties: TEXT };

const object = (properties: { readonly [name: string]: StructuralSchema }): StructuralSchema => ({
  type: 'object',
  properties,
});

const NAMESPACE: StructuralSchema = object({
  metadata: object({
    name: TEXT,
    generateName: TEXT,
    namespace: TEXT,
    labels: TEXT_MAP,
    annotations: TEXT_MAP,
    UID: TEXT,
    creationTimestamp: TIME,
    deletionGracePeriodSeconds: WHOLE,
    deletionTimestamp: TIME,
    generation: WHOLE,
    resourceVersion: TEXT,
    finalizers: TEXTS,
  }),
  spec: object({ finalizers: TEXTS }),
  status: object({
    phase: TEXT,
    conditions: {
      type: 'array',
      items: object({ type: TEXT, status: TEXT, lastTransitionTime: TIME, message: TEXT, reason: TEXT }),
    },
  }),
});
