/** Deleting what is being deleted, and how long pods are given. */
import { expect } from 'vitest';
import { topic } from './contract-case.ts';
import { type Loose, textOf } from './loose.ts';
import { configMap, pod } from './objects.ts';
import type { Scene } from './scene.ts';
import { expectFailure, invalid } from './statuses.ts';

type Policy = 'Foreground' | 'Background' | 'Orphan' | undefined;

const optionsOf = (propagationPolicy: Policy) =>
  propagationPolicy === undefined ? {} : { propagationPolicy };

/** The finalizers that are left after an object was deleted in one way and then in another; undefined: it is gone. */
async function leftAfter(
  scene: Scene,
  path: string,
  { metadata, first, second }: { metadata: object; first: Policy; second: Policy },
): Promise<Loose | undefined> {
  const name = scene.name();
  await scene.make(path, configMap(name, {}, { ...metadata }));
  await scene.delete(`${path}/${name}`, optionsOf(first));
  await scene.delete(`${path}/${name}`, optionsOf(second));
  const { json } = await scene.get(`${path}/${name}`);
  await scene.patch(`${path}/${name}`, 'merge', { metadata: { finalizers: null } });
  return json.kind === undefined || String(json.kind) === 'Status' ? undefined : json.metadata?.finalizers;
}

const HOLD = 'example.com/hold';

