/**
 * The contract of `Kube` and `Caches`, over any transport, against a server with authorization and validation.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { machineConfigPool } from '../../src/api/index.ts';
import { systemClock, systemRandom } from '../../src/base/env.ts';
import {
  type AnyObject,
  type Caches,
  createCaches,
  createEventRecorder,
  createKube,
  type Kube,
  KubeError,
  type ResourceOf,
  runAsLeader,
  type Transport,
} from '../../src/kubernetes/client/index.ts';
import {
  configMap,
  type Event,
  event,
  lease,
  namespace,
  node,
  type Pod,
  pod,
  podDisruptionBudget,
  serviceAccount,
} from '../../src/kubernetes/types/index.ts';
import { virtualEnv } from '../support/virtual-env.ts';
import { cuttable } from './cuttable.ts';
import { eventually } from './eventually.ts';

export type KubeTarget = {
  /** Of a user with all permissions. */
  readonly transport: Transport;
  /** Of a user without permissions. */
  readonly stranger: Transport;
  /** Compacts the history to the newest version. Absent where a test cannot do that. */
  readonly expireHistory?: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

const SPACE = 'kube-contract';

export function runKubeContract(name: string, start: () => Promise<KubeTarget>): void {
  describe(`the client ${name}`, () => {
    const stopping = new AbortController();
    const env = { ...virtualEnv(), clock: systemClock, random: systemRandom, signal: stopping.signal };
    let target: KubeTarget;
    let kube: Kube;
    let caches: Caches & { stop(): Promise<void> };

    beforeAll(async () => {
      target = await start();
      // No client-side rate limit.
      const limits = { rate: { perSecond: 100_000, burst: 100_000 } };
      kube = createKube({ transport: target.transport, env, fieldManager: 'contract', limits });
      caches = createCaches({ transport: target.transport, env });
      await kube.create(namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: SPACE } });
      // On a real cluster a controller creates it, with a delay.
      const metadata = { name: 'default', namespace: SPACE };
      await kube.apply(serviceAccount, { metadata });
    });
    afterAll(async () => {
      stopping.abort();
      await caches.stop();
      await target.stop();
    });

    const aMap = (mapName: string, data: { readonly [key: string]: string } = { a: '1' }) => ({
      ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: mapName, namespace: SPACE }, data },
    });
    const place = (objectName: string) => ({ namespace: SPACE, name: objectName });

    describe('get', () => {
      it('returns undefined for missing objects, namespaced or cluster-scoped', async () => {
        expect(await kube.get(configMap, place('absent'))).toBeUndefined();
        expect(await kube.get(configMap, { namespace: 'no-such', name: 'absent' })).toBeUndefined();
        expect(await kube.get(node, { name: 'absent' })).toBeUndefined();
      });

      it('rejects resources that the server does not serve', async () => {
        const unserved = { ...machineConfigPool, group: 'no-such.example.com' } as ResourceOf<AnyObject>;
        await expect(kube.get(unserved, { name: 'x' })).rejects.toMatchObject({ code: 404, kind: 'stalled' });
        await expect(kube.list(unserved)).rejects.toMatchObject({ code: 404, reason: 'NotFound' });
      });

      it('rejects names that would change the path, without sending a request', async () => {
        for (const bad of ['', '.', '..', 'a/b', 'a%20b']) {
          await expect(kube.get(node, { name: bad })).rejects.toMatchObject({ reason: 'InvalidName' });
          await expect(kube.delete(node, { name: bad })).rejects.toMatchObject({ reason: 'InvalidName' });
        }
      });

      it('escapes unusual names', async () => {
        expect(await kube.get(configMap, place('a b?c=d&e#f'))).toBeUndefined();
      });
    });

    describe('writes', () => {
      it('create, read back, replace, patch in three formats, delete', async () => {
        const created = await kube.create(configMap, aMap('life'));
        expect(created.metadata.uid).toMatch(/-/);
        expect(await kube.get(configMap, place('life'))).toEqual(created);
        const replaced = await kube.update(configMap, { ...created, data: { a: '2', b: 'x' } });
        expect(replaced.data).toEqual({ a: '2', b: 'x' });
        const merge = { type: 'merge', body: { data: { b: null, c: '3' } } } as const;
        expect((await kube.patch(configMap, place('life'), merge)).data).toEqual({ a: '2', c: '3' });
        const strategic = { type: 'strategic', body: { data: { d: '4' } } } as const;
        expect((await kube.patch(configMap, place('life'), strategic)).data).toEqual({
          a: '2',
          c: '3',
          d: '4',
        });
        const json = { type: 'json', body: [{ op: 'remove', path: '/data/d' }] } as const;
        expect((await kube.patch(configMap, place('life'), json)).data).toEqual({ a: '2', c: '3' });
        expect(await kube.delete(configMap, place('life'))).toBe(true);
        expect(await kube.delete(configMap, place('life'))).toBe(false);
      });

      it('own their fields as the field manager of the client, or the given one', async () => {
        const managers = (object: AnyObject) =>
          (object.metadata.managedFields ?? []).map((one) => (one as { readonly manager: string }).manager);
        expect(managers(await kube.create(configMap, aMap('owned')))).toEqual(['contract']);
        const patch = { type: 'merge', body: { data: { z: '1' } } } as const;
        const patched = await kube.patch(configMap, place('owned'), patch, { fieldManager: 'other' });
        expect(managers(patched)).toEqual(['contract', 'other']);
      });

      it('apply, and force ownership of the fields of other managers', async () => {
        await kube.create(configMap, aMap('applied', { a: 'theirs' }), { fieldManager: 'another' });
        const applied = await kube.apply(configMap, {
          metadata: place('applied'),
          data: { a: 'ours' },
        } as AnyObject);
        expect(applied).toMatchObject({ data: { a: 'ours' } });
        const fresh = await kube.apply(configMap, {
          metadata: place('fresh'),
          data: { a: '1' },
        } as AnyObject);
        expect(fresh.metadata.uid).toMatch(/-/);
      });

      it('change only the status through the status subresource', async () => {
        const made = await kube.create(node, {
          apiVersion: 'v1',
          kind: 'Node',
          metadata: { name: 'with-status' },
        } as never);
        const patch = {
          type: 'merge',
          body: { status: { phase: 'Running' }, spec: { unschedulable: true } },
        } as const;
        const patched = await kube.patch(node, { name: 'with-status' }, patch, { subresource: 'status' });
        expect([patched.status?.phase, patched.spec?.unschedulable]).toEqual(['Running', undefined]);
        await kube.delete(node, { name: made.metadata.name });
      });

      it('fail with a conflict for stale objects', async () => {
        const created = await kube.create(configMap, aMap('stale'));
        await kube.update(configMap, { ...created, data: { a: '2' } });
        const late = kube.update(configMap, { ...created, data: { a: '3' } });
        await expect(late).rejects.toBeInstanceOf(KubeError);
        await expect(late).rejects.toMatchObject({ code: 409, reason: 'Conflict', kind: 'transient' });
        const again = kube.create(configMap, aMap('stale'));
        await expect(again).rejects.toMatchObject({ code: 409, reason: 'AlreadyExists', kind: 'stalled' });
      });

      it('fail with all causes for invalid objects', async () => {
        const wrong = kube.create(configMap, aMap('wrong', { 'not a key': '1' }));
        await expect(wrong).rejects.toMatchObject({ code: 422, reason: 'Invalid', kind: 'stalled' });
        const error: unknown = await wrong.catch((thrown: unknown) => thrown);
        const causes = error instanceof KubeError ? error.details.causes : [];
        expect(causes?.[0]).toMatchObject({ reason: 'FieldValueInvalid', field: 'data[not a key]' });
      });

      it('delete only the object with the given UID', async () => {
        const created = await kube.create(configMap, aMap('meant'));
        expect(await kube.delete(configMap, place('meant'), { uid: 'another' })).toBe(false);
        expect(await kube.get(configMap, place('meant'))).toBeDefined();
        expect(await kube.delete(configMap, place('meant'), { uid: created.metadata.uid ?? '' })).toBe(true);
      });

      it('are forbidden to users without permissions', async () => {
        const stranger = createKube({ transport: target.stranger, env, fieldManager: 'stranger' });
        await expect(stranger.get(node, { name: 'x' })).rejects.toMatchObject({
          code: 403,
          reason: 'Forbidden',
        });
        await expect(stranger.create(configMap, aMap('no'))).rejects.toMatchObject({
          code: 403,
          kind: 'stalled',
        });
      });
    });

    describe('list', () => {
      it('returns all objects of many pages, with kind and apiVersion', async () => {
        const count = 1_050;
        const names = Array.from({ length: count }, (_, index) => `many-${String(index).padStart(4, '0')}`);
        for (let at = 0; at < count; at += 30) {
          const batch = names.slice(at, at + 30);
          await Promise.all(
            batch.map((one) =>
              kube.create(configMap, { ...aMap(one), metadata: { ...place(one), labels: { many: '' } } }),
            ),
          );
        }
        const { items, resourceVersion } = await kube.list(configMap, {
          namespace: SPACE,
          labelSelector: 'many',
        });
        expect(items.map(({ metadata }) => metadata.name).sort()).toEqual(names);
        expect(items[0]).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
        expect(Number(resourceVersion)).toBeGreaterThan(0);
      });

      it('returns only the selected objects', async () => {
        await kube.create(configMap, {
          ...aMap('chosen'),
          metadata: { ...place('chosen'), labels: { x: 'y' } },
        });
        const byLabel = await kube.list(configMap, { labelSelector: 'x in (y,z)' });
        expect(byLabel.items.map(({ metadata }) => metadata.name)).toEqual(['chosen']);
        const byField = await kube.list(configMap, {
          namespace: SPACE,
          fieldSelector: 'metadata.name=chosen',
        });
        expect(byField.items).toHaveLength(1);
        expect((await kube.list(configMap, { namespace: 'no-such' })).items).toEqual([]);
      });
    });

    describe('evict', () => {
      const aPod = (podName: string, labels: { readonly [key: string]: string } = {}) =>
        ({
          ...{ apiVersion: 'v1', kind: 'Pod', metadata: { ...place(podName), labels } },
          spec: { nodeName: 'somewhere', containers: [{ name: 'c', image: 'i' }] },
        }) as unknown as Pod;

      it('evicts a pod, and reports a missing one as gone', async () => {
        expect(await kube.evict(place('absent'))).toEqual({ kind: 'gone' });
        await kube.create(pod, aPod('free'));
        expect(await kube.evict(place('free'), { gracePeriodSeconds: 0 })).toEqual({ kind: 'accepted' });
        expect(await kube.evict(place('free'))).toEqual({ kind: 'gone' });
      });

      it('reports a pod as gone when another has its name', async () => {
        const { uid = '' } = (await kube.create(pod, aPod('again'))).metadata;
        await kube.delete(pod, place('again'), { gracePeriodSeconds: 0 });
        await kube.create(pod, aPod('again'));
        expect(await kube.evict(place('again'), { uid })).toEqual({ kind: 'gone' });
        const later = await kube.get(pod, place('again'));
        expect(later?.metadata.deletionTimestamp).toBeUndefined();
        const options = { uid: later?.metadata.uid ?? '', gracePeriodSeconds: 0 };
        expect(await kube.evict(place('again'), options)).toEqual({ kind: 'accepted' });
        expect(await kube.get(pod, place('again'))).toBeUndefined();
      });

      it('returns the budget that refuses, at once', async () => {
        await kube.create(podDisruptionBudget, {
          ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: place('tight') },
          spec: { minAvailable: 1, selector: { matchLabels: { app: 'guarded' } } },
        } as never);
        await kube.create(pod, aPod('guarded', { app: 'guarded' }));
        const ready = { type: 'Ready', status: 'True', lastTransitionTime: null, lastProbeTime: null };
        const running = {
          type: 'merge',
          body: { status: { phase: 'Running', conditions: [ready] } },
        } as const;
        await kube.patch(pod, place('guarded'), running, { subresource: 'status' });
        const refused = await kube.evict(place('guarded'));
        expect(refused).toMatchObject({ kind: 'refused' });
        const { message = '', retryAfterMs = 0 } = refused.kind === 'refused' ? refused : {};
        expect(message).toMatch(/^Cannot evict pod as it would violate the pod's disruption budget\./);
        expect(message).toContain('tight');
        expect(retryAfterMs).toBeGreaterThan(0);
      });
    });

    describe('a cache', () => {
      it('holds the existing objects and follows changes', async () => {
        await kube.create(configMap, aMap('cached-1'));
        const cache = caches.of(configMap, {
          namespace: SPACE,
          indexes: { byA: ({ data = {} }) => [data.a ?? ''] },
        });
        await cache.synced;
        expect(cache.get(place('cached-1'))?.data).toEqual({ a: '1' });
        await kube.create(configMap, aMap('cached-2', { a: 'special' }));
        await eventually(() => cache.by('byA', 'special').length === 1);
        await kube.patch(configMap, place('cached-2'), { type: 'merge', body: { data: { a: 'changed' } } });
        await eventually(() => cache.get(place('cached-2'))?.data?.a === 'changed');
        expect(cache.by('byA', 'special')).toEqual([]);
        await kube.delete(configMap, place('cached-2'));
        await eventually(() => cache.get(place('cached-2')) === undefined);
        const live = await kube.list(configMap, { namespace: SPACE });
        expect([...cache.all()].map(({ metadata }) => metadata.resourceVersion).sort()).toEqual(
          live.items.map(({ metadata }) => metadata.resourceVersion).sort(),
        );
      });

      it('of one object follows only that object', async () => {
        await kube.create(configMap, aMap('single'));
        const cache = caches.of(configMap, { namespace: SPACE, fieldSelector: 'metadata.name=single' });
        await cache.synced;
        expect([...cache.all()].map(({ metadata }) => metadata.name)).toEqual(['single']);
        await kube.patch(configMap, place('single'), { type: 'merge', body: { data: { a: '9' } } });
        await eventually(() => cache.get(place('single'))?.data?.a === '9');
      });
    });

    describe('a cache whose connection is cut', () => {
      it('resumes at its resource version, or relists when that is gone', async () => {
        const cut = cuttable(target.transport);
        const settings = { retry: { baseMs: 50, factor: 2, capMs: 200, jitter: 0 } };
        const own = createCaches({ transport: cut.transport, env, settings });
        const cache = own.of(configMap, { namespace: SPACE });
        await cache.synced;
        for (const round of ['1', '2', '3']) {
          const name = `cut-${round}`;
          cut.hold();
          await kube.create(configMap, aMap(name));
          await kube.delete(configMap, place(`cut-${Number(round) - 1}`));
          if (round === '3') await target.expireHistory?.();
          expect(cache.get(place(name))).toBeUndefined();
          cut.release();
          await eventually(() => cache.get(place(name)) !== undefined);
          await eventually(() => cache.get(place(`cut-${Number(round) - 1}`)) === undefined);
        }
        await own.stop();
      });
    });

    describe('events', () => {
      it('are in the namespace of their object, else in that of the operator, and are counted', async () => {
        await kube.create(namespace, {
          ...{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'openshift-machine-config-operator' } },
        });
        const events = createEventRecorder({
          namespace: 'openshift-machine-config-operator',
          kube,
          env,
          component: 'machineconfigcontroller-nodecontroller',
        });
        const aNode = { apiVersion: 'v1', kind: 'Node', name: 'worker-0', uid: 'u-1' };
        events.normal(aNode, 'Cordon', 'Cordoned node to apply update');
        events.warning({ apiVersion: 'v1', kind: 'Pod', ...place('p') }, 'Odd', 'Something is odd');
        await events.flush(10_000);
        events.normal(aNode, 'Cordon', 'Cordoned node to apply update');
        await events.flush(10_000);
        const found = await kube.list(event, { fieldSelector: 'involvedObject.name=worker-0' });
        expect(found.items).toHaveLength(1);
        const [first] = found.items as readonly Event[];
        expect(first).toMatchObject({
          metadata: { namespace: 'openshift-machine-config-operator' },
          ...{ type: 'Normal', reason: 'Cordon', message: 'Cordoned node to apply update', count: 2 },
          source: { component: 'machineconfigcontroller-nodecontroller' },
          reportingComponent: 'machineconfigcontroller-nodecontroller',
        });
        const odd = await kube.list(event, { namespace: SPACE });
        expect(odd.items.map(({ reason, type }) => `${type} ${reason}`)).toEqual(['Warning Odd']);
      });
    });

    describe('leaders', () => {
      it('take turns: the second leads after the first has released the lease', async () => {
        const order: string[] = [];
        const place1 = { namespace: SPACE, name: 'leader' };
        const settings = { durationMs: 3_000, renewMs: 2_000, retryMs: 100 };
        const candidate = (identity: string, onLead: () => void) => {
          const stop = new AbortController();
          const run = runAsLeader(
            { kube, env: { ...env, signal: stop.signal }, lease: place1, identity, settings },
            async ({ env: { signal } }) => {
              order.push(`${identity} begins`);
              onLead();
              await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
              order.push(`${identity} ends`);
            },
          );
          return { run, stop: () => stop.abort() };
        };
        let secondLeads = false;
        const first = candidate('first', () => undefined);
        await eventually(() => order.length === 1);
        const second = candidate('second', () => {
          secondLeads = true;
        });
        await eventually(async () => (await kube.get(lease, place1))?.spec?.holderIdentity === 'first');
        first.stop();
        await first.run;
        await eventually(() => secondLeads);
        expect((await kube.get(lease, place1))?.spec).toMatchObject({
          holderIdentity: 'second',
          leaseTransitions: 1,
        });
        second.stop();
        await second.run;
        expect(order).toEqual(['first begins', 'first ends', 'second begins', 'second ends']);
        expect((await kube.get(lease, place1))?.spec?.holderIdentity).toBeUndefined();
      });
    });
  });
}
