/** `@kubernetes/client-node` with the embedded cluster. */

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiserverProcess, startApiserverProcess } from '../apiserver/apiserver-process.ts';
import { startMillwright } from '../apiserver/millwright-target.ts';
import { eventually } from '../contract/eventually.ts';
import type { Target } from '../contract/target.ts';
import { type FakeKubelet, startKubelet } from '../kubectl/fake-kubelet.ts';
import {
  CLIENT_NODES,
  type ClientNode,
  type CoreApi,
  type KubeObject,
  loadClientNode,
} from './client-node.ts';

describe.each(CLIENT_NODES)('%s', async (name) => {
  const client = await loadClientNode(name);
  if ('unavailable' in client) {
    it.skip(`is not available: ${client.unavailable}`, () => undefined);
    return;
  }
  describe('requests', () => atWork(client));
  describe('an informer', () => informing(client));
});

function atWork(client: ClientNode): void {
  let server: ApiserverProcess;
  let folder: string;
  let kubelet: FakeKubelet;
  let core: CoreApi;
  const namespace = 'foreign';
  const { PatchStrategy, setHeaderOptions } = client;
  const patchAs = (strategy: string) => setHeaderOptions('Content-Type', strategy);
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millwright-clients-'));
    server = await startApiserverProcess({ dataDir: folder });
    const [cert, key] = await Promise.all(
      ['server.crt', 'server.key'].map((file) => readFile(join(folder, 'pki', file), 'utf8')),
    );
    kubelet = await startKubelet({ cert: cert ?? '', key: key ?? '' });
    core = configOf(client, server.kubeconfig).makeApiClient(client.CoreV1Api);
    await core.createNamespace({ body: { metadata: { name: namespace } } });
  });
  afterAll(async () => {
    await kubelet.stop();
    await server.end('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  it('throw errors with a Status', async () => {
    const missing = await failure(core.readNamespacedConfigMap({ namespace, name: 'none' }));
    expect(missing).toMatchObject({ code: 404 });
    expect(JSON.parse(missing.body)).toMatchObject({
      kind: 'Status',
      reason: 'NotFound',
      message: 'configmaps "none" not found',
    });
    const invalid = await failure(
      core.createNamespacedConfigMap({ namespace, body: configMap('No_Name', {}) }),
    );
    expect(invalid.code).toBe(422);
  });

  it('create, read, replace, list in pages, select and delete objects', async () => {
    const made = await core.createNamespacedConfigMap({ namespace, body: configMap('one', { k: 'v' }) });
    expect(made).toMatchObject({ metadata: { name: 'one', namespace }, data: { k: 'v' } });
    expect(
      await failure(core.createNamespacedConfigMap({ namespace, body: configMap('one', {}) })),
    ).toMatchObject({ code: 409 });
    const changed = await core.replaceNamespacedConfigMap({
      namespace,
      name: 'one',
      body: { ...made, data: { k: 'w' } },
    });
    expect(changed.data).toEqual({ k: 'w' });
    expect(
      await failure(core.replaceNamespacedConfigMap({ namespace, name: 'one', body: made })),
    ).toMatchObject({ code: 409 });
    for (const name of ['two', 'three']) {
      await core.createNamespacedConfigMap({
        namespace,
        body: { ...configMap(name, {}), metadata: { name, labels: { late: 'yes' } } },
      });
    }
    const page = await core.listNamespacedConfigMap({ namespace, limit: 2 });
    const rest = await core.listNamespacedConfigMap({
      namespace,
      limit: 2,
      _continue: page.metadata?._continue ?? '',
    });
    expect([...page.items, ...rest.items].map(({ metadata }) => metadata?.name)).toEqual([
      'one',
      'three',
      'two',
    ]);
    const late = await core.listNamespacedConfigMap({ namespace, labelSelector: 'late=yes' });
    expect(late.items.map(({ metadata }) => metadata?.name)).toEqual(['three', 'two']);
    await core.deleteNamespacedConfigMap({ namespace, name: 'one' });
    await core.deleteCollectionNamespacedConfigMap({ namespace });
    expect((await core.listNamespacedConfigMap({ namespace })).items).toEqual([]);
  });

  it('patch objects with each of the four patch types', async () => {
    await core.createNamespacedConfigMap({ namespace, body: configMap('patched', { a: '1' }) });
    const target = { namespace, name: 'patched' };
    const json = await core.patchNamespacedConfigMap(
      { ...target, body: [{ op: 'replace', path: '/data/a', value: '2' }] },
      patchAs(PatchStrategy.JsonPatch),
    );
    expect(json.data).toEqual({ a: '2' });
    const merged = await core.patchNamespacedConfigMap(
      { ...target, body: { data: { b: '3' } } },
      patchAs(PatchStrategy.MergePatch),
    );
    expect(merged.data).toEqual({ a: '2', b: '3' });
    const strategic = await core.patchNamespacedConfigMap(
      { ...target, body: { data: { b: null } } },
      patchAs(PatchStrategy.StrategicMergePatch),
    );
    expect(strategic.data).toEqual({ a: '2' });
    const applied = await core.patchNamespacedConfigMap(
      { ...target, body: configMap('patched', { c: '4' }), fieldManager: 'foreign', force: false },
      patchAs(PatchStrategy.ServerSideApply),
    );
    expect(applied.data).toEqual({ a: '2', c: '4' });
    expect(
      applied.metadata?.managedFields?.map(({ manager, operation }) => [manager, operation]),
    ).toContainEqual(['foreign', 'Apply']);
    const conflict = await failure(
      core.patchNamespacedConfigMap(
        { ...target, body: configMap('patched', { c: '5' }), fieldManager: 'other', force: false },
        patchAs(PatchStrategy.ServerSideApply),
      ),
    );
    expect(conflict.code).toBe(409);
    expect(conflict.body).toContain('conflict with \\"foreign\\"');
  });

  it('find the path of a kind by discovery', async () => {
    const config = configOf(client, server.kubeconfig);
    const objects = client.KubernetesObjectApi.makeApiClient(config);
    const role = 'machineconfiguration.openshift.io/role';
    const ofWorkers = { matchExpressions: [{ key: role, operator: 'In', values: ['worker', 'infra'] }] };
    const pool = {
      apiVersion: 'machineconfiguration.openshift.io/v1',
      kind: 'MachineConfigPool',
      metadata: { name: 'infra' },
      spec: { machineConfigSelector: ofWorkers, nodeSelector: {} },
    };
    expect(await objects.create(pool)).toMatchObject({ metadata: { name: 'infra' } });
    const paused = { ...pool, spec: { ...pool.spec, paused: true } };
    await objects.patch(paused, undefined, undefined, 'foreign', true, PatchStrategy.ServerSideApply);
    expect(await objects.read(pool)).toMatchObject({ spec: { paused: true } });
    const custom = config.makeApiClient(client.CustomObjectsApi);
    const place = { group: 'machineconfiguration.openshift.io', version: 'v1', plural: 'machineconfigpools' };
    expect(await custom.getClusterCustomObject({ ...place, name: 'infra' })).toMatchObject({
      spec: { paused: true },
    });
    expect((await custom.listClusterCustomObject(place)).items).toHaveLength(1);
    await objects.delete(pool);
    expect((await custom.listClusterCustomObject(place)).items).toEqual([]);
  });

  it('read logs, and report that exec is not supported', async () => {
    const config = configOf(client, server.kubeconfig);
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } };
    await client.KubernetesObjectApi.makeApiClient(config).create(account);
    await core.createNode({ body: nodeAt(kubelet.port) });
    const spec = { nodeName: 'played', containers: [{ name: 'main', image: 'example.com/main:1' }] };
    await core.createNamespacedPod({ namespace, body: { metadata: { name: 'speaker' }, spec } });
    const text = `line one of /containerLogs/${namespace}/speaker/main\nline two\n`;
    expect(await core.readNamespacedPodLog({ namespace, name: 'speaker', tailLines: 2 })).toBe(text);
    const stream = new PassThrough();
    await new client.Log(config).log(namespace, 'speaker', 'main', stream, { follow: true });
    let followed = '';
    for await (const piece of stream) followed += String(piece);
    expect(followed).toBe(text);
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const refused = new client.Exec(config).exec(
      namespace,
      'speaker',
      'main',
      ['true'],
      stdout,
      stderr,
      null,
      false,
    );
    await expect(refused).rejects.toMatchObject({
      message: expect.stringMatching(/^Unexpected server response: (404|501)$/),
    });
  });
}