export const deleteAgainCases = topic('delete again', {
  'a second deletion may treat the dependents in another way': async (scene) => {
    const path = `/api/v1/namespaces/${await scene.namespace()}/configmaps`;
    const table: readonly (readonly [Policy, Policy, readonly string[] | undefined])[] = [
      ['Foreground', undefined, ['foregroundDeletion']],
      ['Foreground', 'Background', undefined],
      ['Foreground', 'Orphan', ['orphan']],
      ['Orphan', undefined, ['orphan']],
      ['Orphan', 'Foreground', ['foregroundDeletion']],
      ['Orphan', 'Background', undefined],
    ];
    for (const [first, second, left] of table) {
      expect(await leftAfter(scene, path, { metadata: {}, first, second })).toEqual(left);
    }
  },

  'a second deletion leaves the finalizers of others alone': async (scene) => {
    const path = `/api/v1/namespaces/${await scene.namespace()}/configmaps`;
    const metadata = { finalizers: [HOLD] };
    const table: readonly (readonly [Policy, Policy, readonly string[]])[] = [
      [undefined, 'Foreground', [HOLD, 'foregroundDeletion']],
      [undefined, 'Orphan', [HOLD, 'orphan']],
      ['Foreground', 'Background', [HOLD]],
      ['Orphan', 'Foreground', [HOLD, 'foregroundDeletion']],
      ['Background', 'Background', [HOLD]],
    ];
    for (const [first, second, left] of table) {
      expect(await leftAfter(scene, path, { metadata, first, second })).toEqual(left);
    }
  },

  'a pod that is being deleted is left alone, unless it is given less time': async (scene) => {
    const path = `/api/v1/namespaces/${await scene.namespace()}/pods`;
    const made = await scene.make(path, pod('a', { nodeName: 'somewhere' }));
    const remove = (options: object) => scene.delete(`${path}/a`, options);
    const graceAfter = async (options: object) =>
      (await remove(options)).json.metadata?.deletionGracePeriodSeconds;
    expect(await graceAfter({ gracePeriodSeconds: 20 })).toBe(20);
    const marked = await scene.get(`${path}/a`);
    expect(await graceAfter({ gracePeriodSeconds: 30 })).toBe(20);
    expect((await remove({ propagationPolicy: 'Foreground' })).json).toEqual(marked.json);
    const sooner = await remove({ gracePeriodSeconds: 5 });
    expect(sooner.json.metadata).toMatchObject({ deletionGracePeriodSeconds: 5, generation: 2 });
    const timeOf = ({ json }: { json: Loose }) => Date.parse(textOf(json.metadata?.deletionTimestamp));
    expect(timeOf(marked) - timeOf(sooner)).toBe(15_000);
    expect(made.metadata?.generation).toBe(1);
    expect(await graceAfter({ gracePeriodSeconds: 0 })).toBe(0);
    expect((await scene.get(`${path}/a`)).status).toBe(404);
  },

  'a time that is over before it began is a second': async (scene) => {
    const path = `/api/v1/namespaces/${await scene.namespace()}/pods`;
    for (const [name, seconds] of [
      ['a', -1],
      ['b', -5],
    ] as const) {
      await scene.make(path, pod(name, { nodeName: 'somewhere' }));
      const removed = await scene.delete(`${path}/${name}?gracePeriodSeconds=${seconds}`);
      expect(removed.json.metadata).toMatchObject({ deletionGracePeriodSeconds: 1 });
      expect((await scene.get(`${path}/${name}`)).status).toBe(200);
      await scene.delete(`${path}/${name}`, { gracePeriodSeconds: 0 });
    }
  },

  'a namespace keeps the way in which it was deleted first': async (scene) => {
    const name = scene.name();
    await scene.make('/api/v1/namespaces', { metadata: { name } });
    const path = `/api/v1/namespaces/${name}`;
    const removed = await scene.delete(path, { propagationPolicy: 'Foreground' });
    expect(removed.json.metadata).toMatchObject({ finalizers: ['foregroundDeletion'] });
    const again = await scene.delete(path, { propagationPolicy: 'Orphan' });
    expect(again.json.metadata).toMatchObject({ finalizers: ['foregroundDeletion'] });
    await scene.patch(path, 'merge', { metadata: { finalizers: null } });
  },

  'what is being deleted cannot be made': async (scene) => {
    const path = `/api/v1/namespaces/${await scene.namespace()}/configmaps`;
    await scene.make(path, configMap('a', {}, { finalizers: [HOLD] }));
    await scene.delete(`${path}/a`);
    expectFailure(await scene.post(path, configMap('a')), {
      code: 409,
      reason: 'AlreadyExists',
      message: 'object is being deleted: configmaps "a" already exists',
      details: { name: 'a', kind: 'configmaps' },
    });
    await scene.patch(`${path}/a`, 'merge', { metadata: { finalizers: null } });
  },

  'nobody but a deletion says that an object is being deleted, or how soon': async (scene) => {
    const path = `/api/v1/namespaces/${await scene.namespace()}/configmaps`;
    await scene.make(path, configMap('a', {}, { finalizers: [HOLD] }));
    const change = (metadata: object) => scene.patch(`${path}/a`, 'merge', { metadata });
    const refused = (field: string, value: string) => {
      const cause = {
        reason: 'FieldValueInvalid',
        message: `Invalid value: ${value}: field is immutable`,
        field: `metadata.${field}`,
      };
      const failure = invalid({ kind: 'ConfigMap', name: 'a' }, cause);
      // Found twice: once in the message, twice in the causes.
      return { ...failure, details: { name: 'a', kind: 'ConfigMap', causes: [cause, cause] } };
    };
    const time = '2030-01-01T00:00:00Z';
    const timeRefused = refused('deletionTimestamp', '2030-01-01 00:00:00 +0000 UTC');
    expectFailure(await change({ deletionTimestamp: time }), timeRefused);
    const graceRefused = refused('deletionGracePeriodSeconds', '7');
    expectFailure(await change({ deletionGracePeriodSeconds: 7 }), graceRefused);
    const removed = await scene.delete(`${path}/a`);
    expectFailure(await change({ deletionGracePeriodSeconds: 7 }), graceRefused);
    for (const metadata of [
      { deletionTimestamp: time },
      { deletionTimestamp: null, deletionGracePeriodSeconds: null },
    ]) {
      const { json } = await change(metadata);
      expect(json.metadata?.deletionTimestamp).toBe(removed.json.metadata?.deletionTimestamp);
      expect(json.metadata?.deletionGracePeriodSeconds).toBe(0);
    }
    await change({ finalizers: null });
    const made = await scene.make(
      path,
      configMap('a', {}, { deletionTimestamp: time, deletionGracePeriodSeconds: 5 }),
    );
    expect(made.metadata).not.toHaveProperty('deletionTimestamp');
    expect(made.metadata).not.toHaveProperty('managedFields');
  },
});
