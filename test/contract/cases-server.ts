/** Health, queries, warnings, and the field managers that the server sets. */
import { expect } from 'vitest';
import { topic } from './contract-case.ts';
import { type Loose, listOf } from './loose.ts';
import { configMap, pod } from './objects.ts';
import { badRequest, expectFailure, invalid, notFound } from './statuses.ts';

const DEPRECATED = 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice';

/** The fields that each manager owns, by its name and subresource. */
function ownersOf(object: Loose): Record<string, Loose | undefined> {
  const entries = listOf(object.metadata?.managedFields).map(({ manager, subresource, fieldsV1 }) => [
    [manager, subresource].filter((part) => part !== undefined).join('/'),
    fieldsV1,
  ]);
  return Object.fromEntries(entries);
}

export const serverCases = topic('server', {
  'each check of health has a path of its own': async (scene) => {
    for (const path of [
      '/healthz/ping',
      '/livez/etcd',
      '/healthz/log',
      '/readyz/etcd-readiness',
      '/readyz/shutdown',
    ]) {
      const answer = await scene.get(path);
      expect([answer.status, answer.body]).toEqual([200, 'ok']);
    }
    for (const path of ['/livez/shutdown', '/livez/etcd-readiness', '/healthz/none', '/readyz/']) {
      expect((await scene.get(path)).status).toBe(404);
    }
  },

  'a check of health can be left out': async (scene) => {
    expect((await scene.get('/readyz?exclude=etcd')).body).toBe('ok');
    const { body } = await scene.get('/livez?verbose&exclude=etcd&exclude=none');
    const lines = body.split('\n');
    expect(lines.slice(0, 3)).toEqual(['[+]ping ok', '[+]log ok', '[+]etcd excluded: ok']);
    expect(lines.slice(-3)).toEqual([
      'warn: some health checks cannot be excluded: no matches for "none"',
      'livez check passed',
      '',
    ]);
  },

  'the server is a Service': async (scene) => {
    const { json } = await scene.get('/api/v1/namespaces/default/services/kubernetes');
    expect(json.metadata?.labels).toEqual({ component: 'apiserver', provider: 'kubernetes' });
    expect(json.spec).toMatchObject({
      clusterIP: '10.96.0.1',
      clusterIPs: ['10.96.0.1'],
      type: 'ClusterIP',
      ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: expect.any(Number) }],
    });
  },

  'what is not escaped as it should be is not in the query': async (scene) => {
    const path = `/api/v1/namespaces/${await scene.namespace()}/configmaps`;
    for (const query of ['limit=%zz', 'labelSelector=%', 'limit=1;continue=x', 'limit=1&continue=%zz']) {
      expect((await scene.get(`${path}?${query}`)).status).toBe(200);
    }
    expect((await scene.post(`${path}?dryRun=%zz`, configMap('a'))).status).toBe(201);
    expect((await scene.get(`${path}/a`)).status).toBe(200);
  },

  'a manager is named in characters that can be printed': async (scene) => {
    const path = `/api/v1/namespaces/${await scene.namespace()}/configmaps`;
    const refused = (...positions: readonly number[]) =>
      invalid(
        { kind: 'CreateOptions', group: 'meta.k8s.io', name: '' },
        ...positions.map((position) => ({
          reason: 'FieldValueInvalid',
          message: `Invalid value: "é\\nb\\n": invalid character U+000A (at position ${position})`,
          field: 'fieldManager',
        })),
      );
    expectFailure(await scene.post(`${path}?fieldManager=%C3%A9%0Ab%0A`, configMap('a')), refused(2, 4));
  },

  'warnings come with refusals too': async (scene) => {
    const path = `/api/v1/namespaces/${await scene.namespace()}/configmaps`;
    await scene.make(path, configMap('a'));
    for (const [answer, status] of [
      [await scene.post(path, { ...configMap('a'), bogus: 1 }), 409],
      [await scene.post(path, { ...configMap('A'), bogus: 1 }), 422],
      [await scene.put(`${path}/none`, { ...configMap('none'), bogus: 1 }), 404],
    ] as const) {
      expect(answer.status).toBe(status);
      expect(answer.warnings).toEqual(['unknown field "bogus"']);
    }
  },

  'every answer about Endpoints says what to use instead': async (scene) => {
    const path = `/api/v1/namespaces/${await scene.namespace()}/endpoints`;
    const endpoints = { metadata: { name: 'a' } };
    const answers = [
      await scene.get(path),
      await scene.post(path, endpoints),
      await scene.post(path, endpoints),
      await scene.get(`${path}/a`),
      await scene.put(`${path}/a`, endpoints),
      await scene.patch(`${path}/a`, 'merge', 'x'),
      await scene.delete(`${path}/a`),
      await scene.delete(`${path}/a`),
      await scene.delete(path),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 201, 409, 200, 200, 400, 200, 404, 200]);
    for (const { warnings } of answers) expect(warnings).toEqual([DEPRECATED]);
    const watch = await scene.watch(`${path}?watch=true`);
    expect(watch.headers.warning).toBe(`299 - "${DEPRECATED}"`);
    expect((await scene.request('POST', `${path}/a`, { body: {} })).warnings).toEqual([]);
  },

  'a time in the query of a log is read before anything else': async (scene) => {
    const path = `/api/v1/namespaces/${await scene.namespace()}/pods`;
    await scene.make(path, pod('a'));
    const layout = '2006-01-02T15:04:05Z07:00';
    for (const [time, why] of [
      ['foo', `parsing time "foo" as "${layout}": cannot parse "foo" as "2006"`],
      ['2020-01-01', `parsing time "2020-01-01" as "${layout}": cannot parse "" as "T"`],
      ['2020-13-01T00:00:00Z', 'parsing time "2020-13-01T00:00:00Z": month out of range'],
    ]) {
      expectFailure(await scene.get(`${path}/a/log?sinceTime=${time}`), badRequest(why ?? ''));
      expectFailure(await scene.get(`${path}/none/log?sinceTime=${time}`), badRequest(why ?? ''));
    }
    expectFailure(await scene.get(`${path}/none/log`), notFound({ resource: 'pods' }, 'none'));
  },

  'an Event of the new group is refused as if there were only the old one': async (scene) => {
    const path = `/apis/events.k8s.io/v1/namespaces/${await scene.namespace()}/events`;
    const { json } = await scene.post(path, { metadata: { name: 'd' } });
    expect(String(json.message)).toMatch(/^Event "d" is invalid: \[/);
    expect(json.details).toMatchObject({ name: 'd', kind: 'Event' });
    expect(json.details).not.toHaveProperty('group');
  },

  'a review is owned as far as it was asked': async (scene) => {
    const review = await scene.post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: 'x' } });
    expect(ownersOf(review.json)).toEqual({ unknown: { 'f:spec': { 'f:token': {} } } });
    const access = await scene.post('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
      spec: { user: 'a', nonResourceAttributes: { verb: 'get', path: '/x' } },
    });
    const attributes = { '.': {}, 'f:path': {}, 'f:verb': {} };
    const spec = { 'f:nonResourceAttributes': attributes, 'f:user': {} };
    expect(ownersOf(access.json)).toEqual({ unknown: { 'f:spec': spec } });
  },

  'a request for a token is owned by whoever asks': async (scene) => {
    const path = `/api/v1/namespaces/${await scene.namespace()}/serviceaccounts/default/token`;
    const plain = await scene.post(path, {});
    const seconds = { 'f:expirationSeconds': {} };
    expect(ownersOf(plain.json)).toEqual({ 'unknown/token': { 'f:spec': seconds } });
    const full = await scene.post(`${path}?fieldManager=me`, {
      metadata: { labels: { a: 'b' } },
      spec: { audiences: ['x'], expirationSeconds: 1000 },
    });
    expect(ownersOf(full.json)).toEqual({
      'me/token': {
        'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } },
        'f:spec': { 'f:audiences': {}, ...seconds },
      },
    });
  },

  'a budget that pays for an eviction is written by the server': async (scene) => {
    const space = await scene.namespace();
    const budgets = `/apis/policy/v1/namespaces/${space}/poddisruptionbudgets`;
    const pods = `/api/v1/namespaces/${space}/pods`;
    await scene.make(budgets, { metadata: { name: 'b' }, spec: { selector: { matchLabels: { app: 'x' } } } });
    const status = { disruptionsAllowed: 1, observedGeneration: 1, currentHealthy: 2, desiredHealthy: 1 };
    await scene.patch(`${budgets}/b/status?fieldManager=counter`, 'merge', { status });
    await scene.make(pods, pod('a', { nodeName: 'somewhere' }, { labels: { app: 'x' } }));
    await scene.patch(`${pods}/a/status`, 'merge', {
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    });
    const evicted = await scene.post(`${pods}/a/eviction`, { metadata: { name: 'a' } });
    expect(evicted.status).toBe(201);
    const owners = ownersOf((await scene.get(`${budgets}/b`)).json);
    expect(owners['kube-apiserver/status']).toMatchObject({
      'f:status': { 'f:disruptedPods': { '.': {}, 'f:a': {} }, 'f:disruptionsAllowed': {} },
    });
    expect(owners['counter/status']?.['f:status']).not.toHaveProperty('f:disruptionsAllowed');
    await scene.delete(`${pods}/a`, { gracePeriodSeconds: 0 });
  },

  'the items of a collection that was deleted say no kind': async (scene) => {
    const path = `/api/v1/namespaces/${await scene.namespace()}/secrets`;
    await scene.make(path, { metadata: { name: 'a' } });
    const { json } = await scene.delete(path);
    expect(json.kind).toBe('SecretList');
    expect(listOf(json.items)[0]).not.toHaveProperty('kind');
  },
});
