/** Who may do what: authentication and roles. */
import { expect } from 'vitest';
import { userNamed } from './access.ts';
import { topic } from './contract-case.ts';
import { eventually } from './eventually.ts';
import type { Answer } from './http-client.ts';
import { configMap, type Fields, pod } from './objects.ts';
import type { Scene } from './scene.ts';
import { causesOf, expectFailure, forbidden } from './statuses.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';

type Grant = {
  readonly user: string;
  readonly rules: readonly Fields[];
  readonly space?: string;
  readonly group?: string;
};

/** Gives rights in one namespace, or in all. */
async function grant(scene: Scene, { user, rules, space, group }: Grant): Promise<void> {
  const name = scene.name('role');
  const [roles, bindings, kind] =
    space === undefined
      ? [`${RBAC}/clusterroles`, `${RBAC}/clusterrolebindings`, 'ClusterRole']
      : [`${RBAC}/namespaces/${space}/roles`, `${RBAC}/namespaces/${space}/rolebindings`, 'Role'];
  await scene.make(roles, { metadata: { name }, rules });
  const subject = group === undefined ? { kind: 'User', name: user } : { kind: 'Group', name: group };
  await scene.make(bindings, {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', ...subject }],
  });
}

/** Rights hold a moment after they were given. */
function allowed(ask: () => Promise<Answer>): Promise<Answer> {
  return eventually('it is allowed', async () => {
    const answer = await ask();
    return answer.status === 403 ? undefined : answer;
  });
}

export const anonymousCases = topic('anonymous access', {
  'whoever gives no credentials is anonymous and has no rights': async (scene) => {
    const user = { anonymous: true } as const;
    expectFailure(
      await scene.get('/api/v1/namespaces/default/pods/a', { user }),
      forbidden(
        { resource: 'pods' },
        'a',
        'User "system:anonymous" cannot get resource "pods" in API group "" in the namespace "default"',
      ),
    );
    expectFailure(await scene.get('/metrics', { user }), {
      code: 403,
      reason: 'Forbidden',
      message: 'forbidden: User "system:anonymous" cannot get path "/metrics"',
      details: {},
    });
  },

  'health and version are for everybody': async (scene) => {
    const user = { anonymous: true } as const;
    for (const path of ['/healthz', '/livez', '/readyz']) {
      const answer = await scene.get(path, { user });
      expect([answer.status, answer.body]).toEqual([200, 'ok']);
    }
    expect((await scene.get('/version', { user })).status).toBe(200);
    expect((await scene.get('/api', { user })).status).toBe(403);
  },

  'credentials that nobody knows are refused': async (scene) => {
    const answer = await scene.get('/api/v1/namespaces', { user: { token: 'nobody' } });
    expectFailure(answer, { code: 401, reason: 'Unauthorized', message: 'Unauthorized' });
  },
});

