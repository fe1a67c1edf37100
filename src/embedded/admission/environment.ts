/**
 * What the expressions of a policy may name, and which types that has.
 *
 * Objects and parameters are of no type (`dyn`): an expression finds out what they hold when it runs. The
 * request and the namespace have types of their own, so that a misspelt field shows when a policy is made. Both
 * the check of new policies and their evaluation compile here, so that they cannot disagree.
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

/** What an expression is for: it decides which variables are in sight and which types it may give. */
export type Purpose = 'matchCondition' | 'variable' | 'validation' | 'message' | 'auditAnnotation';

/** The message is the one that a Status shows after `Invalid value: …: `. */
export type ExpressionFailure = { readonly kind: 'failure'; readonly message: string };

/** A policy's own variables, each with the type of its expression, in the order in which they stand. */
type PolicyTypes = ReadonlyMap<string, CelType>;

/** The variables that expressions for this purpose may name; `types` are those of the policy's own. */
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
  // A message is computed when the decision is made: it asks no further questions.
  if (purpose !== 'message') {
    all.push({ name: 'authorizer', type: AUTHORIZER });
    all.push({ name: 'authorizer.requestResource', type: RESOURCE_CHECK });
  }
  // Whether a policy looks at a request must not depend on what it then looks at.
  if (purpose !== 'matchCondition' && hasVariables(policy)) {
    all.push({ name: 'variables', type: { kind: 'object', name: 'kubernetes.variables', fields: types } });
  }
  return all;
}

/** A program that gives what the purpose asks for, or why the text is none. */
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

/** The type that a variable of the policy has in the expressions after it. */
export function typeOfVariable(compiled: Program | ExpressionFailure): CelType {
  return compiled.kind === 'failure' ? DYN : declaredType(compiled.type);
}

function failure(message: string): ExpressionFailure {
  return { kind: 'failure', message };
}

/** None: anything. */
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

/** Through a variable only plain types, lists and maps keep their type. */
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
