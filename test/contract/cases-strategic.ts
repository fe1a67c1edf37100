/** Strategic merge patches: merge keys, directives and order. */
import { expect } from 'vitest';
import { topic } from './contract-case.ts';
import { defineWidgets } from './custom-resources.ts';
import { type Loose, listOf } from './loose.ts';
import { configMap, deployment, node } from './objects.ts';
import type { Scene } from './scene.ts';
import { expectFailure } from './statuses.ts';

async function aDeployment(scene: Scene): Promise<string> {
  const path = `/apis/apps/v1/namespaces/${await scene.namespace()}/deployments`;
  const container = (name: string) => ({
    name,
    image: `example.com/${name}`,
    env: [{ name: 'A', value: name }],
    args: ['x'],
  });
  await scene.make(
    path,
    deployment('a', {
      selector: { matchLabels: { app: 'a' } },
      template: {
        metadata: { labels: { app: 'a' } },
        spec: { containers: [container('one'), container('two')], nodeSelector: { x: 'y', z: 'w' } },
      },
    }),
  );
  return `${path}/a`;
}

function containers(object: Loose): readonly Loose[] {
  return listOf(object.spec?.template?.spec?.containers);
}

const inTemplate = (spec: object) => ({ spec: { template: { spec } } });

export const strategicCases = topic('strategic patches', {
  'items of a list with a merge key are merged by it': async (scene) => {
    const path = await aDeployment(scene);
    const { json } = await scene.patch(
      path,
      'strategic',
      inTemplate({ containers: [{ name: 'two', image: 'new' }] }),
    );
    expect(containers(json)).toMatchObject([
      { name: 'one', image: 'example.com/one' },
      { name: 'two', image: 'new', env: [{ name: 'A', value: 'two' }], args: ['x'] },
    ]);
  },

  'a new item comes first': async (scene) => {
    const path = await aDeployment(scene);
    const { json } = await scene.patch(
      path,
      'strategic',
      inTemplate({ containers: [{ name: 'three', image: 'new' }] }),
    );
    expect(containers(json).map(({ name }) => name)).toEqual(['three', 'one', 'two']);
  },

  'lists inside merged items are merged too, and lists without a key are replaced': async (scene) => {
    const path = await aDeployment(scene);
    const { json } = await scene.patch(
      path,
      'strategic',
      inTemplate({ containers: [{ name: 'one', env: [{ name: 'B', value: 'b' }], args: ['y', 'z'] }] }),
    );
    expect(containers(json)[0]).toMatchObject({
      env: [
        { name: 'B', value: 'b' },
        { name: 'A', value: 'one' },
      ],
      args: ['y', 'z'],
    });
  },

  '$patch: delete removes one item': async (scene) => {
    const path = await aDeployment(scene);
    const { json } = await scene.patch(
      path,
      'strategic',
      inTemplate({ containers: [{ name: 'one', $patch: 'delete' }] }),
    );
    expect(containers(json).map(({ name }) => name)).toEqual(['two']);
  },

  '$patch: replace replaces the list or the map': async (scene) => {
    const path = await aDeployment(scene);
    const { json } = await scene.patch(
      path,
      'strategic',
      inTemplate({
        containers: [{ $patch: 'replace' }, { name: 'new', image: 'new' }],
        nodeSelector: { $patch: 'replace', only: 'this' },
      }),
    );
    expect(containers(json)).toMatchObject([{ name: 'new', image: 'new' }]);
    expect(json.spec?.template?.spec?.nodeSelector).toEqual({ only: 'this' });
  },

  '$patch: delete removes a map': async (scene) => {
    const path = await aDeployment(scene);
    const { json } = await scene.patch(path, 'strategic', inTemplate({ nodeSelector: { $patch: 'delete' } }));
    expect(json.spec?.template?.spec).not.toHaveProperty('nodeSelector');
  },

  '$retainKeys drops the keys that it does not name': async (scene) => {
    const path = await aDeployment(scene);
    const { json } = await scene.patch(path, 'strategic', {
      spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } },
    });
    expect(json.spec?.strategy).toEqual({ type: 'Recreate' });
  },

  '$setElementOrder orders the merged list': async (scene) => {
    const path = await aDeployment(scene);
    const { json } = await scene.patch(
      path,
      'strategic',
      inTemplate({
        '$setElementOrder/containers': [{ name: 'two' }, { name: 'three' }, { name: 'one' }],
        containers: [{ name: 'three', image: 'new' }],
      }),
    );
    expect(containers(json).map(({ name }) => name)).toEqual(['two', 'three', 'one']);
  },

  '$deleteFromPrimitiveList takes values out of a list of values': async (scene) => {
    const space = await scene.namespace();
    const path = `/api/v1/namespaces/${space}/configmaps`;
    await scene.make(path, configMap('a', {}, { finalizers: ['example.com/a', 'example.com/b'] }));
    const { json } = await scene.patch(`${path}/a`, 'strategic', {
      metadata: { '$deleteFromPrimitiveList/finalizers': ['example.com/a'], finalizers: ['example.com/c'] },
    });
    expect(json.metadata?.finalizers).toEqual(['example.com/c', 'example.com/b']);
    await scene.patch(`${path}/a`, 'merge', { metadata: { finalizers: null } });
  },

  'null removes a key, in maps and in merged items': async (scene) => {
    const path = await aDeployment(scene);
    const { json } = await scene.patch(
      path,
      'strategic',
      inTemplate({ containers: [{ name: 'one', args: null }], nodeSelector: { x: null } }),
    );
    expect(containers(json)[0]).not.toHaveProperty('args');
    expect(json.spec?.template?.spec?.nodeSelector).toEqual({ z: 'w' });
  },

  'taints of a node are one list without a key': async (scene) => {
    const name = scene.name('node');
    const taint = (key: string) => ({ key, effect: 'NoSchedule' });
    await scene.make('/api/v1/nodes', node(name, { taints: [taint('a'), taint('b')] }));
    const { json } = await scene.patch(`/api/v1/nodes/${name}`, 'strategic', {
      spec: { taints: [taint('c')] },
    });
    expect(json.spec?.taints).toEqual([taint('c')]);
  },

  'owners are merged by their uid': async (scene) => {
    const path = `/api/v1/namespaces/${await scene.namespace()}/configmaps`;
    const owner = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', name, uid: `uid-${name}` });
    await scene.make(path, configMap('a', {}, { ownerReferences: [owner('x')] }));
    const { json } = await scene.patch(`${path}/a`, 'strategic', {
      metadata: { ownerReferences: [{ ...owner('x'), controller: true }, owner('y')] },
    });
    expect(json.metadata?.ownerReferences).toEqual([{ ...owner('x'), controller: true }, owner('y')]);
    const removed = await scene.patch(`${path}/a`, 'strategic', {
      metadata: { ownerReferences: [{ uid: 'uid-x', $patch: 'delete' }] },
    });
    expect(removed.json.metadata?.ownerReferences).toEqual([owner('y')]);
  },

  'an item without its merge key is refused': async (scene) => {
    const path = await aDeployment(scene);
    expectFailure(await scene.patch(path, 'strategic', inTemplate({ containers: [{ image: 'x' }] })), {
      code: 500,
      message: 'map: map[image:x] does not contain declared merge key: name',
    });
  },

  'an unknown directive is refused': async (scene) => {
    const path = await aDeployment(scene);
    expectFailure(await scene.patch(path, 'strategic', { spec: { $patch: 'turn' } }), {
      code: 500,
      message: 'unknown patch type: turn in map: map[$patch:turn]',
    });
  },

  'a strategic patch of a custom resource is not supported': async (scene) => {
    const widgets = await defineWidgets(scene);
    await scene.make(widgets.collection(), widgets.object('a'));
    expectFailure(await scene.patch(`${widgets.collection()}/a`, 'strategic', {}), {
      code: 415,
      reason: 'UnsupportedMediaType',
      message:
        'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
    });
  },
});
