/** Server-side apply of lists and maps: by key, as sets, or whole. */
import { expect } from 'vitest';
import { topic } from './contract-case.ts';
import { defineWidgets, type Kind } from './custom-resources.ts';
import type { Answer } from './http-client.ts';
import { type Loose, listOf } from './loose.ts';
import type { Fields } from './objects.ts';
import type { Scene } from './scene.ts';
import { expectFailure } from './statuses.ts';

const item = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string' }, value: { type: 'string' }, extra: { type: 'string' } },
};

const spec = {
  type: 'object',
  properties: {
    byName: {
      type: 'array',
      items: item,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    },
    set: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
    whole: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'atomic' },
    plain: { type: 'array', items: { type: 'string' } },
    map: { type: 'object', additionalProperties: { type: 'string' } },
    atomicMap: {
      type: 'object',
      additionalProperties: { type: 'string' },
      'x-kubernetes-map-type': 'atomic',
    },
  },
};

type Apply = (manager: string, spec: Fields, more?: string) => Promise<Answer>;

async function aWidget(scene: Scene): Promise<{ readonly widgets: Kind; readonly apply: Apply }> {
  const widgets = await defineWidgets(scene, { spec });
  const apply: Apply = (manager, fields, more = '') =>
    scene.patch(
      `${widgets.collection()}/a?fieldManager=${manager}${more}`,
      'apply',
      widgets.object('a', fields),
    );
  return { widgets, apply };
}

function ownedBy(object: Loose, wanted: string): Loose | undefined {
  return listOf(object.metadata?.managedFields).find(({ manager }) => String(manager) === wanted)?.fieldsV1;
}

