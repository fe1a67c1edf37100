/** The status subresource. */
import { expect } from 'vitest';
import { topic } from './contract-case.ts';
import { type DefinitionOptions, defineWidgets } from './custom-resources.ts';
import { listOf } from './loose.ts';
import { essence, normalised } from './normalised.ts';
import { node, pod } from './objects.ts';
import { expectFailure, invalid, notFound } from './statuses.ts';

const withStatus: DefinitionOptions = { version: { subresources: { status: {} } } };

export const statusCases = topic('status', {
  'status is dropped when a custom resource is created': async (scene) => {
    const widgets = await defineWidgets(scene, withStatus);
    const made = await scene.make(
      widgets.collection(),
      widgets.object('a', { size: 1 }, { status: { ready: true } }),
    );
    expect(made).not.toHaveProperty('status');
    expect(made.spec).toEqual({ size: 1 });
  },

  'without the subresource status is a field like any other': async (scene) => {
    const widgets = await defineWidgets(scene);
    await scene.make(widgets.collection(), widgets.object('a', {}, { status: { ready: true } }));
    const patched = await scene.patch(`${widgets.collection()}/a`, 'merge', { status: { ready: false } });
    expect(patched.json.status).toEqual({ ready: false });
    expect(patched.json.metadata?.generation).toBe(2);
  },

  'an update of the object ignores status': async (scene) => {
    const widgets = await defineWidgets(scene, withStatus);
    await scene.make(widgets.collection(), widgets.object('a', { size: 1 }));
    await scene.patch(`${widgets.collection()}/a/status`, 'merge', { status: { ready: true } });
    const patched = await scene.patch(`${widgets.collection()}/a`, 'merge', {
      spec: { size: 2 },
      status: { ready: false },
    });
    expect(patched.json.spec).toEqual({ size: 2 });
    expect(patched.json.status).toEqual({ ready: true });
    expect(patched.json.metadata?.generation).toBe(2);
  },

  'an update of the status ignores everything else': async (scene) => {
    const widgets = await defineWidgets(scene, withStatus);
    const made = await scene.make(widgets.collection(), widgets.object('a', { size: 1 }));
    const put = await scene.put(`${widgets.collection()}/a/status`, {
      ...made,
      metadata: {
        ...made.metadata,
        labels: { x: 'y' },
        annotations: { x: 'y' },
        finalizers: ['example.com/x'],
      },
      spec: { size: 9 },
      status: { ready: true },
    });
    expect(put.status).toBe(200);
    expect(essence(put.json)).toEqual({
      apiVersion: widgets.apiVersion,
      kind: 'Widget',
      metadata: {
        name: 'a',
        uid: '<uid>',
        resourceVersion: '<version>',
        generation: 1,
        creationTimestamp: '<time>',
      },
      spec: { size: 1 },
      status: { ready: true },
    });
  },

  'fields of the status are managed under its subresource': async (scene) => {
    const widgets = await defineWidgets(scene, withStatus);
    await scene.post(`${widgets.collection()}?fieldManager=first`, widgets.object('a', { size: 1 }));
    const patched = await scene.patch(`${widgets.collection()}/a/status?fieldManager=second`, 'merge', {
      status: { ready: true },
    });
    expect(normalised(patched.json.metadata?.managedFields)).toEqual([
      {
        manager: 'first',
        operation: 'Update',
        apiVersion: widgets.apiVersion,
        time: '<time>',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { '.': {}, 'f:size': {} } },
      },
      {
        manager: 'second',
        operation: 'Update',
        apiVersion: widgets.apiVersion,
        time: '<time>',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:status': { '.': {}, 'f:ready': {} } },
        subresource: 'status',
      },
    ]);
  },

  'generation moves with anything but metadata and status': async (scene) => {
    const widgets = await defineWidgets(scene, {
      ...withStatus,
      schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    });
    const path = `${widgets.collection()}/a`;
    await scene.make(widgets.collection(), widgets.object('a', { size: 1 }));
    const generationAfter = async (patch: object) =>
      (await scene.patch(path, 'merge', patch)).json.metadata?.generation;
    expect(await generationAfter({ metadata: { labels: { x: 'y' } } })).toBe(1);
    expect(await generationAfter({ metadata: { generation: 7 } })).toBe(1);
    expect(await generationAfter({ spec: { size: 2 } })).toBe(2);
    expect(await generationAfter({ spec: { size: 2 } })).toBe(2);
    expect(await generationAfter({ other: 1 })).toBe(3);
  },

  'the status of what is not there is not found': async (scene) => {
    const widgets = await defineWidgets(scene, withStatus);
    expectFailure(
      await scene.patch(`${widgets.collection()}/none/status`, 'merge', { status: {} }),
      notFound({ resource: 'widgets', group: widgets.group }, 'none'),
    );
  },

  'status is validated by the schema': async (scene) => {
    const widgets = await defineWidgets(scene, {
      ...withStatus,
      schema: {
        type: 'object',
        properties: { status: { type: 'object', properties: { count: { type: 'integer' } } } },
      },
    });
    await scene.make(widgets.collection(), { ...widgets.object('a') });
    expectFailure(
      await scene.patch(`${widgets.collection()}/a/status`, 'merge', { status: { count: 'x' } }),
      invalid(
        { kind: 'Widget', group: widgets.group, name: 'a' },
        {
          reason: 'FieldValueTypeInvalid',
          message: 'Invalid value: "string": count in body must be of type integer: "string"',
          field: 'status.count',
        },
      ),
    );
  },

  'conditions of a node are merged by their type through its status': async (scene) => {
    const name = scene.name('node');
    await scene.make('/api/v1/nodes', node(name));
    const patch = (type: string, status: string) =>
      scene.patch(`/api/v1/nodes/${name}/status`, 'strategic', {
        status: { conditions: [{ type, status }] },
      });
    await patch('Ready', 'False');
    await patch('DiskPressure', 'False');
    const { json } = await patch('Ready', 'True');
    const conditions = json.status?.conditions;
    expect(conditions === undefined ? [] : listOf(conditions)).toMatchObject([
      // What a patch adds comes before what was there.
      { type: 'DiskPressure', status: 'False' },
      { type: 'Ready', status: 'True' },
    ]);
  },

  'the status of a node leaves its spec alone and the other way round': async (scene) => {
    const name = scene.name('node');
    await scene.make('/api/v1/nodes', { ...node(name), status: { phase: 'Running' } });
    const patch = { spec: { unschedulable: true }, status: { nodeInfo: { kernelVersion: 'x' } } };
    const status = await scene.patch(`/api/v1/nodes/${name}/status`, 'merge', patch);
    // Every node starts with this taint: admission adds it.
    expect(status.json.spec).toEqual({
      taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }],
    });
    expect(status.json.status?.nodeInfo).toMatchObject({ kernelVersion: 'x' });
    const spec = await scene.patch(`/api/v1/nodes/${name}`, 'merge', {
      ...patch,
      status: { nodeInfo: null },
    });
    expect(spec.json.spec).toMatchObject({ unschedulable: true });
    expect(spec.json.status?.nodeInfo).toMatchObject({ kernelVersion: 'x' });
  },

  'a created pod is pending, whatever its body says': async (scene) => {
    const space = await scene.namespace();
    const path = `/api/v1/namespaces/${space}/pods`;
    const made = await scene.make(path, { ...pod('a'), status: { phase: 'Running' } });
    expect(made.status).toEqual({ phase: 'Pending', qosClass: 'BestEffort' });
    const running = await scene.patch(`${path}/a/status`, 'merge', { status: { phase: 'Running' } });
    expect(running.json.status).toMatchObject({ phase: 'Running', qosClass: 'BestEffort' });
  },
});
