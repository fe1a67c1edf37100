import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../base/json.ts';
import type { Attributes } from '../rbac/index.ts';
import type { Admission, AdmissionContext, AdmissionRequest } from './admission.ts';
import { admit } from './admit.ts';

type Spec = { readonly [field: string]: Json };
type Request = Partial<AdmissionRequest>;

const CONFIG_MAPS = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps' };
const NODES = { group: '', version: 'v1', kind: 'Node', plural: 'nodes' };
const NAMESPACES = { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces' };

const aRule = (rule: Spec = {}): Spec => ({
  apiGroups: [''],
  apiVersions: ['v1'],
  operations: ['*'],
  resources: ['configmaps'],
  ...rule,
});

const aPolicy = (spec: Spec = {}, name = 'p'): JsonObject => ({
  metadata: { name },
  spec: {
    failurePolicy: 'Fail',
    matchConstraints: { resourceRules: [aRule()] },
    validations: [{ expression: 'false', message: 'no' }],
    ...spec,
  },
});

const aBinding = (spec: Spec = {}, name = 'b'): JsonObject => ({
  metadata: { name },
  spec: { policyName: 'p', validationActions: ['Deny'], ...spec },
});

const aConfigMap = (data: Spec = {}, metadata: Spec = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 's', ...metadata },
  data,
});

const aRequest = (request: Request = {}): AdmissionRequest => ({
  operation: 'CREATE',
  resource: CONFIG_MAPS,
  subresource: '',
  namespace: 's',
  name: 'a',
  object: aConfigMap(),
  user: { name: 'alice', groups: ['system:authenticated'] },
  isDryRun: false,
  ...request,
});

const aContext = (context: Partial<AdmissionContext> = {}): AdmissionContext => ({
  policies: [aPolicy()],
  bindings: [aBinding()],
  namespaceNamed: (name) => (name === 's' ? { metadata: { name, labels: { tier: 'low' } } } : undefined),
  paramsOf: () => undefined,
  authorize: () => ({ allowed: false, reason: '' }),
  ...context,
});

const admitted = (
  policy: Spec,
  binding: Spec = {},
  request: Request = {},
  context: Partial<AdmissionContext> = {},
) =>
  admit(
    aRequest(request),
    aContext({ policies: [aPolicy(policy)], bindings: [aBinding(binding)], ...context }),
  );

/** What stands behind `denied request: `; empty where the request may go on. */
function why(admission: Admission): string {
  return admission.denial?.status.details?.causes?.[0]?.message?.replace(/^.*? denied request: /s, '') ?? '';
}

const isMatched = (matchConstraints: Spec, request: Request = {}, context: Partial<AdmissionContext> = {}) =>
  admitted({ matchConstraints }, {}, request, context).denial !== undefined;

