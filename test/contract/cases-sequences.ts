/** What watchers and readers of lists see, event by event. */
import type { Loose } from './loose.ts';
import { namesOf, versionOf } from './loose.ts';
import { configMap, deployment } from './objects.ts';
import { recorded, type Story } from './recorded.ts';
import type { Watch } from './watch.ts';

/** Each event as its type and the part that matters. */
async function seen(watch: Watch, count: number, pick: (object: Loose) => unknown): Promise<unknown> {
  const events = await watch.take(count);
  return events.map(({ type, object }) => [type, pick(object ?? {})]);
}

/** Adds the events of a watch to the recorded responses, with a read-only request. */
async function recordEvents({ ask }: Story, events: unknown): Promise<void> {
  await ask('GET', '/version', { pick: () => events });
}

export const sequenceCases = recorded('sequences', {
  'each write is one event, and what changes nothing is none': async (story) => {
    const path = `/api/v1/namespaces/${story.space}/configmaps`;
    const { json } = await story.get(path);
    const watch = await story.watch(`${path}?watch=true&resourceVersion=${versionOf(json)}`);
    await story.post(path, configMap('a', { k: '1' }));
    await story.patch(`${path}/a`, 'merge', { data: { k: '1' } });
    await story.put(`${path}/a`, configMap('a', { k: '2' }));
    await story.patch(`${path}/a`, 'json', [{ op: 'add', path: '/metadata/labels', value: { x: 'y' } }]);
    await story.patch(`${path}/a?fieldManager=me`, 'apply', configMap('a', { z: '3' }));
    await story.patch(`${path}/a?fieldManager=me`, 'apply', configMap('a', { z: '3' }));
    await story.post(`${path}?dryRun=All`, configMap('b'));
    await story.delete(`${path}/a?dryRun=All`);
    await story.delete(`${path}/a`);
    await recordEvents(story, await seen(watch, 5, ({ metadata, data }) => [metadata?.labels, data]));
  },

  'scale and status are events of the object': async (story) => {
    const path = `/apis/apps/v1/namespaces/${story.space}/deployments`;
    const { json } = await story.get(path);
    const watch = await story.watch(`${path}?watch=true&resourceVersion=${versionOf(json)}`);
    await story.post(path, deployment('web'));
    await story.patch(`${path}/web/scale`, 'merge', { spec: { replicas: 3 } });
    await story.patch(`${path}/web/status`, 'merge', { status: { replicas: 3 } });
    await story.patch(`${path}/web`, 'merge', { metadata: { labels: { a: 'b' } } });
    const pick = ({ metadata, spec, status }: Loose) => [
      metadata?.generation,
      spec?.replicas,
      status?.replicas,
    ];
    await recordEvents(story, await seen(watch, 4, pick));
  },

  'a deletion with finalizers is a sequence': async (story) => {
    const path = `/api/v1/namespaces/${story.space}/configmaps`;
    const { json } = await story.get(path);
    const watch = await story.watch(`${path}?watch=true&resourceVersion=${versionOf(json)}`);
    await story.post(path, configMap('a', {}, { finalizers: ['example.com/a', 'example.com/b'] }));
    await story.delete(`${path}/a?propagationPolicy=Foreground`);
    for (const finalizers of [['example.com/b', 'foregroundDeletion'], ['foregroundDeletion'], []]) {
      await story.patch(`${path}/a`, 'merge', { metadata: { finalizers } });
    }
    const pick = ({ metadata }: Loose) => [metadata?.deletionTimestamp !== undefined, metadata?.finalizers];
    await recordEvents(story, await seen(watch, 5, pick));
  },

  'a collection that is deleted is one event an object, in order': async (story) => {
    const path = `/api/v1/namespaces/${story.space}/configmaps`;
    for (const name of ['c', 'a', 'b']) await story.make(path, configMap(name, {}, { labels: { in: 'it' } }));
    const { json } = await story.get(path);
    const watch = await story.watch(`${path}?watch=true&resourceVersion=${versionOf(json)}`);
    await story.delete(`${path}?labelSelector=in=it`);
    const events = await seen(watch, 3, ({ metadata }) => metadata?.name);
    await recordEvents(story, JSON.parse(JSON.stringify(events)).sort());
  },

  'a watch by label, from the beginning': async (story) => {
    const path = `/api/v1/namespaces/${story.space}/configmaps`;
    await story.make(path, configMap('in', {}, { labels: { x: 'y' } }));
    await story.make(path, configMap('out'));
    const watch = await story.watch(`${path}?watch=true&labelSelector=x=y`);
    const first = await seen(watch, 1, ({ metadata }) => metadata?.name);
    await story.patch(`${path}/out`, 'merge', { metadata: { labels: { x: 'y' } } });
    await story.patch(`${path}/out`, 'merge', { data: { k: 'v' } });
    await story.patch(`${path}/in`, 'merge', { metadata: { labels: { x: 'z' } } });
    await story.delete(`${path}/in`);
    await story.delete(`${path}/out`);
    const rest = await seen(watch, 4, ({ metadata, data }) => [metadata?.name, metadata?.labels, data]);
    await recordEvents(story, [first, rest]);
  },

  'pages with writes between them add up to the moment of the first': async (story) => {
    const path = `/api/v1/namespaces/${story.space}/configmaps`;
    for (const name of ['a', 'b', 'c', 'd', 'e']) await story.make(path, configMap(name, { k: '1' }));
    const pages: unknown[] = [];
    let query = 'limit=2';
    for (const change of [
      () => story.delete(`${path}/d`),
      () => story.post(path, configMap('cc')),
      () => story.patch(`${path}/e`, 'merge', { data: { k: '2' } }),
    ]) {
      const { json } = await story.get(`${path}?${query}`);
      pages.push([namesOf(json), json.metadata?.remainingItemCount]);
      await change();
      query = `limit=2&continue=${encodeURIComponent(String(json.metadata?.continue))}`;
    }
    const { json } = await story.get(path);
    await recordEvents(story, [pages, namesOf(json)]);
  },

  'what is not a page, a limit or a version': async ({ ask, space }) => {
    const path = `/api/v1/namespaces/${space}/configmaps`;
    const names = { pick: () => 'listed' };
    for (const query of [
      'limit=-1',
      'limit=x',
      'continue=x',
      'continue=%21',
      'resourceVersionMatch=Exact',
      'resourceVersionMatch=X&resourceVersion=1',
      'resourceVersion=0&resourceVersionMatch=Exact',
      'timeoutSeconds=x',
      'timeoutSeconds=-1',
      'sendInitialEvents=true',
      'labelSelector=a%20b',
      'fieldSelector=data.x=1',
      'unknown=1&allowWatchBookmarks=true',
    ]) {
      await ask('GET', `${path}?${query}`, names);
    }
    await ask('GET', `${path}/none?resourceVersion=x`);
    await ask('GET', `${path}?resourceVersion=x`);
    await ask('GET', `${path}?watch=true&resourceVersion=x`);
  },
});
