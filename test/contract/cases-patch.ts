/** JSON patches and merge patches. */
import { expect } from 'vitest';
import { topic } from './contract-case.ts';
import { defineWidgets } from './custom-resources.ts';
import type { Answer } from './http-client.ts';
import { textOf, versionOf } from './loose.ts';
import { configMap } from './objects.ts';
import type { Scene } from './scene.ts';
import { badRequest, expectFailure, notFound } from './statuses.ts';

async function aConfigMap(scene: Scene): Promise<string> {
  const path = `/api/v1/namespaces/${await scene.namespace()}/configmaps`;
  await scene.make(path, configMap('a', { one: '1', two: '2' }, { labels: { x: 'y' } }));
  return `${path}/a`;
}

/** The message quotes the whole object that the patch leads to, between these two. */
function expectRefusedPatch(answer: Answer, why: string): void {
  const message = textOf(answer.json.message);
  expect(message.startsWith(' "" is invalid: patch: Invalid value: "{')).toBe(true);
  expect(message.slice(message.lastIndexOf('}": ') + 4)).toBe(why);
  const cause = {
    reason: 'FieldValueInvalid',
    message: message.slice(' "" is invalid: patch: '.length),
    field: 'patch',
  };
  expectFailure(answer, { code: 422, reason: 'Invalid', message, details: { causes: [cause] } });
}

const REJECTED = {
  code: 422,
  reason: 'Invalid',
  message: 'the server rejected our request due to an error in our request',
  details: {},
};

