/** DeleteOptions in the body or the query. Invalid options must not delete. */
import type { Loose } from './loose.ts';
import { configMap, pod } from './objects.ts';
import { envelope } from './protobuf.ts';
import { recorded, type Story } from './recorded.ts';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const marks = ({ status, metadata }: Loose): unknown =>
  metadata?.deletionTimestamp === undefined ? status : metadata.finalizers;

async function collectionOf({ make, space }: Story, ...names: readonly string[]): Promise<string> {
  const path = `/api/v1/namespaces/${space}/configmaps`;
  for (const name of names) await make(path, configMap(name));
  return path;
}

export const deleteOptionCases = recorded('options of deletion', {
  'options of the wrong type delete nothing': async (story) => {
    const path = await collectionOf(story, 'a');
    for (const options of [
      { dryRun: 'All' },
      { gracePeriodSeconds: 'x' },
      { gracePeriodSeconds: 1.5 },
      { orphanDependents: 'x' },
      { propagationPolicy: 1 },
      { preconditions: [] },
      { preconditions: { uid: 1 } },
      { preconditions: { resourceVersion: 1 } },
      [],
      1,
      'x',
    ]) {
      await story.ask('DELETE', `${path}/a`, { body: JSON.stringify(options) });
    }
    await story.ask('GET', `${path}/a`, { pick: ({ metadata }) => metadata?.name });
  },

  'a body that cannot be read deletes nothing': async (story) => {
    const path = await collectionOf(story, 'a');
    await story.ask('DELETE', `${path}/a`, { body: '{' });
    await story.ask('DELETE', `${path}/a`, { body: '{}', contentType: 'text/plain' });
    await story.ask('DELETE', `${path}/a`, { body: Buffer.from('nonsense'), contentType: PROTOBUF });
    const other = envelope('v1', 'ConfigMap', []);
    await story.ask('DELETE', `${path}/a`, { body: other, contentType: PROTOBUF });
    await story.ask('GET', `${path}/a`, { pick: ({ metadata }) => metadata?.name });
  },

  'options are read from protobuf and YAML': async (story) => {
    const path = await collectionOf(story, 'a', 'b');
    const wrong = envelope('v1', 'DeleteOptions', [[2, [[1, 'another']]]]);
    const refused = await story.ask('DELETE', `${path}/a`, { body: wrong, contentType: PROTOBUF });
    if (refused.status !== 409) throw new Error(refused.body);
    const orphan = envelope('v1', 'DeleteOptions', [[4, 'Orphan']]);
    await story.ask('DELETE', `${path}/a`, { body: orphan, contentType: PROTOBUF, pick: marks });
    const body = 'dryRun: [All]\n';
    await story.ask('DELETE', `${path}/b`, { body, contentType: 'application/yaml', pick: marks });
    await story.ask('GET', `${path}/b`, { pick: ({ metadata }) => metadata?.name });
  },

  'options of any group are options': async (story) => {
    const path = await collectionOf(story, 'a');
    const dryRun = ['All'];
    for (const body of [
      { apiVersion: 'apps/v1', kind: 'DeleteOptions', dryRun },
      { kind: 'DeleteOptions', dryRun },
      { foo: 1, dryRun },
      { apiVersion: 'example.com/v9', kind: 'DeleteOptions', dryRun },
    ]) {
      await story.ask('DELETE', `${path}/a`, { body, pick: marks });
    }
  },

  'the query is read where there is no body': async (story) => {
    const path = await collectionOf(story, 'a');
    for (const query of [
      'dryRun=',
      'gracePeriodSeconds=x',
      'propagationPolicy=X',
      'propagationPolicy=Orphan&orphanDependents=true',
      'dryRun=All&propagationPolicy=Foreground',
    ]) {
      await story.ask('DELETE', `${path}/a?${query}`, { pick: marks });
    }
    await story.ask('GET', `${path}/a`, { pick: ({ metadata }) => metadata?.name });
  },

  'each way of treating dependents, on an object that others hold': async (story) => {
    const path = `/api/v1/namespaces/${story.space}/configmaps`;
    for (const [index, policy] of ['Foreground', 'Orphan', 'Background', ''].entries()) {
      const name = `held-${index}`;
      await story.make(path, configMap(name, {}, { finalizers: ['example.com/hold'] }));
      const query = policy === '' ? '' : `?propagationPolicy=${policy}`;
      await story.ask('DELETE', `${path}/${name}${query}`, { pick: marks });
    }
  },

  'each way after each other': async (story) => {
    const path = `/api/v1/namespaces/${story.space}/configmaps`;
    const ways = ['Foreground', 'Orphan', 'Background'];
    for (const first of ways) {
      for (const second of ways) {
        const name = `${first}-${second}`.toLowerCase();
        await story.make(path, configMap(name, {}, { finalizers: ['example.com/hold'] }));
        await story.ask('DELETE', `${path}/${name}?propagationPolicy=${first}`, { pick: marks });
        await story.ask('DELETE', `${path}/${name}?propagationPolicy=${second}`, { pick: marks });
      }
    }
  },

  'a collection is deleted in the way that is asked for': async (story) => {
    const path = await collectionOf(story, 'a', 'b');
    const finalizers = ({ items }: Loose): unknown =>
      JSON.parse(JSON.stringify(items)).map((one: Loose) => one.metadata?.finalizers ?? []);
    await story.ask('DELETE', `${path}?dryRun=All`, { pick: finalizers });
    await story.ask('DELETE', `${path}`, { body: { propagationPolicy: 'Foreground' }, pick: finalizers });
    await story.ask('GET', path, { pick: finalizers });
  },

  'a pod that waits and one that runs': async (story) => {
    const pods = `/api/v1/namespaces/${story.space}/pods`;
    await story.make(pods, pod('waits'));
    await story.make(pods, pod('runs', { nodeName: 'somewhere' }));
    const shown = ({ metadata }: Loose): unknown => [
      metadata?.deletionGracePeriodSeconds,
      metadata?.generation,
    ];
    await story.ask('DELETE', `${pods}/waits?dryRun=All`, { pick: shown });
    await story.ask('DELETE', `${pods}/runs?dryRun=All`, { pick: shown });
    await story.ask('DELETE', `${pods}/runs`, { body: { gracePeriodSeconds: 5 }, pick: shown });
    await story.ask('DELETE', `${pods}/runs`, { body: { gracePeriodSeconds: 50 }, pick: shown });
    await story.ask('DELETE', `${pods}/waits`, { pick: shown });
    await story.ask('GET', `${pods}/waits`);
  },
});
