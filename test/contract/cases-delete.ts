/** Deleting objects: options, finalizers, collections. */
import { expect } from 'vitest';
import { topic } from './contract-case.ts';
import { defineWidgets } from './custom-resources.ts';
import { namesOf, textOf, versionOf } from './loose.ts';
import { essence, normalised } from './normalised.ts';
import { configMap, pod } from './objects.ts';
import { conflict, expectFailure, invalid, notFound } from './statuses.ts';

export const deleteCases = topic('delete', {
  'deleting a ConfigMap answers with a Status that names it': async (scene) => {
    const space = await scene.namespace();
    const path = `/api/v1/namespaces/${space}/configmaps`;
    await scene.make(path, configMap('a'));
    const removed = await scene.delete(`${path}/a`);
    expect(removed.status).toBe(200);
    expect(normalised(removed.json)).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: 'a', kind: 'configmaps', uid: '<uid>' },
    });
    expectFailure(await scene.get(`${path}/a`), notFound({ resource: 'configmaps' }, 'a'));
  },

  'deleting a custom resource names its group too': async (scene) => {
    const widgets = await defineWidgets(scene);
    await scene.make(widgets.collection(), widgets.object('a'));
    const removed = await scene.delete(`${widgets.collection()}/a`);
    expect(normalised(removed.json)).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: 'a', group: widgets.group, kind: 'widgets', uid: '<uid>' },
    });
  },

  'deleting what is not there is not found': async (scene) => {
    const removed = await scene.delete('/api/v1/namespaces/default/configmaps/none');
    expectFailure(removed, notFound({ resource: 'configmaps' }, 'none'));
  },

  'a finalizer keeps the object, marked for deletion, until it is taken off': async (scene) => {
    const space = await scene.namespace();
    const path = `/api/v1/namespaces/${space}/configmaps`;
    const made = await scene.make(path, configMap('a', {}, { finalizers: ['example.com/hold'] }));
    const removed = await scene.delete(`${path}/a`);
    expect(removed.status).toBe(200);
    expect(essence(removed.json)).toEqual({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: {
        name: 'a',
        namespace: space,
        uid: '<uid>',
        resourceVersion: '<version>',
        creationTimestamp: '<time>',
        deletionTimestamp: '<time>',
        deletionGracePeriodSeconds: 0,
        finalizers: ['example.com/hold'],
      },
    });
    expect(versionOf(removed.json)).not.toBe(versionOf(made));
    const released = await scene.patch(`${path}/a`, 'merge', { metadata: { finalizers: null } });
    expect(released.status).toBe(200);
    expect(released.json.metadata).not.toHaveProperty('finalizers');
    expectFailure(await scene.get(`${path}/a`), notFound({ resource: 'configmaps' }, 'a'));
  },

  'marking a custom resource for deletion moves its generation': async (scene) => {
    const widgets = await defineWidgets(scene);
    const object = widgets.object('a');
    await scene.make(widgets.collection(), {
      ...object,
      metadata: { name: 'a', finalizers: ['example.com/hold'] },
    });
    const removed = await scene.delete(`${widgets.collection()}/a`);
    expect(removed.json.metadata).toMatchObject({ generation: 2, deletionGracePeriodSeconds: 0 });
    await scene.patch(`${widgets.collection()}/a`, 'merge', { metadata: { finalizers: [] } });
  },

  'deleting a second time changes nothing': async (scene) => {
    const space = await scene.namespace();
    const path = `/api/v1/namespaces/${space}/configmaps`;
    await scene.make(path, configMap('a', {}, { finalizers: ['example.com/hold'] }));
    const first = await scene.delete(`${path}/a`);
    const second = await scene.delete(`${path}/a`);
    expect(second.status).toBe(200);
    expect(second.json).toEqual(first.json);
    await scene.patch(`${path}/a`, 'merge', { metadata: { finalizers: null } });
  },

  'finalizers cannot be added to an object that is being deleted': async (scene) => {
    const space = await scene.namespace();
    const path = `/api/v1/namespaces/${space}/configmaps`;
    await scene.make(path, configMap('a', {}, { finalizers: ['example.com/hold'] }));
    await scene.delete(`${path}/a`);
    const finalizers = ['example.com/hold', 'example.com/more'];
    const cause = {
      reason: 'FieldValueForbidden',
      message:
        'Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/more"}',
      field: 'metadata.finalizers',
    };
    const refused = invalid({ kind: 'ConfigMap', name: 'a' }, cause);
    // Found twice: once in the message, twice in the causes.
    const details = { name: 'a', kind: 'ConfigMap', causes: [cause, cause] };
    expectFailure(await scene.patch(`${path}/a`, 'merge', { metadata: { finalizers } }), {
      ...refused,
      details,
    });
    await scene.patch(`${path}/a`, 'merge', { metadata: { finalizers: null } });
  },

  'deletionTimestamp cannot be set or removed by an update': async (scene) => {
    const space = await scene.namespace();
    const path = `/api/v1/namespaces/${space}/configmaps`;
    await scene.make(path, configMap('a', {}, { finalizers: ['example.com/hold'] }));
    const set = await scene.patch(`${path}/a`, 'merge', {
      metadata: { deletionTimestamp: '2020-01-01T00:00:00Z' },
    });
    expect(set.json.metadata).not.toHaveProperty('deletionTimestamp');
    await scene.delete(`${path}/a`);
    const removed = await scene.patch(`${path}/a`, 'merge', { metadata: { deletionTimestamp: null } });
    expect(normalised(removed.json)).toMatchObject({ metadata: { deletionTimestamp: '<time>' } });
    await scene.patch(`${path}/a`, 'merge', { metadata: { finalizers: null } });
  },

  'a precondition on the uid must hold': async (scene) => {
    const space = await scene.namespace();
    const path = `/api/v1/namespaces/${space}/configmaps`;
    const made = await scene.make(path, configMap('a'));
    const uid = textOf(made.metadata?.uid);
    expectFailure(
      await scene.delete(`${path}/a`, { preconditions: { uid: 'other' } }),
      conflict(
        { resource: 'ConfigMap' },
        'a',
        `the UID in the precondition (other) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
      ),
    );
    expect((await scene.delete(`${path}/a`, { preconditions: { uid } })).status).toBe(200);
  },

  'a precondition on the version must hold': async (scene) => {
    const space = await scene.namespace();
    const path = `/api/v1/namespaces/${space}/configmaps`;
    const made = await scene.make(path, configMap('a'));
    const resourceVersion = versionOf(made);
    expectFailure(
      await scene.delete(`${path}/a`, { preconditions: { resourceVersion: '1' } }),
      conflict(
        { resource: 'ConfigMap' },
        'a',
        `the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
      ),
    );
    expect((await scene.delete(`${path}/a`, { preconditions: { resourceVersion } })).status).toBe(200);
  },

  'propagation in the foreground or as orphans leaves a finalizer for the collector': async (scene) => {
    const space = await scene.namespace();
    const path = `/api/v1/namespaces/${space}/configmaps`;
    for (const [propagationPolicy, finalizer] of [
      ['Foreground', 'foregroundDeletion'],
      ['Orphan', 'orphan'],
    ] as const) {
      await scene.make(path, configMap(finalizer.toLowerCase()));
      const removed = await scene.delete(`${path}/${finalizer.toLowerCase()}`, { propagationPolicy });
      expect(normalised(removed.json)).toMatchObject({
        kind: 'ConfigMap',
        metadata: { deletionTimestamp: '<time>', deletionGracePeriodSeconds: 0, finalizers: [finalizer] },
      });
      await scene.patch(`${path}/${finalizer.toLowerCase()}`, 'merge', { metadata: { finalizers: null } });
    }
  },

  'propagation in the background removes the object at once': async (scene) => {
    const space = await scene.namespace();
    const path = `/api/v1/namespaces/${space}/configmaps`;
    await scene.make(path, configMap('a'));
    const removed = await scene.delete(`${path}/a?propagationPolicy=Background`);
    expect(removed.json.status).toBe('Success');
    expect((await scene.get(`${path}/a`)).status).toBe(404);
  },

  'an unknown propagation is refused': async (scene) => {
    const path = '/api/v1/namespaces/default/configmaps/a';
    expectFailure(
      await scene.delete(path, { propagationPolicy: 'Sideways' }),
      invalid(
        { kind: 'DeleteOptions', group: 'meta.k8s.io', name: '' },
        {
          reason: 'FieldValueNotSupported',
          message:
            'Unsupported value: "Sideways": supported values: "Foreground", "Background", "Orphan", "nil"',
          field: 'propagationPolicy',
        },
      ),
    );
  },

  'options of a deletion may name their kind, but no other': async (scene) => {
    const space = await scene.namespace();
    const path = `/api/v1/namespaces/${space}/configmaps`;
    await scene.make(path, configMap('a'));
    const other = await scene.delete(`${path}/a`, { kind: 'Pod', apiVersion: 'v1' });
    expect([other.status, other.json.message]).toEqual([
      500,
      // A place in the server's own sources follows.
      expect.stringMatching(/^no kind "Pod" is registered for version "v1" in scheme "/),
    ]);
    const removed = await scene.delete(`${path}/a`, { kind: 'DeleteOptions', apiVersion: 'v1' });
    expect(removed.status).toBe(200);
  },

  'a pod that nobody runs goes at once, one on a node gets its time': async (scene) => {
    const space = await scene.namespace();
    const path = `/api/v1/namespaces/${space}/pods`;
    await scene.make(path, pod('waiting'));
    await scene.make(path, pod('bound', { nodeName: 'somewhere' }));
    const waiting = await scene.delete(`${path}/waiting`);
    expect(essence(waiting.json)).toMatchObject({ kind: 'Pod', metadata: { deletionGracePeriodSeconds: 0 } });
    expect((await scene.get(`${path}/waiting`)).status).toBe(404);
    const bound = await scene.delete(`${path}/bound`);
    expect(bound.status).toBe(200);
    expect(essence(bound.json)).toMatchObject({
      metadata: { deletionTimestamp: '<time>', deletionGracePeriodSeconds: 30 },
    });
  },

  'the time of a pod can be shortened but not lengthened, and 0 ends it': async (scene) => {
    const space = await scene.namespace();
    const path = `/api/v1/namespaces/${space}/pods`;
    await scene.make(path, pod('a', { nodeName: 'somewhere' }));
    const graceOf = async (gracePeriodSeconds: number) =>
      (await scene.delete(`${path}/a`, { gracePeriodSeconds })).json.metadata?.deletionGracePeriodSeconds;
    expect(await graceOf(20)).toBe(20);
    expect(await graceOf(25)).toBe(20);
    expect(await graceOf(5)).toBe(5);
    expect(await graceOf(0)).toBe(0);
    expect((await scene.get(`${path}/a`)).status).toBe(404);
  },

  'a collection is deleted by selector, and the answer lists what was deleted': async (scene) => {
    const space = await scene.namespace();
    const path = `/api/v1/namespaces/${space}/configmaps`;
    await scene.make(path, configMap('a', {}, { labels: { set: 'x' } }));
    await scene.make(path, configMap('b', {}, { labels: { set: 'x' } }));
    await scene.make(path, configMap('c', {}, { labels: { set: 'y' } }));
    const removed = await scene.delete(`${path}?labelSelector=set=x`);
    expect(removed.status).toBe(200);
    expect(removed.json.kind).toBe('ConfigMapList');
    expect([...namesOf(removed.json)].sort()).toEqual(['a', 'b']);
    const rest = await scene.get(`${path}?labelSelector=set`);
    expect(namesOf(rest.json)).toEqual(['c']);
  },

  'the collection of all namespaces cannot be deleted': async (scene) => {
    expect((await scene.delete('/api/v1/configmaps?labelSelector=none')).status).toBe(405);
    expect((await scene.delete('/api/v1/namespaces?labelSelector=none')).status).toBe(405);
  },

  'a deleted Namespace is terminating until its finalizer is taken off': async (scene) => {
    const name = scene.name('space');
    const path = `/api/v1/namespaces/${name}`;
    await scene.make('/api/v1/namespaces', { metadata: { name, finalizers: ['example.com/hold'] } });
    const removed = await scene.delete(path);
    expect(removed.status).toBe(200);
    expect(essence(removed.json)).toEqual({
      kind: 'Namespace',
      apiVersion: 'v1',
      metadata: {
        name,
        uid: '<uid>',
        resourceVersion: '<version>',
        creationTimestamp: '<time>',
        deletionTimestamp: '<time>',
        finalizers: ['example.com/hold'],
        labels: { 'kubernetes.io/metadata.name': name },
      },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Terminating' },
    });
    const finalized = await scene.put(`${path}/finalize`, { metadata: { name }, spec: { finalizers: [] } });
    expect(finalized.status).toBe(200);
    expect(finalized.json.spec).toEqual({});
    await scene.patch(path, 'merge', { metadata: { finalizers: null } });
    expect((await scene.get(path)).status).toBe(404);
  },
});