function informing(client: ClientNode): void {
  const namespace = 'informed';
  const path = `/api/v1/namespaces/${namespace}/configmaps`;

  it('continues after the server was killed and restarted', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'millwright-clients-'));
    let server = await startApiserverProcess({ dataDir: folder });
    const config = configOf(client, server.kubeconfig);
    const core = config.makeApiClient(client.CoreV1Api);
    await core.createNamespace({ body: { metadata: { name: namespace } } });
    await core.createNamespacedConfigMap({ namespace, body: configMap('before', { k: '1' }) });
    const informer = client.makeInformer(config, path, () => core.listNamespacedConfigMap({ namespace }));
    const seen = record(informer);
    await informer.start();
    await core.createNamespacedConfigMap({ namespace, body: configMap('live', {}) });
    await seen.until('add live');
    await server.end('SIGKILL');
    server = await startApiserverProcess({ dataDir: folder, port: server.port });
    await core.createNamespacedConfigMap({ namespace, body: configMap('after', {}) });
    await core.deleteNamespacedConfigMap({ namespace, name: 'before' });
    await seen.until('add after');
    await seen.until('delete before');
    expect(
      informer
        .list(namespace)
        .map(({ metadata }) => metadata?.name)
        .sort(),
    ).toEqual(['after', 'live']);
    await informer.stop();
    await server.end('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  });

  it('lists again when its resourceVersion has expired', async () => {
    const target: Target = await startMillwright();
    const config = configOf(client, target.kubeconfigPath);
    const core = config.makeApiClient(client.CoreV1Api);
    await core.createNamespace({ body: { metadata: { name: namespace } } });
    await core.createNamespacedConfigMap({ namespace, body: configMap('gone', {}) });
    let lists = 0;
    const informer = client.makeInformer(config, path, async () => {
      const list = await core.listNamespacedConfigMap({ namespace });
      if (lists++ > 0) return list;
      // Between its list and its watch more happens than the server remembers.
      await core.deleteNamespacedConfigMap({ namespace, name: 'gone' });
      await core.createNamespacedConfigMap({ namespace, body: configMap('new', {}) });
      await target.expireHistory?.();
      return list;
    });
    const seen = record(informer);
    await informer.start();
    await seen.until('add new');
    await seen.until('delete gone');
    expect(lists).toBeGreaterThanOrEqual(2);
    await core.createNamespacedConfigMap({ namespace, body: configMap('live', {}) });
    await seen.until('add live');
    await informer.stop();
    await target.stop();
  });
}

