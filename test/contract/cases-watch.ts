/** Watches: what they show, from where, and how they end. */
import { expect } from 'vitest';
import { topic } from './contract-case.ts';
import { defineWidgets } from './custom-resources.ts';
import { type Loose, textOf, versionOf } from './loose.ts';
import { essence, normalised } from './normalised.ts';
import { configMap, type Fields } from './objects.ts';
import type { Scene } from './scene.ts';
import { badRequest, expectFailure, invalid } from './statuses.ts';

/** `ADDED a`: what happened to which object. */
function summaries(events: readonly Loose[]): readonly string[] {
  return events.map(({ type, object }) => `${type} ${object?.metadata?.name ?? ''}`.trim());
}

function secret(name: string, labels: Fields = {}): Fields {
  return { metadata: { name, labels } };
}

async function secretsOf(scene: Scene): Promise<string> {
  return `/api/v1/namespaces/${await scene.namespace()}/secrets`;
}

export const watchCases = topic('watch', {
  'a watch from a version shows everything after it': async (scene) => {
    const path = await secretsOf(scene);
    await scene.make(path, secret('before'));
    const { json } = await scene.get(path);
    const watch = await scene.watch(`${path}?watch=true&resourceVersion=${versionOf(json)}`);
    expect(watch.headers['content-type']).toBe('application/json');
    expect(watch.headers['transfer-encoding']).toBe('chunked');
    const made = await scene.make(path, secret('a'));
    await scene.patch(`${path}/a`, 'merge', { data: { k: 'dg==' } });
    await scene.delete(`${path}/before`);
    const events = await watch.take(3);
    expect(summaries(events)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED before']);
    expect(events[0]?.object).toEqual(made);
  },

  'a watch from the version before a change shows that change, however late it starts': async (scene) => {
    const path = await secretsOf(scene);
    const { json } = await scene.get(path);
    await scene.make(path, secret('a'));
    await scene.make(path, secret('b'));
    await scene.delete(`${path}/a`);
    const watch = await scene.watch(`${path}?watch=1&resourceVersion=${versionOf(json)}`);
    expect(summaries(await watch.take(3))).toEqual(['ADDED a', 'ADDED b', 'DELETED a']);
  },

  'a watch from version 0 or from none begins with what is there': async (scene) => {
    const path = await secretsOf(scene);
    await scene.make(path, secret('a'));
    await scene.make(path, secret('b'));
    await scene.get(path);
    for (const query of ['watch=true&resourceVersion=0', 'watch=true']) {
      const watch = await scene.watch(`${path}?${query}`);
      expect([...summaries(await watch.take(2))].sort()).toEqual(['ADDED a', 'ADDED b']);
    }
  },

  'a deletion shows the object as it last was, at the version of the deletion': async (scene) => {
    const path = await secretsOf(scene);
    const made = await scene.make(path, { ...secret('a'), data: { k: 'dg==' } });
    const watch = await scene.watch(`${path}?watch=true&resourceVersion=${versionOf(made)}`);
    await scene.delete(`${path}/a`);
    const [event] = await watch.take(1);
    expect(event?.type).toBe('DELETED');
    expect(essence(event?.object)).toEqual(essence(made));
    expect(Number(versionOf(event?.object ?? {}))).toBeGreaterThan(Number(versionOf(made)));
  },

  'an object with a finalizer is modified first and deleted when it is let go': async (scene) => {
    const path = `/api/v1/namespaces/${await scene.namespace()}/configmaps`;
    const made = await scene.make(path, configMap('a', {}, { finalizers: ['example.com/hold'] }));
    const watch = await scene.watch(
      `${path}?watch=true&resourceVersion=${versionOf(made)}&fieldSelector=metadata.name=a`,
    );
    await scene.delete(`${path}/a`);
    await scene.patch(`${path}/a`, 'merge', { metadata: { finalizers: null } });
    const events = await watch.take(2);
    expect(summaries(events)).toEqual(['MODIFIED a', 'DELETED a']);
    expect(events[0]?.object?.metadata).toHaveProperty('deletionTimestamp');
    // The object that was let go is shown as it was before that.
    expect(events[1]?.object?.metadata).toHaveProperty('finalizers', ['example.com/hold']);
  },

  'entering a selector is ADDED and leaving it is DELETED, with the object as it was before': async (
    scene,
  ) => {
    const path = await secretsOf(scene);
    const made = await scene.make(path, secret('a', { set: 'y' }));
    const watch = await scene.watch(
      `${path}?watch=true&labelSelector=set=x&resourceVersion=${versionOf(made)}`,
    );
    await scene.patch(`${path}/a`, 'merge', { metadata: { labels: { set: 'x' } } });
    await scene.patch(`${path}/a`, 'merge', { metadata: { labels: { more: 'z' } } });
    const left = await scene.patch(`${path}/a`, 'merge', { metadata: { labels: { set: 'y' } } });
    const events = await watch.take(3);
    expect(summaries(events)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a']);
    expect(events[2]?.object?.metadata?.labels).toEqual({ set: 'x', more: 'z' });
    expect(versionOf(events[2]?.object ?? {})).toBe(versionOf(left.json));
  },

  'a watch of one name shows that object alone': async (scene) => {
    const path = await secretsOf(scene);
    const { json } = await scene.get(path);
    const watch = await scene.watch(
      `${path}?watch=true&resourceVersion=${versionOf(json)}&fieldSelector=metadata.name=b`,
    );
    await scene.make(path, secret('a'));
    await scene.make(path, secret('b'));
    expect(summaries(await watch.take(1))).toEqual(['ADDED b']);
  },

  'a watch of all namespaces shows each': async (scene) => {
    const [first, second] = [await secretsOf(scene), await secretsOf(scene)];
    const set = scene.name('set');
    const { json } = await scene.get('/api/v1/secrets?limit=1');
    const watch = await scene.watch(
      `/api/v1/secrets?watch=true&labelSelector=set=${set}&resourceVersion=${versionOf(json)}`,
    );
    await scene.make(first, secret('a', { set }));
    await scene.make(second, secret('b', { set }));
    expect(summaries(await watch.take(2))).toEqual(['ADDED a', 'ADDED b']);
  },

  'the old path of watches is still served': async (scene) => {
    const space = await scene.namespace();
    const made = await scene.make(`/api/v1/namespaces/${space}/secrets`, secret('a'));
    const watch = await scene.watch(
      `/api/v1/watch/namespaces/${space}/secrets/a?resourceVersion=${Number(versionOf(made)) - 1}`,
    );
    expect(summaries(await watch.take(1))).toEqual(['ADDED a']);
  },

  'timeoutSeconds ends the watch without an error': async (scene) => {
    const path = await secretsOf(scene);
    const { json } = await scene.get(path);
    const watch = await scene.watch(`${path}?watch=true&timeoutSeconds=1&resourceVersion=${versionOf(json)}`);
    expect(await watch.next()).toBeUndefined();
  },

  'a watch that ends with bookmarks allowed says where it got to': async (scene) => {
    const path = await secretsOf(scene);
    const made = await scene.make(path, secret('a'));
    const watch = await scene.watch(
      `${path}?watch=true&allowWatchBookmarks=true&timeoutSeconds=3&resourceVersion=${versionOf(made)}`,
    );
    const events: Loose[] = [];
    for await (const event of watch) events.push(event);
    const last = events.at(-1);
    expect(last?.type).toBe('BOOKMARK');
    expect(normalised(last?.object)).toEqual({
      kind: 'Secret',
      apiVersion: 'v1',
      metadata: { resourceVersion: '<version>', creationTimestamp: null },
    });
    expect(Number(versionOf(last?.object ?? {}))).toBeGreaterThanOrEqual(Number(versionOf(made)));
  },

  'initial events are refused: 1.33 has them switched off': async (scene) => {
    const refusal = {
      reason: 'FieldValueForbidden',
      message:
        'Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
      field: 'sendInitialEvents',
    };
    const options = { kind: 'ListOptions', group: 'meta.k8s.io', name: '' };
    const query = 'watch=true&sendInitialEvents=true&allowWatchBookmarks=true';
    expectFailure(
      await scene.get(`/api/v1/secrets?${query}&resourceVersionMatch=NotOlderThan`),
      invalid(options, refusal),
    );
    const match = {
      reason: 'FieldValueForbidden',
      message: 'Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
      field: 'resourceVersionMatch',
    };
    expectFailure(await scene.get(`/api/v1/secrets?${query}`), invalid(options, match, refusal));
    expectFailure(
      await scene.get('/api/v1/secrets?sendInitialEvents=true'),
      invalid(options, { ...refusal, message: 'Forbidden: sendInitialEvents is forbidden for list' }),
    );
  },

  'a version that is too old is an event of type ERROR, and the watch ends': async (scene) => {
    const widgets = await defineWidgets(scene);
    await scene.make(widgets.collection(), widgets.object('a'));
    await scene.get(widgets.collection());
    const watch = await scene.watch(`${widgets.collection()}?watch=true&resourceVersion=1`);
    const [event] = await watch.take(1);
    const message = textOf(event?.object?.message);
    expect(message).toMatch(/^too old resource version: 1 \(\d+\)$/);
    expect(event).toEqual({
      type: 'ERROR',
      object: {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message,
        reason: 'Expired',
        code: 410,
      },
    });
    expect(await watch.next()).toBeUndefined();
  },

  'a version that is no number and a selector that is none are refused': async (scene) => {
    expectFailure(await scene.get('/api/v1/secrets?watch=true&resourceVersion=x'), {
      code: 500,
      message: 'resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
    });
    expectFailure(
      await scene.get('/api/v1/secrets?watch=true&labelSelector=,='),
      badRequest("found ',', expected: !, identifier, or 'end of string'"),
    );
  },

  'a watch of Tables shows one row an event, and the columns in the first alone': async (scene) => {
    const path = await secretsOf(scene);
    const { json } = await scene.get(path);
    const watch = await scene.watch(`${path}?watch=true&resourceVersion=${versionOf(json)}`, {
      accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
    });
    await scene.make(path, secret('a'));
    await scene.make(path, secret('b'));
    const [first, second] = await watch.take(2);
    expect(first).toMatchObject({ type: 'ADDED', object: { kind: 'Table', apiVersion: 'meta.k8s.io/v1' } });
    expect(first?.object?.columnDefinitions).toMatchObject([
      { name: 'Name' },
      { name: 'Type' },
      { name: 'Data' },
      { name: 'Age' },
    ]);
    expect(first?.object?.rows).toMatchObject([
      { cells: ['a', 'Opaque', 0, '0s'], object: { kind: 'PartialObjectMetadata', metadata: { name: 'a' } } },
    ]);
    expect(second?.object?.columnDefinitions).toBeNull();
    expect(second?.object?.rows).toMatchObject([{ cells: ['b', 'Opaque', 0, '0s'] }]);
  },

  'a watch of metadata alone shows partial objects': async (scene) => {
    const path = await secretsOf(scene);
    const { json } = await scene.get(path);
    const watch = await scene.watch(`${path}?watch=true&resourceVersion=${versionOf(json)}`, {
      accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
    });
    await scene.make(path, { ...secret('a'), data: { k: 'dg==' } });
    const [event] = await watch.take(1);
    expect(event?.object).toMatchObject({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { name: 'a' },
    });
    expect(event?.object).not.toHaveProperty('data');
  },
});
