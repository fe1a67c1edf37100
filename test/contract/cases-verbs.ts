/** Creating, reading, replacing and deleting objects. */
import { expect } from 'vitest';
import { topic } from './contract-case.ts';
import { defineWidgets } from './custom-resources.ts';
import { namesOf, textOf, versionOf } from './loose.ts';
import { essence, normalised } from './normalised.ts';
import { configMap } from './objects.ts';
import { alreadyExists, expectFailure, invalid, notFound } from './statuses.ts';

export const verbCases = topic('verbs', {
  'a created ConfigMap gets its uid, version, creation time and managed fields, and no generation': async (
    scene,
  ) => {
    const space = await scene.namespace();
    const made = await scene.post(`/api/v1/namespaces/${space}/configmaps`, configMap('a', { k: 'v' }));
    expect(made.status).toBe(201);
    expect(made.headers['content-type']).toBe('application/json');
    expect(normalised(made.json)).toEqual({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: {
        name: 'a',
        namespace: space,
        uid: '<uid>',
        resourceVersion: '<version>',
        creationTimestamp: '<time>',
        managedFields: [
          {
            manager: 'unknown',
            operation: 'Update',
            apiVersion: 'v1',
            time: '<time>',
            fieldsType: 'FieldsV1',
            fieldsV1: { 'f:data': { '.': {}, 'f:k': {} } },
          },
        ],
      },
      data: { k: 'v' },
    });
  },

  'what was created is read back unchanged': async (scene) => {
    const space = await scene.namespace();
    const made = await scene.make(`/api/v1/namespaces/${space}/configmaps`, configMap('a', { k: 'v' }));
    const read = await scene.get(`/api/v1/namespaces/${space}/configmaps/a`);
    expect(read.status).toBe(200);
    expect(read.json).toEqual(made);
  },

  'the manager of fields is named by the query, else by the user agent up to the first slash': async (
    scene,
  ) => {
    const space = await scene.namespace();
    const path = `/api/v1/namespaces/${space}/configmaps`;
    const managers = async (name: string, query: string, headers: Record<string, string>) => {
      const { json } = await scene.post(`${path}${query}`, configMap(name, { k: 'v' }), { headers });
      return JSON.stringify(json.metadata?.managedFields);
    };
    expect(await managers('a', '?fieldManager=me', {})).toContain('"manager":"me"');
    expect(await managers('b', '', { 'user-agent': 'tool/v1 (linux)' })).toContain('"manager":"tool"');
    expect(await managers('c', '', { 'user-agent': 'my tool' })).toContain('"manager":"my tool"');
  },

  'a created Namespace is active, carries its name as a label and the finalizer of its contents': async (
    scene,
  ) => {
    const name = scene.name('space');
    scene.tidy(`/api/v1/namespaces/${name}`);
    const made = await scene.post('/api/v1/namespaces', { metadata: { name } });
    expect(made.status).toBe(201);
    expect(normalised(made.json)).toEqual({
      kind: 'Namespace',
      apiVersion: 'v1',
      metadata: {
        name,
        uid: '<uid>',
        resourceVersion: '<version>',
        creationTimestamp: '<time>',
        labels: { 'kubernetes.io/metadata.name': name },
        managedFields: [
          {
            manager: 'unknown',
            operation: 'Update',
            apiVersion: 'v1',
            time: '<time>',
            fieldsType: 'FieldsV1',
            fieldsV1: { 'f:metadata': { 'f:labels': { '.': {}, 'f:kubernetes.io/metadata.name': {} } } },
          },
        ],
      },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
  },

  'a Secret turns stringData into data and is Opaque where it says nothing': async (scene) => {
    const space = await scene.namespace();
    const body = {
      metadata: { name: 'a' },
      data: { old: 'b2xk', both: 'b2xk' },
      stringData: { both: 'new', more: 'ü' },
    };
    const made = await scene.post(`/api/v1/namespaces/${space}/secrets`, body);
    expect(essence(made.json)).toEqual({
      kind: 'Secret',
      apiVersion: 'v1',
      metadata: {
        name: 'a',
        namespace: space,
        uid: '<uid>',
        resourceVersion: '<version>',
        creationTimestamp: '<time>',
      },
      data: { old: 'b2xk', both: 'bmV3', more: 'w7w=' },
      type: 'Opaque',
    });
  },

  'a custom resource starts at generation 1': async (scene) => {
    const widgets = await defineWidgets(scene);
    const made = await scene.post(widgets.collection(), widgets.object('a', { size: 1 }));
    expect(made.status).toBe(201);
    expect(normalised(made.json)).toEqual({
      apiVersion: widgets.apiVersion,
      kind: 'Widget',
      metadata: {
        name: 'a',
        uid: '<uid>',
        resourceVersion: '<version>',
        generation: 1,
        creationTimestamp: '<time>',
        managedFields: [
          {
            manager: 'unknown',
            operation: 'Update',
            apiVersion: widgets.apiVersion,
            time: '<time>',
            fieldsType: 'FieldsV1',
            fieldsV1: { 'f:spec': { '.': {}, 'f:size': {} } },
          },
        ],
      },
      spec: { size: 1 },
    });
  },

  'reading what is not there is not found': async (scene) => {
    const widgets = await defineWidgets(scene);
    expectFailure(
      await scene.get('/api/v1/namespaces/default/configmaps/none'),
      notFound({ resource: 'configmaps' }, 'none'),
    );
    expectFailure(await scene.get('/api/v1/namespaces/none'), notFound({ resource: 'namespaces' }, 'none'));
    expectFailure(
      await scene.get(`${widgets.collection()}/none`),
      notFound({ resource: 'widgets', group: widgets.group }, 'none'),
    );
  },

  'reading in a namespace that is not there is not found, and listing in it is empty': async (scene) => {
    expectFailure(
      await scene.get('/api/v1/namespaces/none/configmaps/a'),
      notFound({ resource: 'configmaps' }, 'a'),
    );
    const list = await scene.get('/api/v1/namespaces/none/configmaps');
    expect(list.status).toBe(200);
    expect(normalised(list.json)).toEqual({
      kind: 'ConfigMapList',
      apiVersion: 'v1',
      metadata: { resourceVersion: '<version>' },
      items: [],
    });
  },

  'creating in a namespace that is not there is not found': async (scene) => {
    const made = await scene.post('/api/v1/namespaces/none/configmaps', configMap('a'));
    expectFailure(made, notFound({ resource: 'namespaces' }, 'none'));
  },

  'creating what exists is a conflict': async (scene) => {
    const space = await scene.namespace();
    const widgets = await defineWidgets(scene);
    await scene.make(`/api/v1/namespaces/${space}/configmaps`, configMap('a'));
    await scene.make(widgets.collection(), widgets.object('a'));
    expectFailure(
      await scene.post(`/api/v1/namespaces/${space}/configmaps`, configMap('a')),
      alreadyExists({ resource: 'configmaps' }, 'a'),
    );
    expectFailure(
      await scene.post(widgets.collection(), widgets.object('a')),
      alreadyExists({ resource: 'widgets', group: widgets.group }, 'a'),
    );
  },

  'a generated name is the prefix and five characters that make no words': async (scene) => {
    const space = await scene.namespace();
    const body = { metadata: { generateName: 'made-' } };
    const first = await scene.post(`/api/v1/namespaces/${space}/configmaps`, body);
    const second = await scene.post(`/api/v1/namespaces/${space}/configmaps`, body);
    expect(first.status).toBe(201);
    expect(first.json.metadata?.generateName).toBe('made-');
    expect(first.json.metadata?.name).toMatch(/^made-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(second.json.metadata?.name).not.toBe(first.json.metadata?.name);
  },

  'a long prefix of a generated name is cut at 58 characters': async (scene) => {
    const space = await scene.namespace();
    const body = { metadata: { generateName: 'x'.repeat(70) } };
    const made = await scene.post(`/api/v1/namespaces/${space}/configmaps`, body);
    expect(made.json.metadata?.name).toMatch(/^x{58}[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  },

  'an object without a name is refused': async (scene) => {
    const made = await scene.post('/api/v1/namespaces/default/configmaps', { metadata: {} });
    expectFailure(
      made,
      invalid(
        { kind: 'ConfigMap', name: '' },
        {
          reason: 'FieldValueRequired',
          message: 'Required value: name or generateName is required',
          field: 'metadata.name',
        },
      ),
    );
  },

  'kind and version may be left out of the body of a core object': async (scene) => {
    const space = await scene.namespace();
    const made = await scene.post(`/api/v1/namespaces/${space}/configmaps`, { metadata: { name: 'a' } });
    expect(made.status).toBe(201);
    expect([made.json.kind, made.json.apiVersion]).toEqual(['ConfigMap', 'v1']);
  },

  'a list has the items of all namespaces or of one, in the order of their names': async (scene) => {
    const space = await scene.namespace();
    const other = await scene.namespace();
    const labels = { set: scene.name('set') };
    for (const name of ['b', 'a', 'c']) {
      await scene.make(`/api/v1/namespaces/${space}/configmaps`, configMap(name, {}, { labels }));
    }
    await scene.make(`/api/v1/namespaces/${other}/configmaps`, configMap('d', {}, { labels }));
    const query = `labelSelector=set=${labels.set}`;
    const one = await scene.get(`/api/v1/namespaces/${space}/configmaps?${query}`);
    const all = await scene.get(`/api/v1/configmaps?${query}`);
    expect([one.json.kind, one.json.apiVersion]).toEqual(['ConfigMapList', 'v1']);
    expect(namesOf(one.json)).toEqual(['a', 'b', 'c']);
    expect([...namesOf(all.json)].sort()).toEqual(['a', 'b', 'c', 'd']);
  },

  'items of a core list carry no kind, items of a custom list do': async (scene) => {
    const space = await scene.namespace();
    const widgets = await defineWidgets(scene);
    await scene.make(`/api/v1/namespaces/${space}/secrets`, { metadata: { name: 'a' } });
    await scene.make(widgets.collection(), widgets.object('a'));
    const core = await scene.get(`/api/v1/namespaces/${space}/secrets`);
    const custom = await scene.get(widgets.collection());
    expect(core.json.items?.[0]).not.toHaveProperty('kind');
    expect(custom.json.items?.[0]).toMatchObject({ kind: 'Widget', apiVersion: widgets.apiVersion });
    expect(normalised(custom.json)).toMatchObject({
      kind: 'WidgetList',
      apiVersion: widgets.apiVersion,
      metadata: { continue: '', resourceVersion: '<version>' },
    });
  },

  'an update replaces the object, keeps what the server owns and moves the version': async (scene) => {
    const space = await scene.namespace();
    const path = `/api/v1/namespaces/${space}/configmaps/a`;
    const made = await scene.make(
      `/api/v1/namespaces/${space}/configmaps`,
      configMap('a', { k: 'v', gone: 'x' }),
    );
    const put = await scene.put(
      path,
      configMap('a', { k: 'w' }, { labels: { x: 'y' }, creationTimestamp: null }),
    );
    expect(put.status).toBe(200);
    expect(put.json.data).toEqual({ k: 'w' });
    expect(put.json.metadata).toMatchObject({
      uid: textOf(made.metadata?.uid),
      creationTimestamp: textOf(made.metadata?.creationTimestamp),
      labels: { x: 'y' },
    });
    expect(Number(versionOf(put.json))).toBeGreaterThan(Number(versionOf(made)));
  },

  'an update that changes nothing keeps the version': async (scene) => {
    const space = await scene.namespace();
    const made = await scene.make(`/api/v1/namespaces/${space}/configmaps`, configMap('a', { k: 'v' }));
    const put = await scene.put(`/api/v1/namespaces/${space}/configmaps/a`, made);
    expect(put.status).toBe(200);
    expect(put.json).toEqual(made);
  },

  'an update of what is not there is not found': async (scene) => {
    const widgets = await defineWidgets(scene);
    expectFailure(
      await scene.put('/api/v1/namespaces/default/configmaps/none', configMap('none')),
      notFound({ resource: 'configmaps' }, 'none'),
    );
    expectFailure(
      await scene.put(`${widgets.collection()}/none`, {
        ...widgets.object('none'),
        metadata: { name: 'none', resourceVersion: '1' },
      }),
      notFound({ resource: 'widgets', group: widgets.group }, 'none'),
    );
  },

  'the kinds that allow it are created by an update': async (scene) => {
    const space = await scene.namespace();
    const path = `/apis/coordination.k8s.io/v1/namespaces/${space}/leases/a`;
    const put = await scene.put(path, { metadata: { name: 'a' }, spec: { holderIdentity: 'x' } });
    expect(put.status).toBe(201);
    expect(put.json.spec).toEqual({ holderIdentity: 'x' });
  },

  'a dry run answers as if it had happened, and nothing has': async (scene) => {
    const space = await scene.namespace();
    const collection = `/api/v1/namespaces/${space}/configmaps`;
    const made = await scene.post(`${collection}?dryRun=All`, configMap('a', { k: 'v' }));
    expect(made.status).toBe(201);
    expect(essence(made.json)).toEqual({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'a', namespace: space, uid: '<uid>', creationTimestamp: '<time>' },
      data: { k: 'v' },
    });
    expectFailure(await scene.get(`${collection}/a`), notFound({ resource: 'configmaps' }, 'a'));
    await scene.make(collection, configMap('a', { k: 'v' }));
    const put = await scene.put(`${collection}/a?dryRun=All`, configMap('a', { k: 'w' }));
    expect(put.json.data).toEqual({ k: 'w' });
    const removed = await scene.delete(`${collection}/a?dryRun=All`);
    expect(removed.status).toBe(200);
    expect((await scene.get(`${collection}/a`)).json.data).toEqual({ k: 'v' });
  },

  'a dry run of anything but All is refused': async (scene) => {
    const made = await scene.post('/api/v1/namespaces/default/configmaps?dryRun=Some', configMap('a'));
    expectFailure(
      made,
      invalid(
        { kind: 'CreateOptions', group: 'meta.k8s.io', name: '' },
        {
          reason: 'FieldValueNotSupported',
          message: 'Unsupported value: []string{"Some"}: supported values: "All"',
          field: 'dryRun',
        },
      ),
    );
  },

  'an immutable ConfigMap refuses new data and stays immutable': async (scene) => {
    const space = await scene.namespace();
    const path = `/api/v1/namespaces/${space}/configmaps`;
    await scene.make(path, { ...configMap('a', { k: 'v' }), immutable: true });
    expectFailure(
      await scene.put(`${path}/a`, configMap('a', { k: 'w' })),
      invalid(
        { kind: 'ConfigMap', name: 'a' },
        {
          reason: 'FieldValueForbidden',
          message: 'Forbidden: field is immutable when `immutable` is set',
          field: 'immutable',
        },
        {
          reason: 'FieldValueForbidden',
          message: 'Forbidden: field is immutable when `immutable` is set',
          field: 'data',
        },
      ),
    );
  },

  'the type of a Secret cannot be changed': async (scene) => {
    const path = `/api/v1/namespaces/${await scene.namespace()}/secrets`;
    await scene.make(path, { metadata: { name: 'a' } });
    expectFailure(
      await scene.patch(`${path}/a`, 'merge', { type: 'example.com/other' }),
      invalid(
        { kind: 'Secret', name: 'a' },
        {
          reason: 'FieldValueInvalid',
          message: 'Invalid value: "example.com/other": field is immutable',
          field: 'type',
        },
      ),
    );
  },
});