export const applyListCases = topic('server-side apply of lists', {
  'items of a list with keys belong to whoever applied them': async (scene) => {
    const { apply } = await aWidget(scene);
    await apply('first', {
      byName: [
        { name: 'a', value: '1' },
        { name: 'b', value: '1' },
      ],
    });
    const second = await apply('second', {
      byName: [
        { name: 'c', value: '2' },
        { name: 'b', extra: 'x' },
      ],
    });
    expect(second.json.spec?.byName).toEqual([
      { name: 'a', value: '1' },
      { name: 'c', value: '2' },
      { name: 'b', value: '1', extra: 'x' },
    ]);
    expect(ownedBy(second.json, 'first')).toEqual({
      'f:spec': {
        'f:byName': {
          'k:{"name":"a"}': { '.': {}, 'f:name': {}, 'f:value': {} },
          'k:{"name":"b"}': { '.': {}, 'f:name': {}, 'f:value': {} },
        },
      },
    });
    const third = await apply('first', { byName: [{ name: 'b', value: '1' }] });
    expect(third.json.spec?.byName).toEqual([
      { name: 'c', value: '2' },
      { name: 'b', value: '1', extra: 'x' },
    ]);
  },

  'a conflict inside an item names it by its key': async (scene) => {
    const { apply } = await aWidget(scene);
    await apply('first', { byName: [{ name: 'a', value: '1' }] });
    expectFailure(await apply('second', { byName: [{ name: 'a', value: '2' }] }), {
      code: 409,
      reason: 'Conflict',
      message: 'Apply failed with 1 conflict: conflict with "first": .spec.byName[name="a"].value',
      details: {
        causes: [
          {
            reason: 'FieldManagerConflict',
            message: 'conflict with "first"',
            field: '.spec.byName[name="a"].value',
          },
        ],
      },
    });
  },

  'a set is the union of what its managers applied': async (scene) => {
    const { apply } = await aWidget(scene);
    await apply('first', { set: ['a', 'b'] });
    const second = await apply('second', { set: ['c', 'b'] });
    expect(second.json.spec?.set).toEqual(['a', 'c', 'b']);
    expect(ownedBy(second.json, 'second')).toEqual({ 'f:spec': { 'f:set': { 'v:"b"': {}, 'v:"c"': {} } } });
    const third = await apply('first', { set: [] });
    expect(third.json.spec?.set).toEqual(['c', 'b']);
  },

  'an atomic list, and a list that says nothing, has one owner': async (scene) => {
    const { apply } = await aWidget(scene);
    for (const field of ['whole', 'plain']) {
      await apply('first', { [field]: ['a'] });
      const refused = await apply('second', { [field]: ['b'] });
      expect(refused.json.message).toBe(
        `Apply failed with 1 conflict: conflict with "first": .spec.${field}`,
      );
      const forced = await apply('second', { [field]: ['b'] }, '&force=true');
      expect(forced.json.spec?.[field]).toEqual(['b']);
      expect(ownedBy(forced.json, 'second')).toEqual({ 'f:spec': { [`f:${field}`]: {} } });
      await apply('second', {});
    }
  },

  'maps are merged by key unless they are atomic': async (scene) => {
    const { apply } = await aWidget(scene);
    await apply('first', { map: { a: '1' }, atomicMap: { a: '1' } });
    const merged = await apply('second', { map: { b: '2' } });
    expect(merged.json.spec?.map).toEqual({ a: '1', b: '2' });
    const refused = await apply('third', { atomicMap: { b: '2' } });
    expect(refused.json.message).toBe('Apply failed with 1 conflict: conflict with "first": .spec.atomicMap');
  },

  'an item that lacks its key or is there twice is refused': async (scene) => {
    const { widgets, apply } = await aWidget(scene);
    const typed = `failed to create typed patch object (/a; ${widgets.apiVersion}, Kind=Widget): `;
    expectFailure(await apply('me', { byName: [{ value: '1' }] }), {
      code: 500,
      message: `${typed}.spec.byName: element 0: associative list with keys has an element that omits key field "name" (and doesn't have default value)`,
    });
    expectFailure(await apply('me', { byName: [{ name: 'a' }, { name: 'a' }] }), {
      code: 500,
      message: `${typed}.spec.byName: duplicate entries for key [name="a"]`,
    });
    expectFailure(await apply('me', { set: ['a', 'a'] }), {
      code: 500,
      message: `${typed}.spec.set: duplicate entries for key [="a"]`,
    });
  },

  'a field that the schema does not have is refused, whatever validation is asked for': async (scene) => {
    const { widgets, apply } = await aWidget(scene);
    for (const validation of ['Strict', 'Warn', 'Ignore']) {
      expectFailure(await apply('me', { none: 1 }, `&fieldValidation=${validation}`), {
        code: 500,
        message: `failed to create typed patch object (/a; ${widgets.apiVersion}, Kind=Widget): .spec.none: field not declared in schema`,
      });
    }
  },

  'containers of a pod template are merged by name and its ports by port and protocol': async (scene) => {
    const space = await scene.namespace();
    const path = `/apis/apps/v1/namespaces/${space}/deployments/a`;
    const apply = (manager: string, containers: readonly Fields[]) =>
      scene.patch(`${path}?fieldManager=${manager}`, 'apply', {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'a' },
        spec: {
          selector: { matchLabels: { app: 'a' } },
          template: { metadata: { labels: { app: 'a' } }, spec: { containers } },
        },
      });
    await apply('first', [{ name: 'one', image: 'one', ports: [{ containerPort: 80 }] }]);
    const second = await apply('second', [{ name: 'one', image: 'one', ports: [{ containerPort: 81 }] }]);
    expect(second.status).toBe(200);
    expect(second.json.spec?.template?.spec?.containers).toMatchObject([
      {
        name: 'one',
        ports: [
          { containerPort: 80, protocol: 'TCP' },
          { containerPort: 81, protocol: 'TCP' },
        ],
      },
    ]);
    expect(JSON.stringify(ownedBy(second.json, 'second'))).toContain(
      'k:{\\"containerPort\\":81,\\"protocol\\":\\"TCP\\"}',
    );
  },
});
