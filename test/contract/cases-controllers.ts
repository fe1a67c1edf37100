/** What happens to objects by themselves, where controllers run. */
import { expect } from 'vitest';
import { topic } from './contract-case.ts';
import { eventually } from './eventually.ts';
import { type Loose, listOf, textOf } from './loose.ts';
import { configMap, pod } from './objects.ts';
import type { Scene } from './scene.ts';

/** An owner and what it owns. */
async function family(scene: Scene): Promise<string> {
  const path = `/api/v1/namespaces/${await scene.namespace()}/configmaps`;
  const owner = await scene.make(path, configMap('owner'));
  const reference = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: 'owner',
    uid: textOf(owner.metadata?.uid),
    blockOwnerDeletion: true,
  };
  await scene.make(path, configMap('child', {}, { ownerReferences: [reference] }));
  return path;
}

function untilGone(scene: Scene, path: string): Promise<number> {
  return eventually(`${path} is gone`, async () => {
    const { status } = await scene.get(path);
    return status === 404 ? status : undefined;
  });
}

export const controllerCases = topic(
  'controllers',
  {
    'what is owned goes after its owner': async (scene) => {
      const path = await family(scene);
      await scene.delete(`${path}/owner`);
      expect((await scene.get(`${path}/owner`)).status).toBe(404);
      await untilGone(scene, `${path}/child`);
    },

    'in the foreground what is owned goes before its owner': async (scene) => {
      const path = await family(scene);
      await scene.patch(`${path}/child`, 'merge', { metadata: { finalizers: ['example.com/hold'] } });
      await scene.delete(`${path}/owner`, { propagationPolicy: 'Foreground' });
      await eventually('the child is being deleted', async () => {
        const { json } = await scene.get(`${path}/child`);
        return json.metadata?.deletionTimestamp;
      });
      const owner = await scene.get(`${path}/owner`);
      expect(owner.json.metadata?.finalizers).toEqual(['foregroundDeletion']);
      await scene.patch(`${path}/child`, 'merge', { metadata: { finalizers: null } });
      await untilGone(scene, `${path}/owner`);
    },

    'orphans stay, without their owner': async (scene) => {
      const path = await family(scene);
      await scene.delete(`${path}/owner`, { propagationPolicy: 'Orphan' });
      await untilGone(scene, `${path}/owner`);
      const child = await scene.get(`${path}/child`);
      expect(child.status).toBe(200);
      expect(child.json.metadata).not.toHaveProperty('ownerReferences');
    },

    'what names an owner that never was goes': async (scene) => {
      const path = `/api/v1/namespaces/${await scene.namespace()}/configmaps`;
      const reference = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        name: 'none',
        uid: '00000000-0000-0000-0000-000000000000',
      };
      await scene.make(path, configMap('child', {}, { ownerReferences: [reference] }));
      await untilGone(scene, `${path}/child`);
    },

    'a namespace gets its account and the certificate of the server': async (scene) => {
      const space = scene.name('space');
      await scene.make('/api/v1/namespaces', { metadata: { name: space } });
      const account = await eventually('the account is there', async () => {
        const { status, json } = await scene.get(`/api/v1/namespaces/${space}/serviceaccounts/default`);
        return status === 200 ? json : undefined;
      });
      expect(account.metadata?.name).toBe('default');
      const bundle = await eventually('the certificate is there', async () => {
        const { status, json } = await scene.get(`/api/v1/namespaces/${space}/configmaps/kube-root-ca.crt`);
        return status === 200 ? json : undefined;
      });
      expect(bundle.data?.['ca.crt']).toMatch(/^-----BEGIN CERTIFICATE-----\n/);
    },

    'a deleted namespace takes its contents with it, and says what holds it': async (scene) => {
      const space = await scene.namespace();
      const path = `/api/v1/namespaces/${space}`;
      await scene.make(`${path}/configmaps`, configMap('free'));
      await scene.make(`${path}/configmaps`, configMap('held', {}, { finalizers: ['example.com/hold'] }));
      await scene.delete(path);
      const holding = await eventually('the namespace reports the remaining finalizers', async () => {
        const { json } = await scene.get(path);
        const conditions = json.status?.conditions === undefined ? [] : listOf(json.status.conditions);
        const condition = (wanted: string): Loose | undefined =>
          conditions.find(({ type, status }) => String(type) === wanted && String(status) === 'True');
        return condition('NamespaceFinalizersRemaining');
      });
      expect(holding).toMatchObject({
        reason: 'SomeFinalizersRemain',
        message:
          'Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
      });
      await scene.patch(`${path}/configmaps/held`, 'merge', { metadata: { finalizers: null } });
      await untilGone(scene, path);
    },

    'a disruption budget is judged': async (scene) => {
      const space = await scene.namespace();
      const pods = `/api/v1/namespaces/${space}/pods`;
      for (const name of ['a', 'b']) {
        await scene.make(pods, pod(name, { nodeName: 'somewhere' }, { labels: { app: 'x' } }));
        await scene.patch(`${pods}/${name}/status`, 'merge', {
          status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
        });
      }
      const budgets = `/apis/policy/v1/namespaces/${space}/poddisruptionbudgets`;
      await scene.make(budgets, {
        metadata: { name: 'a' },
        spec: { minAvailable: 1, selector: { matchLabels: { app: 'x' } } },
      });
      const judged = await eventually('the budget is judged', async () => {
        const { json } = await scene.get(`${budgets}/a`);
        return Number(json.status?.disruptionsAllowed) === 1 ? json : undefined;
      });
      expect(judged.status).toMatchObject({
        observedGeneration: 1,
        disruptionsAllowed: 1,
        currentHealthy: 2,
        desiredHealthy: 1,
        expectedPods: 2,
      });
      expect(listOf(judged.status?.conditions)).toMatchObject([
        { type: 'DisruptionAllowed', status: 'True', reason: 'SufficientPods', observedGeneration: 1 },
      ]);
      const body = (name: string) => ({ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } });
      expect((await scene.post(`${pods}/a/eviction`, body('a'))).status).toBe(201);
      expect((await scene.post(`${pods}/b/eviction`, body('b'))).status).toBe(429);
    },

    'cluster roles are gathered by label': async (scene) => {
      const path = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
      const [whole, part] = [scene.name('whole'), scene.name('part')];
      const rules = [{ verbs: ['get'], apiGroups: ['example.com'], resources: ['widgets'] }];
      await scene.make(path, { metadata: { name: part, labels: { part: whole } }, rules });
      await scene.make(path, {
        metadata: { name: whole },
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { part: whole } }] },
        rules: [],
      });
      const gathered = await eventually('the role is gathered', async () => {
        const { json } = await scene.get(`${path}/${whole}`);
        return Array.isArray(json.rules) && json.rules.length > 0 ? json.rules : undefined;
      });
      expect(gathered).toEqual(rules);
    },
  },
  ['controllers'],
);
