/** Definitions of custom resources that change and end while there are objects. */
import { expect } from 'vitest';
import { topic } from './contract-case.ts';
import { defineWidgets, hasCondition } from './custom-resources.ts';
import { eventually } from './eventually.ts';
import { listOf } from './loose.ts';
import { expectFailure, invalid, notFound } from './statuses.ts';

export const definitionChangeCases = topic('changes of definitions', {
  'a schema can be changed while objects exist, and holds from then on': async (scene) => {
    const widgets = await defineWidgets(scene, {
      spec: { type: 'object', properties: { a: { type: 'string' } } },
    });
    await scene.make(widgets.collection(), widgets.object('old', { a: 'x' }));
    const spec = { type: 'object', properties: { b: { type: 'integer', default: 7 } } };
    await scene.patch(widgets.definition, 'json', [
      { op: 'replace', path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec', value: spec },
    ]);
    // What is stored is pruned and filled in as it is read.
    const read = await eventually('the new schema holds', async () => {
      const { json } = await scene.get(`${widgets.collection()}/old`);
      return json.spec?.b === undefined ? undefined : json;
    });
    expect(read.spec).toEqual({ b: 7 });
    expect(read.metadata?.generation).toBe(1);
    const { json } = await scene.get(widgets.definition);
    expect(json.metadata?.generation).toBe(2);
  },

  'a version can be added and stored versions are remembered': async (scene) => {
    const widgets = await defineWidgets(scene);
    await scene.make(widgets.collection(), widgets.object('a', { size: 1 }));
    const { json } = await scene.get(widgets.definition);
    const [first] = listOf(json.spec?.versions);
    await scene.patch(widgets.definition, 'merge', {
      spec: {
        versions: [
          { ...first, storage: false },
          { ...first, name: 'v2' },
        ],
      },
    });
    const read = await eventually('the second version is served', async () => {
      const answer = await scene.get(`/apis/${widgets.group}/v2/widgets/a`);
      return answer.status === 200 ? answer : undefined;
    });
    expect(read.json).toMatchObject({ apiVersion: `${widgets.group}/v2`, kind: 'Widget', spec: { size: 1 } });
    expect((await scene.get(widgets.definition)).json.status?.storedVersions).toEqual(['v1', 'v2']);
    const group = await scene.get(`/apis/${widgets.group}`);
    expect(group.json.preferredVersion).toMatchObject({ version: 'v2' });
  },

  'group, names and scope cannot be changed': async (scene) => {
    const widgets = await defineWidgets(scene);
    const kind = {
      kind: 'CustomResourceDefinition',
      group: 'apiextensions.k8s.io',
      name: `widgets.${widgets.group}`,
    };
    expectFailure(
      await scene.patch(widgets.definition, 'merge', { spec: { scope: 'Namespaced' } }),
      invalid(kind, {
        reason: 'FieldValueInvalid',
        message: 'Invalid value: "Namespaced": field is immutable',
        field: 'spec.scope',
      }),
    );
  },

  'a version that is stored cannot be dropped': async (scene) => {
    const widgets = await defineWidgets(scene);
    const { json } = await scene.get(widgets.definition);
    const [first] = listOf(json.spec?.versions);
    const refused = await scene.patch(widgets.definition, 'merge', {
      spec: { versions: [{ ...first, name: 'v2' }] },
    });
    expect([refused.status, refused.json.message]).toEqual([
      422,
      `CustomResourceDefinition.apiextensions.k8s.io "widgets.${widgets.group}" is invalid: status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions`,
    ]);
  },

  'deleting a definition deletes its objects first': async (scene) => {
    const widgets = await defineWidgets(scene);
    const held = { ...widgets.object('a'), metadata: { name: 'a', finalizers: ['example.com/hold'] } };
    await scene.make(widgets.collection(), held);
    const removed = await scene.delete(widgets.definition);
    expect(removed.status).toBe(200);
    const deleting = await eventually('its objects are deleted', async () => {
      const { json } = await scene.get(`${widgets.collection()}/a`);
      return json.metadata?.deletionTimestamp === undefined
        ? undefined
        : (await scene.get(widgets.definition)).json;
    });
    expect(deleting.metadata?.finalizers).toEqual(['customresourcecleanup.apiextensions.k8s.io']);
    expect(hasCondition(deleting, 'Terminating')).toBe(true);
    const refused = await scene.post(widgets.collection(), widgets.object('b'));
    expectFailure(refused, {
      code: 405,
      reason: 'MethodNotAllowed',
      message: 'create not allowed while custom resource definition is terminating',
      details: { group: widgets.group, kind: 'widgets' },
    });
    await scene.patch(`${widgets.collection()}/a`, 'merge', { metadata: { finalizers: null } });
    await eventually('the definition is gone', async () => {
      const { status } = await scene.get(widgets.definition);
      return status === 404 ? status : undefined;
    });
    const gone = await eventually('the path is gone', async () => {
      const answer = await scene.get(`${widgets.collection()}/a`);
      return answer.body.startsWith('404 page') ? answer : undefined;
    });
    expect(gone.status).toBe(404);
    expectFailure(
      await scene.get(widgets.definition),
      notFound(
        { resource: 'customresourcedefinitions', group: 'apiextensions.k8s.io' },
        `widgets.${widgets.group}`,
      ),
    );
  },
});
