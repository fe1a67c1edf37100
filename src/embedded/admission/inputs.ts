/**
 * The CEL variables of policies: the request and its context.
 *
 * Each is computed on first use. Empty fields are absent, as in kube-apiserver.
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
import type { AdmissionContext, AdmissionRequest, ResourceName } from './admission.ts';

export type Inputs = { readonly valueOf: (name: string) => Value };

type InputContext = {
  readonly request: AdmissionRequest;
  /** The resource in the version that the policy matches. */
  readonly as: ResourceName;
  /** The objects in that version. */
  readonly object: JsonObject | undefined;
  readonly oldObject: JsonObject | undefined;
  readonly params: JsonObject | undefined;
  /** Absent for cluster-scoped resources. */
  readonly namespaceObject: JsonObject | undefined;
  readonly authorize: AdmissionContext['authorize'];
};

export function inputsFrom(context: InputContext): Inputs {
  const known = new Map<string, Value>();
  return {
    valueOf(name) {
      const value = known.get(name) ?? compute(name, context);
      known.set(name, value);
      return value;
    },
  };
}

function compute(name: string, context: InputContext): Value {
  switch (name) {
    case 'object':
    case 'oldObject':
    case 'params':
      return dynamicValue(context[name] ?? null);
    case 'namespaceObject':
      return namespaceValue(context.namespaceObject);
    case 'request':
      return dynamicValue(requestFields(context));
    case 'authorizer':
      return authorizerValue(authorizerOf(context));
    case 'authorizer.requestResource':
      return resourceCheckValue(authorizerOf(context), targetOf(context.request));
    default:
      return null;
  }
}

function requestFields({ request, as }: InputContext): Fields {
  const { resource, subresource, name, namespace, operation, isDryRun, options } = request;
  const subresourceFields =
    subresource === '' ? {} : { subResource: subresource, requestSubResource: subresource };
  return {
    kind: kindOf(as, subresource),
    resource: { group: as.group, version: as.version, resource: as.plural },
    requestKind: kindOf(resource, subresource),
    requestResource: { group: resource.group, version: resource.version, resource: resource.plural },
    ...subresourceFields,
    ...(name === '' ? {} : { name }),
    ...(namespace === '' ? {} : { namespace }),
    operation,
    userInfo: userInfo(request.user),
    dryRun: isDryRun,
    options: options ?? null,
  };
}

/** Subresources can have another kind: Scale, Eviction. */
function kindOf(resource: ResourceName, subresource: string): Fields {
  const offered = resource.subresources?.find(({ name }) => name === subresource);
  const { group, version, kind } = offered?.takes ?? resource;
  return { group, version, kind };
}

function targetOf({ resource, subresource, namespace, name }: AdmissionRequest) {
  return { group: resource.group, resource: resource.plural, subresource, namespace, name };
}

/** Selectors are dropped: RBAC does not use them. */
function authorizerOf({ request, authorize }: InputContext): Authorize {
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

/** Expressions see these fields; kube-apiserver spells the uid in capitals, and policies rely on it. */
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