export const patchCases = topic('patches', {
  'a JSON patch adds, replaces, removes, moves, copies and tests': async (scene) => {
    const path = await aConfigMap(scene);
    const patched = await scene.patch(path, 'json', [
      { op: 'test', path: '/data/one', value: '1' },
      { op: 'add', path: '/data/three', value: '3' },
      { op: 'replace', path: '/data/one', value: 'I' },
      { op: 'remove', path: '/data/two' },
      { op: 'copy', from: '/data/one', path: '/data/copied' },
      { op: 'move', from: '/data/three', path: '/data/moved' },
      { op: 'add', path: '/metadata/annotations', value: { 'a/b': 'c' } },
      { op: 'replace', path: '/metadata/annotations/a~1b', value: 'd' },
    ]);
    expect(patched.json.data).toEqual({ one: 'I', copied: 'I', moved: '3' });
    expect(patched.json.metadata?.annotations).toEqual({ 'a/b': 'd' });
  },

  'a failed test of a JSON patch is refused': async (scene) => {
    const path = await aConfigMap(scene);
    expectFailure(await scene.patch(path, 'json', [{ op: 'test', path: '/data/one', value: '2' }]), REJECTED);
  },

  'a JSON patch that cannot be applied is refused': async (scene) => {
    const path = await aConfigMap(scene);
    for (const operation of [
      { op: 'remove', path: '/data/none' },
      { op: 'add', path: '/none/none', value: 'x' },
      { op: 'test', path: '/data/none', value: 'x' },
      { op: 'none', path: '/data/one' },
    ]) {
      expectFailure(await scene.patch(path, 'json', [operation]), REJECTED);
    }
  },

  'a JSON patch that replaces a key that is not there adds it': async (scene) => {
    const path = await aConfigMap(scene);
    const patched = await scene.patch(path, 'json', [{ op: 'replace', path: '/data/none', value: 'x' }]);
    expect(patched.json.data).toEqual({ one: '1', two: '2', none: 'x' });
  },

  'a JSON patch must be a list of operations': async (scene) => {
    const path = await aConfigMap(scene);
    expectFailure(
      await scene.patch(path, 'json', { data: {} }),
      badRequest(
        'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
      ),
    );
  },

  'a JSON patch adds to lists by index and at the end': async (scene) => {
    const widgets = await defineWidgets(scene);
    await scene.make(widgets.collection(), widgets.object('a', { list: ['a', 'b'] }));
    const patched = await scene.patch(`${widgets.collection()}/a`, 'json', [
      { op: 'add', path: '/spec/list/1', value: 'between' },
      { op: 'add', path: '/spec/list/-', value: 'end' },
      { op: 'remove', path: '/spec/list/0' },
    ]);
    expect(patched.json.spec).toEqual({ list: ['between', 'b', 'end'] });
  },

  'a merge patch merges objects, replaces lists and removes what is null': async (scene) => {
    const widgets = await defineWidgets(scene);
    await scene.make(
      widgets.collection(),
      widgets.object('a', { map: { a: 1, b: 2 }, list: [1, 2], gone: 1 }),
    );
    const patched = await scene.patch(`${widgets.collection()}/a`, 'merge', {
      spec: { map: { b: 3, c: { d: null, e: 4 } }, list: [3], gone: null, never: null },
    });
    expect(patched.json.spec).toEqual({ map: { a: 1, b: 3, c: { e: 4 } }, list: [3] });
  },

  'a merge patch that is no object is refused': async (scene) => {
    const path = await aConfigMap(scene);
    expectFailure(
      await scene.patch(path, 'merge', 'x'),
      badRequest("error decoding patch: invalid character 'x' looking for beginning of value"),
    );
    expectFailure(
      await scene.patch(path, 'merge', [1]),
      badRequest(
        'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}',
      ),
    );
  },

  'a patch that changes nothing keeps the version': async (scene) => {
    const path = await aConfigMap(scene);
    const before = await scene.get(path);
    const patched = await scene.patch(path, 'merge', { data: { one: '1' } });
    expect(patched.status).toBe(200);
    expect(versionOf(patched.json)).toBe(versionOf(before.json));
  },

  'a patch cannot rename': async (scene) => {
    const path = await aConfigMap(scene);
    expectFailure(
      await scene.patch(path, 'merge', { metadata: { name: 'b' } }),
      badRequest('the name of the object (b) does not match the name on the URL (a)'),
    );
  },

  'a patch that leads to an object that cannot be read is refused': async (scene) => {
    const path = await aConfigMap(scene);
    expectRefusedPatch(
      await scene.patch(path, 'merge', { data: { one: 1 } }),
      'json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    );
  },

  'a patch of what is not there is not found': async (scene) => {
    const widgets = await defineWidgets(scene);
    for (const type of ['json', 'merge'] as const) {
      const body = type === 'json' ? [] : {};
      expectFailure(
        await scene.patch('/api/v1/namespaces/default/configmaps/none', type, body),
        notFound({ resource: 'configmaps' }, 'none'),
      );
      expectFailure(
        await scene.patch(`${widgets.collection()}/none`, type, body),
        notFound({ resource: 'widgets', group: widgets.group }, 'none'),
      );
    }
  },

  'an unknown field in a patch is dropped, warned of or refused, as asked': async (scene) => {
    const path = await aConfigMap(scene);
    const patch = { data: { one: 'x' }, datta: {} };
    const warned = await scene.patch(path, 'merge', patch);
    expect([warned.status, warned.warnings]).toEqual([200, ['unknown field "datta"']]);
    expect(warned.json).not.toHaveProperty('datta');
    const ignored = await scene.patch(`${path}?fieldValidation=Ignore`, 'merge', patch);
    expect([ignored.status, ignored.warnings]).toEqual([200, []]);
    expectRefusedPatch(
      await scene.patch(`${path}?fieldValidation=Strict`, 'merge', patch),
      'strict decoding error: unknown field "datta"',
    );
  },

  'the manager of an update owns what it changed, and loses what it removed': async (scene) => {
    const path = await aConfigMap(scene);
    await scene.patch(`${path}?fieldManager=zz`, 'merge', { data: { one: 'I', two: null, three: '3' } });
    const { json } = await scene.get(path);
    expect(json.metadata?.managedFields).toMatchObject([
      { manager: 'unknown', operation: 'Update', fieldsV1: { 'f:data': {}, 'f:metadata': {} } },
      { manager: 'zz', operation: 'Update', fieldsV1: { 'f:data': { 'f:one': {}, 'f:three': {} } } },
    ]);
    expect(JSON.stringify(json.metadata?.managedFields)).not.toContain('f:two');
  },
});
