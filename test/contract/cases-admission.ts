/** Policies that admit or refuse, and namespaces that end. */
import { expect } from 'vitest';
import { topic } from './contract-case.ts';
import { defineWidgets } from './custom-resources.ts';
import { eventually } from './eventually.ts';
import type { Answer } from './http-client.ts';
import { configMap, type Fields } from './objects.ts';
import type { Scene } from './scene.ts';
import { causesOf, expectFailure, forbidden, invalid } from './statuses.ts';

const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const BINDINGS = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings';

type Policy = Fields & { readonly validations?: readonly Fields[] };

type Guarded = {
  readonly policy: string;
  readonly binding: string;
  readonly path: string;
  readonly space: string;
};

/** A policy on the ConfigMaps of one namespace, in force once this resolves. */
async function guard(scene: Scene, policy: Policy, binding: Fields = {}): Promise<Guarded> {
  const space = await scene.namespace();
  const name = scene.name('policy');
  await scene.make(POLICIES, {
    metadata: { name },
    spec: {
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: [''],
            apiVersions: ['v1'],
            operations: ['CREATE', 'UPDATE'],
            resources: ['configmaps'],
          },
        ],
      },
      ...policy,
      // Says when the policy is in force, and nothing else.
      validations: [
        { expression: "object.metadata.name != 'probe'", message: 'in force' },
        ...(policy.validations ?? []),
      ],
    },
  });
  await scene.make(BINDINGS, {
    metadata: { name: `${name}-binding` },
    spec: {
      policyName: name,
      validationActions: ['Deny'],
      ...binding,
      matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': space } } },
    },
  });
  const path = `/api/v1/namespaces/${space}/configmaps`;
  await eventually(`${name} is in force`, async () => {
    const { json, warnings } = await scene.post(`${path}?dryRun=All`, configMap('probe'));
    return `${json.message} ${warnings.join()}`.includes('in force') ? true : undefined;
  });
  return { policy: name, binding: `${name}-binding`, path, space };
}

function refusal({ policy, binding }: Guarded, why: string): string {
  return `ValidatingAdmissionPolicy '${policy}' with binding '${binding}' denied request: ${why}`;
}

function expectDenied(answer: Answer, guarded: Guarded, why: string): void {
  const message = refusal(guarded, why);
  expectFailure(answer, {
    code: 422,
    reason: 'Invalid',
    message: `configmaps "a" is forbidden: ${message}`,
    details: { name: 'a', kind: 'configmaps', causes: [{ message }] },
  });
}