type Events = { readonly until: (event: string) => Promise<void> };

/** An informer that meets an error waits to be started again: so it is used by all who use it. */
function record(informer: ReturnType<ClientNode['makeInformer']>): Events {
  const seen = new Set<string>();
  for (const verb of ['add', 'update', 'delete']) {
    informer.on(verb, ({ metadata }) => seen.add(`${verb} ${metadata?.name}`));
  }
  informer.on('error', () => {
    setTimeout(() => void informer.start().catch(() => undefined), RESTART_MS);
  });
  return {
    until: async (event) => {
      await eventually(event, async () => (seen.has(event) ? true : undefined));
    },
  };
}

const RESTART_MS = 200;

function configOf(client: ClientNode, path: string): InstanceType<ClientNode['KubeConfig']> {
  const config = new client.KubeConfig();
  config.loadFromFile(path);
  return config;
}

function configMap(name: string, data: Readonly<Record<string, string>>): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
}

function nodeAt(port: number): KubeObject {
  const status = {
    addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
  };
  return { metadata: { name: 'played' }, status };
}

/** The error of a call that must fail. */
async function failure(call: Promise<unknown>): Promise<{ readonly code: number; readonly body: string }> {
  try {
    await call;
  } catch (error) {
    // The package throws `ApiException`.
    return error as { readonly code: number; readonly body: string };
  }
  throw new Error('the call has not failed');
}
