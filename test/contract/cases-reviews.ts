/** Asking the server about rights and identities. */
import { expect } from 'vitest';
import { userNamed } from './access.ts';
import { topic } from './contract-case.ts';
import { eventually } from './eventually.ts';
import { type Loose, textOf } from './loose.ts';
import { essence, normalised } from './normalised.ts';
import { node, pod } from './objects.ts';
import type { Scene } from './scene.ts';
import { expectFailure, invalid, notFound } from './statuses.ts';

const AUTHORIZATION = '/apis/authorization.k8s.io/v1';
const AUTHENTICATION = '/apis/authentication.k8s.io/v1';

/** The claims of a token. */
function claimsOf(token: string): Loose {
  // The middle part of a token is JSON.
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Loose;
}

async function tokenFor(scene: Scene, space: string, spec: object = {}): Promise<Loose> {
  const { json } = await scene.post(`/api/v1/namespaces/${space}/serviceaccounts/default/token`, { spec });
  return json;
}

async function review(scene: Scene, token: string, more: object = {}): Promise<Loose> {
  const { json } = await scene.post(`${AUTHENTICATION}/tokenreviews`, { spec: { token, ...more } });
  return json;
}

export const reviewCases = topic(
  'reviews',
  {
    'a user asks what he may do': async (scene) => {
      const user = userNamed(scene, 'alice');
      const ask = (resourceAttributes: object) =>
        scene.post(`${AUTHORIZATION}/selfsubjectaccessreviews`, { spec: { resourceAttributes } }, { user });
      const refused = await ask({ verb: 'get', resource: 'pods', namespace: 'default' });
      expect(refused.status).toBe(201);
      expect(essence(refused.json)).toEqual({
        kind: 'SelfSubjectAccessReview',
        apiVersion: 'authorization.k8s.io/v1',
        metadata: { creationTimestamp: null },
        spec: { resourceAttributes: { namespace: 'default', verb: 'get', resource: 'pods' } },
        status: { allowed: false },
      });
    },

    'the administrator may do anything, and is told why': async (scene) => {
      const { json } = await scene.post(`${AUTHORIZATION}/selfsubjectaccessreviews`, {
        spec: { resourceAttributes: { verb: '*', resource: '*', group: '*' } },
      });
      expect(json.status).toMatchObject({ allowed: true });
    },

    'a review asks for resources or for a path, not for both and not for none': async (scene) => {
      const path = `${AUTHORIZATION}/selfsubjectaccessreviews`;
      const cause = {
        reason: 'FieldValueInvalid',
        message:
          'Invalid value: "null": exactly one of nonResourceAttributes or resourceAttributes must be specified',
        field: 'spec.resourceAttributes',
      };
      // The kind is left out of the message.
      expectFailure(await scene.post(path, { spec: {} }), {
        code: 422,
        reason: 'Invalid',
        message: `.authorization.k8s.io "" is invalid: spec.resourceAttributes: ${cause.message}`,
        details: { group: 'authorization.k8s.io', causes: [cause] },
      });
    },

    'the rights of somebody else are reviewed by those who may': async (scene) => {
      const body = {
        spec: {
          user: 'alice',
          groups: ['system:masters'],
          nonResourceAttributes: { path: '/metrics', verb: 'get' },
        },
      };
      const { json } = await scene.post(`${AUTHORIZATION}/subjectaccessreviews`, body);
      expect(json.status).toEqual({ allowed: true });
      const none = await scene.post(`${AUTHORIZATION}/subjectaccessreviews`, {
        spec: { ...body.spec, groups: [] },
      });
      expect(none.json.status).toEqual({ allowed: false });
      const refused = await scene.post(`${AUTHORIZATION}/subjectaccessreviews`, body, {
        user: userNamed(scene, 'alice'),
      });
      expect(refused.status).toBe(403);
    },

    'a role shows in the reason of a review and among the rules of a user': async (scene) => {
      const space = await scene.namespace();
      const rbac = '/apis/rbac.authorization.k8s.io/v1';
      const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }];
      await scene.make(`${rbac}/namespaces/${space}/roles`, { metadata: { name: 'reader' }, rules });
      await scene.make(`${rbac}/namespaces/${space}/rolebindings`, {
        metadata: { name: 'reads' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
        subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'alice' }],
      });
      const user = userNamed(scene, 'alice');
      const attributes = { verb: 'get', resource: 'configmaps', namespace: space };
      let answer = await scene.post(
        `${AUTHORIZATION}/selfsubjectaccessreviews`,
        { spec: { resourceAttributes: attributes } },
        { user },
      );
      for (let tries = 0; tries < 100 && String(answer.json.status?.allowed) !== 'true'; tries++) {
        answer = await scene.post(
          `${AUTHORIZATION}/selfsubjectaccessreviews`,
          { spec: { resourceAttributes: attributes } },
          { user },
        );
      }
      expect(answer.json.status).toEqual({
        allowed: true,
        reason: `RBAC: allowed by RoleBinding "reads/${space}" of Role "reader" to User "alice"`,
      });
      const listed = await scene.post(
        `${AUTHORIZATION}/selfsubjectrulesreviews`,
        { spec: { namespace: space } },
        { user },
      );
      expect(listed.json.status).toMatchObject({ incomplete: false });
      expect(listed.json.status?.resourceRules).toContainEqual({
        verbs: ['get'],
        apiGroups: [''],
        resources: ['configmaps'],
      });
    },

    'a user asks who he is': async (scene) => {
      const { status, json } = await scene.post(
        `${AUTHENTICATION}/selfsubjectreviews`,
        {},
        { user: userNamed(scene, 'carol') },
      );
      expect(status).toBe(201);
      expect(normalised(json)).toEqual({
        kind: 'SelfSubjectReview',
        apiVersion: 'authentication.k8s.io/v1',
        metadata: { creationTimestamp: '<time>' },
        status: {
          userInfo: {
            username: 'carol',
            uid: 'carol-uid',
            groups: ['builders', 'auditors', 'system:authenticated'],
          },
        },
      });
    },

    'a token of a user is reviewed': async (scene) => {
      const token = scene.target.users.find(({ name }) => name === 'bob')?.token ?? '';
      const known = await review(scene, token);
      expect(known.status).toMatchObject({
        authenticated: true,
        user: { username: 'bob', uid: 'bob-uid', groups: ['builders', 'system:authenticated'] },
      });
      const unknown = await review(scene, 'nobody');
      expect(unknown.status).toEqual({
        user: {},
        error: 'invalid bearer token',
      });
    },

    'a token of an account is made for an audience and a time': async (scene) => {
      const space = await scene.namespace();
      const made = await tokenFor(scene, space, { audiences: ['vault'], expirationSeconds: 3600 });
      expect(normalised(made)).toMatchObject({
        kind: 'TokenRequest',
        apiVersion: 'authentication.k8s.io/v1',
        metadata: { name: 'default', namespace: space, creationTimestamp: '<time>' },
        spec: { audiences: ['vault'], expirationSeconds: 3600, boundObjectRef: null },
        status: { expirationTimestamp: '<time>' },
      });
      const claims = claimsOf(textOf(made.status?.token));
      expect(claims).toMatchObject({
        aud: ['vault'],
        sub: `system:serviceaccount:${space}:default`,
        'kubernetes.io': { namespace: space, serviceaccount: { name: 'default' } },
      });
      expect(Number(claims.exp) - Number(claims.iat)).toBe(3600);
      const wrong = await review(scene, textOf(made.status?.token));
      expect(wrong.status?.authenticated).toBeUndefined();
      const right = await review(scene, textOf(made.status?.token), { audiences: ['vault'] });
      expect(right.status).toMatchObject({ authenticated: true, audiences: ['vault'] });
    },

    'a token that is bound to a pod names it and ends with it': async (scene) => {
      const space = await scene.namespace();
      const made = await scene.make(`/api/v1/namespaces/${space}/pods`, pod('a'));
      const uid = textOf(made.metadata?.uid);
      const bound = { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'a', uid } };
      const token = textOf((await tokenFor(scene, space, bound)).status?.token);
      expect(claimsOf(token)['kubernetes.io']).toMatchObject({ pod: { name: 'a', uid } });
      const user = { token };
      const who = await scene.post(`${AUTHENTICATION}/selfsubjectreviews`, {}, { user });
      expect(normalised(who.json.status)).toEqual({
        userInfo: {
          username: `system:serviceaccount:${space}:default`,
          uid: '<uid>',
          groups: ['system:serviceaccounts', `system:serviceaccounts:${space}`, 'system:authenticated'],
          extra: {
            'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^JTI=[0-9a-f-]{36}$/)],
            'authentication.kubernetes.io/pod-name': ['a'],
            'authentication.kubernetes.io/pod-uid': ['<uid>'],
          },
        },
      });
      await scene.delete(`/api/v1/namespaces/${space}/pods/a`); // A server may remember for some seconds that a token was good.
      const after = await eventually('the token is refused', async () => {
        const { status } = await review(scene, token);
        return status?.authenticated === undefined ? status : undefined;
      });
      expect(after).toMatchObject({ user: {} });
    },

    'a token that is bound to a node names it': async (scene) => {
      const space = await scene.namespace();
      const name = scene.name('node');
      const made = await scene.make('/api/v1/nodes', node(name));
      const uid = textOf(made.metadata?.uid);
      const answer = await tokenFor(scene, space, {
        boundObjectRef: { kind: 'Node', apiVersion: 'v1', name, uid },
      });
      expect(claimsOf(textOf(answer.status?.token))['kubernetes.io']).toMatchObject({ node: { name, uid } });
    },

    'a token cannot be bound to what is not there': async (scene) => {
      const space = await scene.namespace();
      const path = `/api/v1/namespaces/${space}/serviceaccounts/default/token`;
      const spec = { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'none' } };
      expectFailure(await scene.post(path, { spec }), notFound({ resource: 'pods' }, 'none'));
      const short = await scene.post(path, { spec: { expirationSeconds: 60 } });
      expectFailure(
        short,
        invalid(
          { kind: 'TokenRequest', group: 'authentication.k8s.io', name: '' },
          {
            reason: 'FieldValueInvalid',
            message: 'Invalid value: 60: may not specify a duration less than 10 minutes',
            field: 'spec.expirationSeconds',
          },
        ),
      );
    },
  },
  ['users'],
);