export const admissionCases = topic('admission', {
  'a policy refuses with its message': async (scene) => {
    const guarded = await guard(scene, {
      validations: [{ expression: "has(object.data) && 'k' in object.data", message: 'k is needed' }],
    });
    expectDenied(await scene.post(guarded.path, configMap('a', { x: 'y' })), guarded, 'k is needed');
    expect((await scene.post(guarded.path, configMap('a', { k: 'v' }))).status).toBe(201);
    expectDenied(
      await scene.patch(`${guarded.path}/a`, 'merge', { data: { k: null } }),
      guarded,
      'k is needed',
    );
  },

  'without a message the expression is shown': async (scene) => {
    const guarded = await guard(scene, { validations: [{ expression: "object.metadata.name != 'a'" }] });
    expectDenied(
      await scene.post(guarded.path, configMap('a')),
      guarded,
      "failed expression: object.metadata.name != 'a'",
    );
  },

  'a message can be computed, and variables shared': async (scene) => {
    const guarded = await guard(scene, {
      variables: [{ name: 'count', expression: 'has(object.data) ? object.data.size() : 0' }],
      validations: [
        {
          expression: 'variables.count <= 1',
          message: 'not shown',
          messageExpression: "'found ' + string(variables.count) + ' keys'",
        },
      ],
    });
    expectDenied(await scene.post(guarded.path, configMap('a', { x: '', y: '' })), guarded, 'found 2 keys');
  },

  'a reason changes the code': async (scene) => {
    const guarded = await guard(scene, {
      validations: [{ expression: "object.metadata.name != 'a'", message: 'no', reason: 'Forbidden' }],
    });
    const message = refusal(guarded, 'no');
    expectFailure(await scene.post(guarded.path, configMap('a')), {
      code: 403,
      reason: 'Forbidden',
      message: `configmaps "a" is forbidden: ${message}`,
      details: { name: 'a', kind: 'configmaps', causes: [{ message }] },
    });
  },

  'a policy sees the old object, the request and who asks': async (scene) => {
    const guarded = await guard(scene, {
      validations: [
        {
          expression: "request.operation == 'CREATE' || object.data == oldObject.data",
          message: 'data is fixed',
        },
        {
          expression: "request.userInfo.groups.exists(g, g == 'system:authenticated')",
          message: 'who are you',
        },
        { expression: 'request.namespace == object.metadata.namespace', message: 'where is this' },
        { expression: 'namespaceObject.metadata.name == request.namespace', message: 'which is this' },
      ],
    });
    await scene.make(guarded.path, configMap('a', { k: 'v' }));
    expectDenied(
      await scene.patch(`${guarded.path}/a`, 'merge', { data: { k: 'w' } }),
      guarded,
      'data is fixed',
    );
  },

  'a match condition limits a policy': async (scene) => {
    const guarded = await guard(scene, {
      matchConditions: [
        {
          name: 'not-free',
          expression: "!(has(object.metadata.labels) && 'free' in object.metadata.labels)",
        },
      ],
      validations: [{ expression: "object.metadata.name != 'a'", message: 'no' }],
    });
    expectDenied(await scene.post(guarded.path, configMap('a')), guarded, 'no');
    const free = await scene.post(guarded.path, configMap('a', {}, { labels: { free: '' } }));
    expect(free.status).toBe(201);
  },
  'a policy reads its parameters': async (scene) => {
    // Not a ConfigMap: once the last policy with such parameters is gone, a server of 1.33 reads no new ones.
    const widgets = await defineWidgets(scene, {
      spec: { type: 'object', properties: { max: { type: 'integer' } } },
    });
    await scene.make(widgets.collection(), widgets.object('limits', { max: 1 }));
    const guarded = await guard(
      scene,
      {
        paramKind: { apiVersion: widgets.apiVersion, kind: 'Widget' },
        validations: [
          {
            expression: '!has(object.data) || object.data.size() <= params.spec.max',
            messageExpression: "'at most ' + string(params.spec.max)",
          },
        ],
      },
      { paramRef: { name: 'limits', parameterNotFoundAction: 'Deny' } },
    );
    expectDenied(await scene.post(guarded.path, configMap('a', { x: '', y: '' })), guarded, 'at most 1');
    expect((await scene.post(guarded.path, configMap('a', { x: '' }))).status).toBe(201);
    await scene.delete(`${widgets.collection()}/limits`);
    const refused = await eventually('the parameters are missed', async () => {
      const answer = await scene.post(guarded.path, configMap('a', { x: '' }));
      return answer.status === 422 ? answer : undefined;
    });
    expectDenied(
      refused,
      guarded,
      'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction',
    );
  },

  'Warn lets it pass with a warning': async (scene) => {
    const guarded = await guard(
      scene,
      { validations: [{ expression: "object.metadata.name != 'a'", message: 'better not' }] },
      { validationActions: ['Warn', 'Audit'] },
    );
    const made = await scene.post(guarded.path, configMap('a'));
    expect([made.status, made.warnings]).toEqual([
      201,
      [
        `Validation failed for ValidatingAdmissionPolicy '${guarded.policy}' with binding '${guarded.binding}': better not`,
      ],
    ]);
  },

  'Deny and Warn together are refused': async (scene) => {
    const name = scene.name('binding');
    const answer = await scene.post(BINDINGS, {
      metadata: { name },
      spec: { policyName: 'x', validationActions: ['Deny', 'Warn'] },
    });
    expectFailure(
      answer,
      invalid(
        { kind: 'ValidatingAdmissionPolicyBinding', group: 'admissionregistration.k8s.io', name },
        {
          reason: 'FieldValueInvalid',
          message:
            'Invalid value: []admissionregistration.ValidationAction{"Deny", "Warn"}: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
          field: 'spec.validationActions',
        },
      ),
    );
  },

  'an expression that fails refuses, unless failures are ignored': async (scene) => {
    const failing = { validations: [{ expression: "object.data.k == 'v'", message: 'k must be v' }] };
    const strict = await guard(scene, failing);
    const refused = await scene.post(strict.path, { metadata: { name: 'a' } });
    expectDenied(refused, strict, "expression 'object.data.k == 'v'' resulted in error: no such key: data");
    const loose = await guard(scene, { ...failing, failurePolicy: 'Ignore' });
    expect((await scene.post(loose.path, { metadata: { name: 'a' } })).status).toBe(201);
  },
  'a policy that does not compile is refused': async (scene) => {
    const name = scene.name('policy');
    const answer = await scene.post(POLICIES, {
      metadata: { name },
      spec: {
        matchConstraints: {
          resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['pods'] }],
        },
        validations: [{ expression: 'none' }, { expression: '1' }],
      },
    });
    const kind = { kind: 'ValidatingAdmissionPolicy', group: 'admissionregistration.k8s.io', name };
    expect(causesOf(answer, kind)).toEqual([
      "spec.validations[0].expression FieldValueInvalid: Invalid value: \"none\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'none' (in container '')\n | none\n | ^",
      'spec.validations[1].expression FieldValueInvalid: Invalid value: "1": must evaluate to bool but got int',
    ]);
  },

  'a policy and its binding get their defaults': async (scene) => {
    const guarded = await guard(scene, {});
    const policy = await scene.get(`${POLICIES}/${guarded.policy}`);
    expect(policy.json.spec).toEqual({
      failurePolicy: 'Fail',
      matchConstraints: {
        matchPolicy: 'Equivalent',
        namespaceSelector: {},
        objectSelector: {},
        resourceRules: [
          {
            apiGroups: [''],
            apiVersions: ['v1'],
            operations: ['CREATE', 'UPDATE'],
            resources: ['configmaps'],
            scope: '*',
          },
        ],
      },
      validations: [{ expression: "object.metadata.name != 'probe'", message: 'in force' }],
    });
    const binding = await scene.get(`${BINDINGS}/${guarded.binding}`);
    expect(binding.json.spec).toEqual({
      policyName: guarded.policy,
      validationActions: ['Deny'],
      matchResources: {
        matchPolicy: 'Equivalent',
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': guarded.space } },
        objectSelector: {},
      },
    });
  },

  'nothing is created in a namespace that is ending': async (scene) => {
    const space = await scene.namespace();
    // Something that holds the namespace, where controllers end such.
    const hold = configMap('held', {}, { finalizers: ['example.com/hold'] });
    await scene.make(`/api/v1/namespaces/${space}/configmaps`, hold);
    await scene.delete(`/api/v1/namespaces/${space}`);
    const refused = await scene.post(`/api/v1/namespaces/${space}/configmaps`, configMap('a'));
    const failure = forbidden(
      { resource: 'configmaps' },
      'a',
      `unable to create new content in namespace ${space} because it is being terminated`,
    );
    const cause = {
      reason: 'NamespaceTerminating',
      message: `namespace ${space} is being terminated`,
      field: 'metadata.namespace',
    };
    expectFailure(refused, { ...failure, details: { name: 'a', kind: 'configmaps', causes: [cause] } });
    await scene.patch(`/api/v1/namespaces/${space}/configmaps/held`, 'merge', {
      metadata: { finalizers: null },
    });
  },

  'the namespaces of the system cannot be deleted': async (scene) => {
    for (const name of ['default', 'kube-system', 'kube-public']) {
      expectFailure(
        await scene.delete(`/api/v1/namespaces/${name}?dryRun=All`),
        forbidden({ resource: 'namespaces' }, name, 'this namespace may not be deleted'),
      );
    }
  },
});