describe('a denial', () => {
  it('names the object, the policy and the binding', () => {
    const text = "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no";
    expect(admit(aRequest(), aContext()).denial?.status).toEqual({
      apiVersion: 'v1',
      kind: 'Status',
      metadata: {},
      status: 'Failure',
      code: 422,
      reason: 'Invalid',
      message: `configmaps "a" is forbidden: ${text}`,
      details: { name: 'a', kind: 'configmaps', causes: [{ message: text }] },
    });
  });

  it.each([
    ['Forbidden', 403],
    ['Invalid', 422],
    ['RequestEntityTooLarge', 413],
  ])('for the reason %s has the code %d', (reason, code) => {
    const { denial } = admitted({ validations: [{ expression: 'false', reason }] });
    expect([denial?.status.reason, denial?.status.code]).toEqual([reason, code]);
  });

  it('names resources with their group', () => {
    const resource = { group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments' };
    const matchConstraints = { resourceRules: [aRule({ apiGroups: ['apps'], resources: ['*'] })] };
    const { denial } = admitted({ matchConstraints }, {}, { resource });
    expect(denial?.message).toMatch(/^deployments\.apps "a" is forbidden: /);
  });

  it('contains the generateName of an object without a name', () => {
    const unnamed = { name: '', object: { metadata: { generateName: 'gen-' } } };
    expect(admitted({}, {}, unnamed).denial?.status.details?.name).toBe('gen-');
    const { denial } = admitted({}, {}, { operation: 'DELETE', name: '', oldObject: aConfigMap() });
    expect(denial?.message).toMatch(/^configmaps "a" is forbidden/);
  });

  it('is the first by policy, binding and validation', () => {
    const validations = [{ expression: 'true' }, { expression: 'false', message: 'second' }];
    const context = aContext({
      policies: [aPolicy({}, 'z'), aPolicy({ validations }, 'p')],
      bindings: [aBinding({ policyName: 'z' }, 'a'), aBinding({}, 'c'), aBinding({}, 'b')],
    });
    expect(admit(aRequest(), context).denial?.status.details?.causes).toEqual([
      { message: "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: second" },
    ]);
  });
});

describe('the message of a denial', () => {
  const message = (validation: Spec) =>
    why(admitted({ validations: [{ expression: ' false ', ...validation }] }));

  it('is the expression if there is no message', () => {
    expect(message({})).toBe('failed expression: false');
  });

  it('is the result of the messageExpression if it is a valid line', () => {
    const long = "['aaaaaaaaaa'].map(x, [1,2,3,4,5,6,7,8].map(y, x + x + x + x).join(x + x + x + x))";
    const longer = `${long}.map(x, x + x + x + x).map(x, x + x + x + x)[0]`;
    expect(message({ message: ' given ', messageExpression: "' found ' + object.metadata.name + ' '" })).toBe(
      'found a',
    );
    expect(message({ message: ' given ', messageExpression: "'two\\nlines'" })).toBe('given');
    expect(message({ message: ' given ', messageExpression: "'  '" })).toBe('given');
    expect(message({ message: ' given ', messageExpression: longer })).toBe('given');
    expect(message({ message: ' given ', messageExpression: 'string(object.none)' })).toBe('given');
    expect(message({ messageExpression: 'string(object.none)' })).toBe('failed expression: false');
  });
});

describe('an expression that fails', () => {
  const validations = [{ expression: "object.data.k == 'v'", message: 'k must be v' }];
  const failure = "expression 'object.data.k == 'v'' resulted in error: no such key: k";

  it('denies, unless failures are ignored', () => {
    expect(why(admitted({ validations }))).toBe(failure);
    expect(admitted({ validations, failurePolicy: 'Ignore' }).denial).toBeUndefined();
  });

  it('is a warning if the binding has the action Warn', () => {
    expect(admitted({ validations }, { validationActions: ['Warn'] })).toMatchObject({
      warnings: [`Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': ${failure}`],
    });
  });

  it('denies if the expression does not compile', () => {
    expect(why(admitted({ validations: [{ expression: '1' }] }))).toBe(
      'compilation error: must evaluate to bool but got int',
    );
  });

  it('reports the variable', () => {
    const variables = [
      { name: 'a', expression: 'object.none' },
      { name: 'b', expression: 'variables.a' },
    ];
    const expression = 'variables.b == 1';
    expect(why(admitted({ variables, validations: [{ expression }] }))).toBe(
      `expression '${expression}' resulted in error: composited variable "b" fails to evaluate: composited variable "a" fails to evaluate: no such key: none`,
    );
  });
});

describe('the budget', () => {
  const TEN = '[1,2,3,4,5,6,7,8,9,10]';
  const loop = (depth: number): string =>
    depth === 0 ? 'object.data.size() >= 0' : `${TEN}.all(x${depth}, ${loop(depth - 1)})`;

  it('limits the cost of an expression', () => {
    const expression = loop(6);
    expect(why(admitted({ validations: [{ expression }] }))).toBe(
      `expression '${expression}' resulted in error: operation cancelled: actual cost limit exceeded`,
    );
  });

  it('limits the total cost of expressions', () => {
    const ask = 'authorizer.path("/x").check("get").allowed()';
    const validations = Array.from({ length: 15 }, () => ({ expression: `[${ask}, ${ask}].size() == 2` }));
    const ended =
      'validation failed due to running out of cost budget, no further validation rules will be run';
    expect(why(admitted({ validations }))).toBe(ended);
    expect(admitted({ validations, failurePolicy: 'Ignore' }).denial).toBeUndefined();
    expect(admitted({ validations: validations.slice(1) }).denial).toBeUndefined();
  });

  it('allows two authorizer checks in an expression, not three', () => {
    const asks = (times: number) => {
      const questions = Array.from({ length: times }, () => 'authorizer.path("/x").check("get").allowed()');
      return why(admitted({ validations: [{ expression: `[${questions.join(', ')}].size() == 0` }] }));
    };
    expect(asks(2)).toMatch(/^failed expression/);
    expect(asks(3)).toMatch(/actual cost limit exceeded$/);
  });

  it('limits the nesting of variables', () => {
    const variables = Array.from({ length: 5_000 }, (_, index) => ({
      name: `v${index}`,
      expression: index === 0 ? '1' : `variables.v${index - 1} + 1`,
    }));
    const expression = 'variables.v4999 == 5000';
    expect(why(admitted({ variables, validations: [{ expression }] }))).toContain('nested too deeply');
  });
});

describe('match conditions', () => {
  const conditions = (...expressions: readonly string[]) => ({
    matchConditions: expressions.map((expression, index) => ({ name: `c${index}`, expression })),
  });
  const broken = 'object.none.x == 1';
  const failure = `expression '${broken}' resulted in error: no such key: none`;

  it('make a policy ignore a request', () => {
    expect(admitted(conditions('true', "object.metadata.name != 'a'")).denial).toBeUndefined();
    expect(why(admitted(conditions('true', "object.metadata.name == 'a'")))).toBe('no');
  });

  it('deny if they fail, unless another is false or failures are ignored', () => {
    expect(why(admitted(conditions(broken)))).toBe(failure);
    expect(why(admitted(conditions(broken, ` ${broken}`)))).toBe(
      `[${failure}, expression ' ${broken}' resulted in error: no such key: none]`,
    );
    expect(admitted(conditions(broken, 'false')).denial).toBeUndefined();
    expect(admitted({ ...conditions(broken), failurePolicy: 'Ignore' }).denial).toBeUndefined();
  });

  it('have no namespaceObject', () => {
    expect(why(admitted(conditions('namespaceObject == null')))).toBe('no');
  });
});

describe('the match of a policy', () => {
  const rules = (...resourceRules: readonly Spec[]) => ({ resourceRules: resourceRules.map(aRule) });

  it.each([
    ['the operation', { operations: ['UPDATE'] }, false],
    ['any operation', { operations: ['UPDATE', '*'] }, true],
    ['the group', { apiGroups: ['apps'] }, false],
    ['the version', { apiVersions: ['v2'] }, false],
    ['any group and version', { apiGroups: ['*'], apiVersions: ['*'] }, true],
    ['the resource', { resources: ['secrets', 'configmaps/status'] }, false],
    ['any resource', { resources: ['*'] }, true],
    ['any resource with any subresource', { resources: ['*/*'] }, true],
    ['the name', { resourceNames: ['z'] }, false],
    ['one of the names', { resourceNames: ['z', 'a'] }, true],
    ['the scope', { scope: 'Cluster' }, false],
    ['the right scope', { scope: 'Namespaced' }, true],
  ])('depends on %s', (_what, rule, isWanted) => {
    expect(isMatched(rules(rule))).toBe(isWanted);
  });

  it.each([
    ['configmaps', false],
    ['configmaps/status', true],
    ['configmaps/*', true],
    ['*/status', true],
    ['*', false],
  ])('%s covers a subresource: %s', (resource, isWanted) => {
    expect(isMatched(rules({ resources: [resource] }), { subresource: 'status' })).toBe(isWanted);
  });

  it('respects excludeResourceRules', () => {
    const constraints = { ...rules({}), excludeResourceRules: [aRule({ resourceNames: ['a'] })] };
    expect(isMatched(constraints)).toBe(false);
    expect(isMatched(constraints, { name: 'z' })).toBe(true);
  });

  it('depends on the labels of the object or the old object', () => {
    const constraints = { ...rules({}), objectSelector: { matchLabels: { x: 'y' } } };
    const labelled = aConfigMap({}, { labels: { x: 'y' } });
    expect(isMatched(constraints)).toBe(false);
    expect(isMatched(constraints, { object: labelled })).toBe(true);
    expect(isMatched(constraints, { operation: 'UPDATE', oldObject: labelled })).toBe(true);
  });

  it('depends on the labels of the namespace, except for cluster-scoped objects', () => {
    const constraints = {
      ...rules({ resources: ['*'] }),
      namespaceSelector: { matchLabels: { tier: 'high' } },
    };
    expect(isMatched(constraints)).toBe(false);
    expect(isMatched({ ...constraints, namespaceSelector: { matchLabels: { tier: 'low' } } })).toBe(true);
    expect(isMatched(constraints, { resource: NODES, namespace: '' })).toBe(true);
  });

  it('uses the labels of a Namespace that is written itself', () => {
    const constraints = {
      ...rules({ resources: ['namespaces'], scope: 'Cluster' }),
      namespaceSelector: { matchLabels: { tier: 'high' } },
    };
    const object = { metadata: { name: 's', labels: { tier: 'high' } } };
    const request = { resource: NAMESPACES, name: 's' };
    expect(isMatched(constraints, { ...request, object })).toBe(true);
    expect(isMatched(constraints, { ...request, operation: 'DELETE', oldObject: object })).toBe(false);
  });

  it('fails if the namespace does not exist', () => {
    const matchConstraints = { ...rules({}), namespaceSelector: { matchLabels: { tier: 'low' } } };
    expect(admitted({ matchConstraints }, {}, { namespace: 'gone' }).denial?.status.details?.causes).toEqual([
      {
        message: `ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: namespaces "gone" not found`,
      },
    ]);
  });

  it('is restricted by matchResources of the binding', () => {
    const matchResources = { resourceRules: [aRule({ operations: ['DELETE'] })] };
    expect(admitted({}, { matchResources }).denial).toBeUndefined();
    expect(admitted({}, { matchResources: { objectSelector: {} } }).denial).toBeDefined();
  });

  it('excludes policies and reviews', () => {
    const matchConstraints = { resourceRules: [aRule({ apiGroups: ['*'], resources: ['*'] })] };
    const ofGroup = (group: string, plural: string) => {
      const resource = { group, version: 'v1', kind: 'X', plural };
      return isMatched(matchConstraints, { resource, namespace: '' });
    };
    expect(ofGroup('admissionregistration.k8s.io', 'validatingadmissionpolicies')).toBe(false);
    expect(ofGroup('admissionregistration.k8s.io', 'validatingadmissionpolicybindings')).toBe(false);
    expect(ofGroup('authorization.k8s.io', 'selfsubjectaccessreviews')).toBe(false);
    expect(ofGroup('admissionregistration.k8s.io', 'validatingwebhookconfigurations')).toBe(true);
  });
});

describe('a resource with other versions', () => {
  const resource = { group: 'x.io', version: 'v1', kind: 'Widget', plural: 'widgets' };
  const equivalents = () => [
    { ...resource, version: 'v2', convert: (object: JsonObject) => ({ ...object, apiVersion: 'x.io/v2' }) },
  ];
  const policy = (matchPolicy: string) => ({
    matchConstraints: {
      matchPolicy,
      resourceRules: [aRule({ apiGroups: ['x.io'], apiVersions: ['v2'], resources: ['widgets'] })],
    },
    validations: [
      {
        expression: 'false',
        messageExpression: "[object.apiVersion, request.kind.version, request.requestKind.version].join(' ')",
      },
    ],
  });

  it('is converted to the version that the policy matches', () => {
    const object = { apiVersion: 'x.io/v1' };
    expect(why(admitted(policy('Equivalent'), {}, { resource, object }, { equivalents }))).toBe(
      'x.io/v2 v2 v1',
    );
  });

  it('is not converted with matchPolicy Exact', () => {
    expect(admitted(policy('Exact'), {}, { resource }, { equivalents }).denial).toBeUndefined();
  });
});

describe('the variables of expressions', () => {
  const shown = (expression: string, request: Request = {}, context: Partial<AdmissionContext> = {}) =>
    why(
      admitted(
        { validations: [{ expression: 'false', messageExpression: expression }] },
        {},
        request,
        context,
      ),
    );

  it('include the request, without empty fields', () => {
    const keys = "request.userInfo.groups.join('+') + ' ' + dyn(request).map(k, k).join(' ')";
    expect(shown(keys).split(' ').sort()).toEqual(
      [
        'system:authenticated',
        'dryRun',
        'kind',
        'name',
        'namespace',
        'operation',
        'options',
        'requestKind',
        'requestResource',
        'resource',
        'userInfo',
      ].sort(),
    );
  });

  it('include the kind of a subresource', () => {
    const takes = { group: 'autoscaling', version: 'v1', kind: 'Scale' };
    const resource = { ...CONFIG_MAPS, subresources: [{ name: 'scale', verbs: [], takes }] };
    const policy = {
      matchConstraints: { resourceRules: [aRule({ resources: ['*/*'] })] },
      validations: [
        {
          expression: 'false',
          messageExpression: "request.kind.group + ' ' + request.kind.kind + ' ' + request.subResource",
        },
      ],
    };
    expect(why(admitted(policy, {}, { resource, subresource: 'scale' }))).toBe('autoscaling Scale scale');
  });

  it('include the namespace, except for cluster-scoped objects', () => {
    expect(shown('namespaceObject.metadata.labels.tier')).toBe('low');
    const policy = {
      matchConstraints: { resourceRules: [aRule({ resources: ['namespaces'] })] },
      validations: [{ expression: 'namespaceObject != null', message: 'none' }],
    };
    expect(why(admitted(policy, {}, { resource: NAMESPACES, name: 's' }))).toBe('none');
  });

  it('have no object in a deletion', () => {
    const gone = { operation: 'DELETE', oldObject: aConfigMap({ k: 'v' }) } as const;
    const { object: _object, ...request } = aRequest(gone);
    const policy = aPolicy({ validations: [{ expression: "object != null || oldObject.data.k != 'v'" }] });
    expect(why(admit(request, aContext({ policies: [policy] })))).toMatch(/^failed expression/);
  });

  it('include the authorizer, for the user and for service accounts', () => {
    const asked: Attributes[] = [];
    const authorize = (attributes: Attributes) => {
      asked.push(attributes);
      return { allowed: true, reason: 'because' };
    };
    const ask = (expression: string, request: Request = {}) =>
      admitted({ validations: [{ expression: `${expression}.reason() != 'because'` }] }, {}, request, {
        authorize,
      });
    ask("authorizer.requestResource.check('get')");
    ask("authorizer.path('/healthz').check('get')");
    ask(
      "authorizer.serviceAccount('s', 'robot').group('apps').resource('deployments').subresource('scale').namespace('n').name('d').labelSelector('a=b').check('update')",
    );
    const user = { name: 'alice', groups: ['system:authenticated'] };
    const account = {
      name: 'system:serviceaccount:s:robot',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:s'],
    };
    const about = { kind: 'resource', version: '*' };
    expect(asked).toEqual([
      {
        ...about,
        user,
        verb: 'get',
        group: '',
        resource: 'configmaps',
        subresource: '',
        namespace: 's',
        name: 'a',
      },
      { kind: 'path', user, verb: 'get', path: '/healthz' },
      {
        ...about,
        user: account,
        verb: 'update',
        group: 'apps',
        resource: 'deployments',
        subresource: 'scale',
        namespace: 'n',
        name: 'd',
      },
    ]);
  });
});

describe('parameters', () => {
  const limits = (name: string, max: string) => aConfigMap({ max }, { name, labels: { limits: '' } });
  const all = [limits('q', '2'), limits('p', '1'), aConfigMap({ max: '0' }, { name: 'other' })];
  const paramsOf: AdmissionContext['paramsOf'] = ({ kind }) => {
    if (kind !== 'ConfigMap' && kind !== 'Node') return undefined;
    return {
      scope: kind === 'Node' ? 'Cluster' : 'Namespaced',
      get: ({ namespace, name }) =>
        namespace === 's' ? all.find((one) => JSON.stringify(one.metadata).includes(`"${name}"`)) : undefined,
      list: (namespace) => (namespace === 's' ? all : []),
    };
  };
  const policy = {
    paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
    validations: [
      {
        expression: 'object.data.size() <= int(params.data.max)',
        messageExpression: "'at most ' + params.data.max",
      },
    ],
  };
  const two = { object: aConfigMap({ a: '', b: '' }) };
  const three = { object: aConfigMap({ a: '', b: '', c: '' }) };
  const decided = (paramRef: Spec, request: Request, more: Spec = {}) =>
    admitted({ ...policy, ...more }, { paramRef }, request, { paramsOf });
  const missing = 'no params found for policy binding with `Deny` parameterNotFoundAction';

  it('are those that the binding names', () => {
    expect(why(decided({ name: 'q' }, three))).toBe('at most 2');
    expect(decided({ name: 'q' }, two).denial).toBeUndefined();
  });

  it('are all that the binding selects, one evaluation each', () => {
    expect(why(decided({ selector: { matchLabels: { limits: '' } } }, two))).toBe('at most 1');
    expect(why(decided({ selector: {} }, two))).toBe('at most 0');
  });

  it('may be missing if the binding allows it', () => {
    const absent = { name: 'gone', parameterNotFoundAction: 'Allow' };
    expect(decided(absent, three).denial).toBeUndefined();
    const wanted = { ...absent, parameterNotFoundAction: 'Deny' };
    expect(why(decided(wanted, three))).toBe(`failed to configure binding: ${missing}`);
    expect(why(decided({ ...wanted, name: 'q', namespace: 'other' }, three))).toContain(missing);
    expect(decided(wanted, three, { failurePolicy: 'Ignore' }).denial).toBeUndefined();
  });

  it('are null if the binding names none', () => {
    expect(why(admitted(policy, {}, three, { paramsOf }))).toBe(
      "expression 'object.data.size() <= int(params.data.max)' resulted in error: no such key: data",
    );
  });

  it('need a namespace exactly if their kind is namespaced', () => {
    const matchConstraints = { resourceRules: [aRule({ resources: ['nodes'] })] };
    const inNone = { resource: NODES, namespace: '' };
    expect(why(decided({ name: 'q' }, inNone, { matchConstraints }))).toBe(
      'failed to configure binding: cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
    );
    const paramKind = { apiVersion: 'v1', kind: 'Node' };
    expect(why(decided({ name: 'q', namespace: 's' }, three, { paramKind }))).toBe(
      'failed to configure binding: paramRef.namespace must not be provided for a cluster-scoped `paramKind`',
    );
  });

  it('of an unknown kind deny all matching requests, even outside of the binding', () => {
    const paramKind = { apiVersion: 'no.such/v1', kind: 'Foo' };
    const matchResources = { resourceRules: [aRule({ operations: ['DELETE'] })] };
    expect(
      admitted({ ...policy, paramKind }, { matchResources }, three, { paramsOf }).denial?.status.details
        ?.causes,
    ).toEqual([
      {
        message:
          "ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'no.such/v1, Kind=Foo'",
      },
    ]);
  });
});

describe('warnings and audit annotations', () => {
  it('follow the validationActions of the binding', () => {
    const validations = [{ expression: 'true' }, { expression: 'false', message: 'better not' }];
    expect(admitted({ validations }, { validationActions: ['Warn', 'Audit'] })).toEqual({
      warnings: ["Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': better not"],
      auditAnnotations: {
        'validation.policy.admission.k8s.io/validation_failure':
          '[{"message":"better not","policy":"p","binding":"b","expressionIndex":1,"validationActions":["Warn","Audit"]}]',
      },
    });
  });

  it('are the auditAnnotations of the policy, whatever it decides', () => {
    const auditAnnotations = [
      { key: 'name', valueExpression: "' ' + object.metadata.name" },
      { key: 'nothing', valueExpression: 'null' },
      { key: 'blank', valueExpression: "'  '" },
    ];
    const { denial, auditAnnotations: left } = admitted({ auditAnnotations });
    expect([denial?.status.code, left]).toEqual([422, { 'p/name': 'a' }]);
  });

  it('deny if an audit annotation fails', () => {
    const failing = {
      validations: [{ expression: 'true' }],
      auditAnnotations: [{ key: 'a', valueExpression: 'string(object.none)' }],
    };
    expect(why(admitted(failing, { validationActions: ['Warn'] }))).toBe(
      "expression 'string(object.none)' resulted in error: no such key: none",
    );
    expect(admitted({ ...failing, failurePolicy: 'Ignore' }).denial).toBeUndefined();
  });

  it('is empty without bindings', () => {
    expect(admit(aRequest(), aContext({ bindings: [] }))).toEqual({ warnings: [], auditAnnotations: {} });
    expect(admitted({}, { policyName: 'another' }).denial).toBeUndefined();
  });
});

describe('admission', () => {
  it('handles any policy, binding and object', () => {
    const json = fc.jsonValue({ maxDepth: 4 });
    // The generated values are JSON, which their type does not express.
    const asObject = (value: unknown) => value as JsonObject;
    fc.assert(
      fc.property(json, json, json, json, (policy, binding, object, validation) => {
        const context = aContext({
          policies: [
            asObject({ metadata: { name: 'p' }, spec: policy }),
            aPolicy({ validations: asObject([validation]), matchConditions: asObject([object]) }),
          ],
          bindings: [
            asObject({ metadata: binding, spec: { policyName: 'p', matchResources: binding } }),
            aBinding(),
          ],
        });
        admit(aRequest({ object: asObject({ metadata: object, data: object }) }), context);
      }),
      { numRuns: 200 },
    );
  });
});
