/**
 * The CEL environment of policies: variables and their types.
 *
 * Objects and parameters are `dyn`. The request and the namespace are typed, so that a misspelt field is an error
 * when the policy is created. Validation of new policies and their evaluation share this environment.
 */

import { isObject, type JsonObject, own } from '../../base/json.ts';
import {
  AUTHORIZER,
  type CelType,
  compileCel,
  type ObjectType,
  type Program,
  RESOURCE_CHECK,
  typeText,
  type Variable,
} from '../../kubernetes/cel/index.ts';

/** The purpose of an expression determines its variables and result types. */
export type Purpose = 'matchCondition' | 'variable' | 'validation' | 'message' | 'auditAnnotation';

/** The message follows `Invalid value: …: ` in a Status. */
export type ExpressionFailure = { readonly kind: 'failure'; readonly message: string };

/** The variables of a policy with the types of their expressions, in order. */
type PolicyTypes = ReadonlyMap<string, CelType>;

/** `types`: those of the policy's own variables. */
export function policyVariables(
  policy: JsonObject,
  purpose: Purpose,
  types: PolicyTypes = new Map(),
): readonly Variable[] {
  const all: Variable[] = [
    { name: 'object', type: DYN },
    { name: 'oldObject', type: DYN },
    { name: 'namespaceObject', type: NAMESPACE },
    { name: 'request', type: REQUEST },
  ];
  if (hasParams(policy)) all.push({ name: 'params', type: DYN });
  // Message expressions cannot use the authorizer.
  if (purpose !== 'message') {
    all.push({ name: 'authorizer', type: AUTHORIZER });
    all.push({ name: 'authorizer.requestResource', type: RESOURCE_CHECK });
  }
  // Match conditions cannot use the variables of the policy.
  if (purpose !== 'matchCondition' && hasVariables(policy)) {
    all.push({ name: 'variables', type: { kind: 'object', name: 'kubernetes.variables', fields: types } });
  }
  return all;
}

/** The compiled program, or the error. */
export function compileExpression(
  source: string,
  purpose: Purpose,
  variables: readonly Variable[],
): Program | ExpressionFailure {
  const program = compileCel(source, variables);
  if (program.kind === 'failure') return failure(`compilation failed: ${program.message}`);
  const wanted = RESULTS[purpose];
  if (wanted.length === 0 || wanted.includes(resultName(program.type))) return program;
  const [only, ...others] = wanted;
  const demand = others.length === 0 ? only : `one of [${wanted.join(' ')}]`;
  return failure(`must evaluate to ${demand} but got ${resultName(program.type)}`);
}

/** The type of a variable in later expressions. */
export function typeOfVariable(compiled: Program | ExpressionFailure): CelType {
  return compiled.kind === 'failure' ? DYN : declaredType(compiled.type);
}

function failure(message: string): ExpressionFailure {
  return { kind: 'failure', message };
}

/** Undefined: any type. */
const RESULTS: { readonly [P in Purpose]: readonly string[] } = {
  matchCondition: ['bool'],
  variable: [],
  validation: ['bool'],
  message: ['string'],
  auditAnnotation: ['string', 'null_type'],
};

function resultName(type: CelType): string {
  return type.kind === 'null' ? 'null_type' : typeText(type);
}

/** Only primitive types, lists and maps keep their type in a variable. */
function declaredType(type: CelType): CelType {
  switch (type.kind) {
    case 'list':
      return { kind: 'list', item: declaredType(type.item) };
    case 'map':
      return { kind: 'map', key: declaredType(type.key), value: declaredType(type.value) };
    case 'object':
    case 'opaque':
    case 'optional':
    case 'type':
    case 'param':
      return DYN;
    default:
      return type;
  }
}

function hasParams(policy: JsonObject): boolean {
  const spec = own(policy, 'spec');
  return isObject(spec) && isObject(own(spec, 'paramKind'));
}

function hasVariables(policy: JsonObject): boolean {
  const spec = own(policy, 'spec');
  const variables = isObject(spec) ? own(spec, 'variables') : undefined;
  return Array.isArray(variables) && variables.length > 0;
}

const DYN: CelType = { kind: 'dyn' };
const BOOL: CelType = { kind: 'bool' };
const INT: CelType = { kind: 'int' };
const STRING: CelType = { kind: 'string' };
const TIMESTAMP: CelType = { kind: 'timestamp' };
const STRINGS: CelType = { kind: 'list', item: STRING };

function objectType(name: string, fields: { readonly [field: string]: CelType }): ObjectType {
  return { kind: 'object', name: `kubernetes.${name}`, fields: new Map(Object.entries(fields)) };
}

const KIND = objectType('GroupVersionKind', { group: STRING, version: STRING, kind: STRING });
const RESOURCE = objectType('GroupVersionResource', { group: STRING, version: STRING, resource: STRING });

const USER = objectType('UserInfo', {
  username: STRING,
  uid: STRING,
  groups: STRINGS,
  extra: { kind: 'map', key: STRING, value: STRINGS },
});

const REQUEST = objectType('AdmissionRequest', {
  kind: KIND,
  resource: RESOURCE,
  subResource: STRING,
  requestKind: KIND,
  requestResource: RESOURCE,
  requestSubResource: STRING,
  name: STRING,
  namespace: STRING,
  operation: STRING,
  userInfo: USER,
  dryRun: BOOL,
  options: DYN,
});

const TEXTS: CelType = { kind: 'map', key: STRING, value: STRING };

const NAMESPACE = objectType('Namespace', {
  metadata: objectType('NamespaceMetadata', {
    name: STRING,
    generateName: STRING,
    namespace: STRING,
    labels: TEXTS,
    annotations: TEXTS,
    UID: STRING,
    creationTimestamp: TIMESTAMP,
    deletionGracePeriodSeconds: INT,
    deletionTimestamp: TIMESTAMP,
    generation: INT,
    resourceVersion: STRING,
    finalizers: STRINGS,
  }),
  spec: objectType('NamespaceSpec', { finalizers: STRINGS }),
  status: objectType('NamespaceStatus', {
    phase: STRING,
    conditions: {
      kind: 'list',
      item: objectType('NamespaceCondition', {
        type: STRING,
        status: STRING,
        lastTransitionTime: TIMESTAMP,
        message: STRING,
        reason: STRING,
      }),
    },
  }),
});
