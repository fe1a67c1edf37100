/** Versions, and what happens when two writers meet. */
import { expect } from 'vitest';
import { topic } from './contract-case.ts';
import { defineWidgets } from './custom-resources.ts';
import { textOf, versionOf } from './loose.ts';
import { configMap } from './objects.ts';
import { conflict, expectFailure, invalid, stale } from './statuses.ts';

export const concurrencyCases = topic('concurrency', {
  'an update from a stale version is a conflict': async (scene) => {
    const space = await scene.namespace();
    const path = `/api/v1/namespaces/${space}/configmaps`;
    const made = await scene.make(path, configMap('a', { k: 'v' }));
    await scene.put(`${path}/a`, configMap('a', { k: 'w' }));
    expectFailure(await scene.put(`${path}/a`, made), stale({ resource: 'configmaps' }, 'a'));
  },

  'an update of a custom resource from a stale version is a conflict': async (scene) => {
    const widgets = await defineWidgets(scene);
    const made = await scene.make(widgets.collection(), widgets.object('a', { size: 1 }));
    await scene.patch(`${widgets.collection()}/a`, 'merge', { spec: { size: 2 } });
    expectFailure(
      await scene.put(`${widgets.collection()}/a`, made),
      stale({ resource: 'widgets', group: widgets.group }, 'a'),
    );
  },

  'a ConfigMap may be updated without a version, a custom resource may not': async (scene) => {
    const space = await scene.namespace();
    const widgets = await defineWidgets(scene);
    await scene.make(`/api/v1/namespaces/${space}/configmaps`, configMap('a'));
    await scene.make(widgets.collection(), widgets.object('a'));
    const core = await scene.put(`/api/v1/namespaces/${space}/configmaps/a`, configMap('a', { k: 'v' }));
    expect(core.status).toBe(200);
    expectFailure(
      await scene.put(`${widgets.collection()}/a`, widgets.object('a', { size: 2 })),
      invalid(
        { kind: 'widgets', group: widgets.group, name: 'a' },
        {
          reason: 'FieldValueInvalid',
          message: 'Invalid value: 0x0: must be specified for an update',
          field: 'metadata.resourceVersion',
        },
      ),
    );
  },

  'a merge patch that names a version is conditional': async (scene) => {
    const space = await scene.namespace();
    const path = `/api/v1/namespaces/${space}/configmaps`;
    const made = await scene.make(path, configMap('a', { k: 'v' }));
    const resourceVersion = versionOf(made);
    const first = await scene.patch(`${path}/a`, 'merge', {
      metadata: { resourceVersion },
      data: { k: 'w' },
    });
    expect(first.status).toBe(200);
    expectFailure(
      await scene.patch(`${path}/a`, 'merge', { metadata: { resourceVersion }, data: { k: 'x' } }),
      stale({ resource: 'configmaps' }, 'a'),
    );
  },

  'a merge patch without a version always wins': async (scene) => {
    const space = await scene.namespace();
    const path = `/api/v1/namespaces/${space}/configmaps`;
    await scene.make(path, configMap('a'));
    const answers = await Promise.all(
      [...'abcdefgh'].map((key) => scene.patch(`${path}/a`, 'merge', { data: { [key]: 'x' } })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(Object.keys((await scene.get(`${path}/a`)).json.data ?? {}).sort()).toEqual([...'abcdefgh']);
  },

  'of updates from one version exactly one wins': async (scene) => {
    const space = await scene.namespace();
    const path = `/api/v1/namespaces/${space}/configmaps`;
    const made = await scene.make(path, configMap('a'));
    const answers = await Promise.all(
      [...'abcd'].map((key) => scene.put(`${path}/a`, { ...made, data: { [key]: 'x' } })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  },

  'a version cannot be set at creation': async (scene) => {
    const made = await scene.post(
      '/api/v1/namespaces/default/configmaps',
      configMap('a', {}, { resourceVersion: '1' }),
    );
    expectFailure(made, { code: 500, message: 'resourceVersion should not be set on objects to be created' });
  },

  'a version that is no number is refused': async (scene) => {
    const space = await scene.namespace();
    const path = `/api/v1/namespaces/${space}/configmaps`;
    await scene.make(path, configMap('a'));
    expectFailure(await scene.put(`${path}/a`, configMap('a', {}, { resourceVersion: 'x' })), {
      code: 500,
      message: 'strconv.ParseUint: parsing "x": invalid syntax',
    });
  },

  'a uid of another object is a conflict': async (scene) => {
    const space = await scene.namespace();
    const path = `/api/v1/namespaces/${space}/configmaps`;
    const made = await scene.make(path, configMap('a'));
    expectFailure(
      await scene.put(`${path}/a`, configMap('a', {}, { uid: 'other' })),
      conflict(
        { resource: 'configmaps' },
        'a',
        `StorageError: invalid object, Code: 4, Key: /registry/configmaps/${space}/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: other, UID in object meta: ${textOf(made.metadata?.uid)}`,
      ),
    );
  },

  'versions rise across kinds': async (scene) => {
    const space = await scene.namespace();
    const first = await scene.make(`/api/v1/namespaces/${space}/configmaps`, configMap('a'));
    const second = await scene.make(`/api/v1/namespaces/${space}/secrets`, { metadata: { name: 'a' } });
    const third = await scene.make(`/api/v1/namespaces/${space}/configmaps`, configMap('b'));
    const versions = [first, second, third].map((object) => Number(versionOf(object)));
    expect(versions).toEqual([...versions].sort((a, b) => a - b));
    expect(new Set(versions).size).toBe(3);
  },
});