export const accessCases = topic(
  'access',
  {
    'a user without rights is told what is missing': async (scene) => {
      const user = userNamed(scene, 'alice');
      const table: readonly [Answer, string][] = [
        [
          await scene.get('/api/v1/namespaces/default/configmaps', { user }),
          'configmaps is forbidden: User "alice" cannot list resource "configmaps" in API group "" in the namespace "default"',
        ],
        [
          await scene.get('/api/v1/nodes/x', { user }),
          'nodes "x" is forbidden: User "alice" cannot get resource "nodes" in API group "" at the cluster scope',
        ],
        [
          await scene.post('/api/v1/namespaces/default/configmaps', configMap('a'), { user }),
          'configmaps is forbidden: User "alice" cannot create resource "configmaps" in API group "" in the namespace "default"',
        ],
        [
          await scene.delete('/apis/apps/v1/namespaces/default/deployments/a', undefined, { user }),
          'deployments.apps "a" is forbidden: User "alice" cannot delete resource "deployments" in API group "apps" in the namespace "default"',
        ],
        [
          await scene.patch('/api/v1/nodes/x/status', 'merge', {}, { user }),
          'nodes "x" is forbidden: User "alice" cannot patch resource "nodes/status" in API group "" at the cluster scope',
        ],
        [
          await scene.get('/api/v1/secrets?watch=true', { user }),
          'secrets is forbidden: User "alice" cannot watch resource "secrets" in API group "" at the cluster scope',
        ],
        [
          await scene.delete('/api/v1/namespaces/default/pods', undefined, { user }),
          'pods is forbidden: User "alice" cannot deletecollection resource "pods" in API group "" in the namespace "default"',
        ],
      ];
      for (const [answer, message] of table) {
        expect([answer.status, answer.json.reason, answer.json.message]).toEqual([403, 'Forbidden', message]);
      }
    },

    'the details of a refusal name the resource': async (scene) => {
      const user = userNamed(scene, 'alice');
      expectFailure(
        await scene.get('/apis/apps/v1/namespaces/default/deployments/a', { user }),
        forbidden(
          { resource: 'deployments', group: 'apps' },
          'a',
          'User "alice" cannot get resource "deployments" in API group "apps" in the namespace "default"',
        ),
      );
    },

    'any user may discover': async (scene) => {
      const user = userNamed(scene, 'alice');
      for (const path of ['/api', '/apis', '/api/v1', '/version', '/openapi/v3', '/healthz']) {
        expect([path, (await scene.get(path, { user })).status]).toEqual([path, 200]);
      }
      expectFailure(await scene.get('/metrics', { user }), {
        code: 403,
        reason: 'Forbidden',
        message: 'forbidden: User "alice" cannot get path "/metrics"',
        details: {},
      });
    },
    'every server comes with the same first roles': async (scene) => {
      const admin = await scene.get(`${RBAC}/clusterroles/cluster-admin`);
      expect(admin.json).toMatchObject({
        metadata: {
          labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' },
          annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
        },
        rules: [
          { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
          { verbs: ['*'], nonResourceURLs: ['*'] },
        ],
      });
      for (const name of [
        'admin',
        'edit',
        'view',
        'system:basic-user',
        'system:discovery',
        'system:public-info-viewer',
      ]) {
        expect([name, (await scene.get(`${RBAC}/clusterroles/${name}`)).status]).toEqual([name, 200]);
      }
    },

    'a role gives rights in its namespace': async (scene) => {
      const [space, other] = [await scene.namespace(), await scene.namespace()];
      const user = userNamed(scene, 'alice');
      await grant(scene, {
        user: 'alice',
        space,
        rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'create'] }],
      });
      const list = await allowed(() => scene.get(`/api/v1/namespaces/${space}/configmaps`, { user }));
      expect(list.status).toBe(200);
      expect(
        (await scene.post(`/api/v1/namespaces/${space}/configmaps`, configMap('a'), { user })).status,
      ).toBe(201);
      expect(
        (await scene.delete(`/api/v1/namespaces/${space}/configmaps/a`, undefined, { user })).status,
      ).toBe(403);
      expect((await scene.get(`/api/v1/namespaces/${other}/configmaps`, { user })).status).toBe(403);
      expect((await scene.get('/api/v1/configmaps', { user })).status).toBe(403);
    },

    'a cluster role that is bound to a group gives rights to its members': async (scene) => {
      const group = 'auditors';
      await grant(scene, {
        user: '',
        group,
        rules: [{ apiGroups: ['apps'], resources: ['*'], verbs: ['list'] }],
      });
      const answer = await allowed(() =>
        scene.get('/apis/apps/v1/daemonsets', { user: userNamed(scene, 'carol') }),
      );
      expect(answer.status).toBe(200);
      expect((await scene.get('/apis/apps/v1/daemonsets', { user: userNamed(scene, 'bob') })).status).toBe(
        403,
      );
    },

    'names of resources limit a rule': async (scene) => {
      const space = await scene.namespace();
      const user = userNamed(scene, 'alice');
      const path = `/api/v1/namespaces/${space}/configmaps`;
      await scene.make(path, configMap('mine'));
      await grant(scene, {
        user: 'alice',
        space,
        rules: [
          {
            apiGroups: [''],
            resources: ['configmaps'],
            resourceNames: ['mine'],
            verbs: ['get', 'list', 'update', 'create'],
          },
        ],
      });
      expect((await allowed(() => scene.get(`${path}/mine`, { user }))).status).toBe(200);
      expect((await scene.get(`${path}/other`, { user })).status).toBe(403);
      expect((await scene.get(path, { user })).status).toBe(403);
      expect((await scene.get(`${path}?fieldSelector=metadata.name=mine`, { user })).status).toBe(200);
      expect((await scene.post(path, configMap('mine'), { user })).status).toBe(403);
    },

    'subresources have rights of their own': async (scene) => {
      const space = await scene.namespace();
      const user = userNamed(scene, 'alice');
      const path = `/api/v1/namespaces/${space}/pods`;
      await scene.make(path, pod('a'));
      await grant(scene, {
        user: 'alice',
        space,
        rules: [{ apiGroups: [''], resources: ['pods/status'], verbs: ['get', 'patch'] }],
      });
      expect((await allowed(() => scene.get(`${path}/a/status`, { user }))).status).toBe(200);
      expect((await scene.get(`${path}/a`, { user })).status).toBe(403);
      expect((await scene.get(`${path}/a/log`, { user })).status).toBe(403);
    },

    'paths that are no resources have rights of their own': async (scene) => {
      const user = userNamed(scene, 'bob');
      await grant(scene, {
        user: 'bob',
        rules: [{ nonResourceURLs: ['/metrics', '/debug/*'], verbs: ['get'] }],
      });
      expect((await allowed(() => scene.get('/metrics', { user }))).status).toBe(200);
      expect((await scene.get('/logs', { user })).status).toBe(403);
      expect((await scene.get('/debug/none', { user })).status).toBe(404);
    },

    'nobody gives rights that he has not got': async (scene) => {
      const space = await scene.namespace();
      const user = userNamed(scene, 'bob');
      await grant(scene, {
        user: 'bob',
        space,
        rules: [
          {
            apiGroups: ['rbac.authorization.k8s.io'],
            resources: ['roles'],
            verbs: ['get', 'list', 'create'],
          },
        ],
      });
      const roles = `${RBAC}/namespaces/${space}/roles`;
      const body = {
        metadata: { name: 'more' },
        rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }],
      };
      await allowed(() => scene.get(roles, { user }));
      expectFailure(
        await scene.post(roles, body, { user }),
        forbidden(
          { resource: 'roles', group: 'rbac.authorization.k8s.io' },
          'more',
          'user "bob" (groups=["builders" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}',
        ),
      );
    },

    'the role of a binding cannot be changed': async (scene) => {
      const space = await scene.namespace();
      await grant(scene, { user: 'alice', space, rules: [] });
      const { json } = await scene.get(`${RBAC}/namespaces/${space}/rolebindings`);
      const name = String(json.items?.[0]?.metadata?.name);
      const path = `${RBAC}/namespaces/${space}/rolebindings/${name}`;
      const refused = await scene.patch(path, 'merge', { roleRef: { name: 'other' } });
      expect(causesOf(refused, { kind: 'RoleBinding', group: 'rbac.authorization.k8s.io', name })).toEqual([
        'roleRef FieldValueInvalid: Invalid value: rbac.RoleRef{APIGroup:"rbac.authorization.k8s.io", Kind:"Role", Name:"other"}: cannot change roleRef',
      ]);
    },

    'whoever may may act as somebody else': async (scene) => {
      const headers = { 'Impersonate-User': 'dave', 'Impersonate-Group': 'painters' };
      const who = await scene.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, { headers });
      expect(who.json.status).toEqual({
        userInfo: { username: 'dave', groups: ['painters', 'system:authenticated'] },
      });
      const user = userNamed(scene, 'alice');
      expectFailure(
        await scene.get('/api/v1/namespaces', { user, headers: { 'Impersonate-User': 'dave' } }),
        forbidden(
          { resource: 'users' },
          'dave',
          'User "alice" cannot impersonate resource "users" in API group "" at the cluster scope',
        ),
      );
    },
  },
  ['users'],
);
