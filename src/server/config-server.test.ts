/** The server over a cluster in memory and in virtual time. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { World } from '../../test/rollout/build-world.ts';
import { MINUTE } from '../../test/rollout/story-steps.ts';
import { startWorld } from '../../test/rollout/world.ts';
import { cachesFor, type ProcessParts } from '../../test/rollout/world-process.ts';
import { controllerConfig, machineConfig } from '../api/index.ts';
import { type Network, parseNetwork } from '../base/text/index.ts';
import { parseIgnition } from '../config/ignition/index.ts';
import { configMap as configMapKind, secret as secretKind } from '../kubernetes/types/index.ts';
import { type ConfigServer, createConfigServer, type ServerSettings } from './config-server.ts';
import type { ConfigRequest, ConfigResponse } from './request.ts';

const namespace = 'openshift-machine-config-operator';
const ignition = (version: string) => `application/vnd.coreos.ignition+json;version=${version}, */*;q=0.1`;

describe('the machine config server', () => {
  let world: World;
  let reads: string[];
  beforeEach(() => {
    reads = [];
  });
  beforeAll(async () => {
    world = await startWorld({ masters: 1, workers: 2 });
    await world.startControllers();
    await world.startDaemons();
    await world.untilUpdated(['master', 'worker'], 10 * MINUTE);
    await createToken();
    await createToken('machine-config-server-token', 'join');
  });
  afterAll(() => world.stop());

  /** The manifests have the Secret of the token for kubelets. */
  const createToken = async (name = 'node-bootstrapper-token', token = 'bootstrap') => {
    const place = { name, namespace };
    const data = { token: btoa(token), 'ca.crt': btoa('the CA') };
    const isThere = (await world.kube.get(secretKind, place)) !== undefined;
    if (isThere) await world.kube.patch(secretKind, place, { type: 'merge', body: { data } });
    else await world.kube.create(secretKind, { apiVersion: 'v1', kind: 'Secret', metadata: place, data });
  };

  const start = async (settings: Partial<ServerSettings> = {}): Promise<ConfigServer> => {
    let server: ConfigServer | undefined;
    world.startOther(
      async (parts: ProcessParts) => {
        const caches = cachesFor(parts);
        const access = { sources: [], isTokenRequired: false };
        const given = { namespace, apiServerUrl: 'https://api.example:6443', access, ...settings };
        server = createConfigServer({ kube: parts.kube, caches, env: world.env, settings: given });
        await new Promise((resolve) => parts.env.signal.addEventListener('abort', resolve));
        await caches.stop();
      },
      (transport) => ({
        send(request) {
          if (request.path.includes('/machineconfigs/')) reads.push(request.path);
          return transport.send(request);
        },
      }),
    );
    await world.env.clock.advance(5_000);
    if (server === undefined) throw new Error('it has not started');
    return server;
  };
  const ask = async (
    server: ConfigServer,
    target: string,
    rest: Partial<ConfigRequest> = {},
  ): Promise<ConfigResponse> => {
    const answer = server.answer({
      method: 'GET',
      target,
      source: '10.0.0.9',
      accept: ignition('3.5.0'),
      ...rest,
    });
    await world.env.clock.advance(1_000);
    return answer;
  };
  const config = ({ body }: ConfigResponse) => {
    const parsed = parseIgnition(JSON.parse(new TextDecoder().decode(body)));
    if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems));
    return parsed.value;
  };

  it('serves the config of a pool with what makes a machine join', async () => {
    const server = await start();
    const response = await ask(server, '/config/worker');
    expect(response).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } });
    expect(response.headers['content-length']).toBe(String(response.body?.length));
    const paths = (config(response).storage?.files ?? []).map(({ path }) => path);
    expect(paths.slice(-3)).toEqual([
      '/etc/kubernetes/kubeconfig',
      '/etc/mcs-machine-config-content.json',
      '/etc/ignition-machine-config-encapsulated.json',
    ]);
    const target = (await world.pool('worker')).spec?.configuration?.name ?? '';
    expect(new TextDecoder().decode(response.body)).toContain(target);
  });

  it.each(['2.2.0', '3.1.0', '3.2.0', '3.3.0', '3.4.0', '3.5.0'])('serves version %s', async (version) => {
    const response = await ask(await start(), '/config/master', { accept: ignition(version) });
    expect(response.status).toBe(200);
    expect(JSON.parse(new TextDecoder().decode(response.body))).toMatchObject({ ignition: { version } });
  });

  it('answers HEAD with the headers of GET alone', async () => {
    const server = await start();
    const { body: _, ...head } = await ask(server, '/config/worker');
    expect(await ask(server, '/config/worker', { method: 'HEAD' })).toEqual(head);
  });

  it('answers what it does not have with codes and no body', async () => {
    const server = await start();
    expect(await ask(server, '/config/nowhere')).toEqual({ status: 404, headers: {} });
    expect(await ask(server, '/config/worker', { method: 'POST' })).toEqual({ status: 405, headers: {} });
    expect(await ask(server, '/')).toEqual({ status: 404, headers: {} });
    expect(await ask(server, '/config/worker', { accept: ignition('4.0.0') })).toEqual({
      status: 400,
      headers: {},
    });
    expect(await ask(server, '/healthz')).toEqual({ status: 200, headers: {} });
  });

  it('asks machines to try again until there is a token for them', async () => {
    await world.kube.delete(secretKind, { name: 'node-bootstrapper-token', namespace });
    const server = await start();
    expect(await ask(server, '/config/worker')).toMatchObject({
      status: 503,
      headers: { 'retry-after': '5' },
    });
    await createToken();
    await world.env.clock.advance(5_000);
    expect(await ask(server, '/config/worker')).toMatchObject({ status: 200 });
  });

  it('asks machines to try again where the URL of the API server is not known', async () => {
    const server = await start({ apiServerUrl: undefined as never });
    expect(await ask(server, '/config/worker')).toMatchObject({ status: 503 });
    expect(JSON.stringify(world.env.lines)).toContain('give it with --apiserver-url');
  });

  it('encodes each config once for each version, until something in it changes', async () => {
    const server = await start();
    for (let index = 0; index < 5; index++) await ask(server, '/config/worker');
    expect(reads).toHaveLength(1);
    await ask(server, '/config/worker', { accept: ignition('3.2.0') });
    expect(reads).toHaveLength(2);
    const name = 'machine-config-controller';
    const spec = { cloudProviderCAData: btoa('another CA') };
    await world.kube.patch(controllerConfig, { name }, { type: 'merge', body: { spec } });
    await world.env.clock.advance(100);
    const response = await ask(server, '/config/worker');
    expect(reads.length).toBeGreaterThan(2);
    expect(decodeURIComponent(new TextDecoder().decode(response.body))).toContain('another CA');
  });

  it('gives machines the CA of the bootstrap token, or those that kubeconfigs of running nodes follow', async () => {
    const server = await start();
    const authority = async () => {
      const files = config(await ask(server, '/config/worker')).storage?.files ?? [];
      const found = files.find(({ path }) => path === '/etc/kubernetes/kubeconfig');
      const text = decodeURIComponent(found?.contents?.source ?? '');
      return atob(/certificate-authority-data: (\S+)/.exec(text)?.[1] ?? '');
    };
    expect(await authority()).toBe('the CA');
    const place = { name: 'kubeconfig-data', namespace };
    const data = { 'ca-bundle.crt': 'of the load balancer' };
    await world.kube.create(configMapKind, { apiVersion: 'v1', kind: 'ConfigMap', metadata: place, data });
    await world.env.clock.advance(5_000);
    expect(await authority()).toBe('of the load balancer');
    await world.kube.delete(configMapKind, place);
  });

  it('does not change the objects that it serves', async () => {
    const target = (await world.pool('worker')).spec?.configuration?.name ?? '';
    const before = JSON.stringify(await world.kube.get(machineConfig, { name: target }));
    await ask(await start(), '/config/worker', { accept: ignition('2.2.0') });
    expect(JSON.stringify(await world.kube.get(machineConfig, { name: target }))).toBe(before);
  });

  it('gives a config only to allowed sources that have a token', async () => {
    const sources = [parseNetwork('10.0.0.0/24') as Network];
    const server = await start({ access: { sources, isTokenRequired: true } });
    expect(await ask(server, '/config/worker?token=join', { source: '10.1.0.1' })).toMatchObject({
      status: 403,
    });
    expect(await ask(server, '/config/worker')).toEqual({
      status: 401,
      headers: { 'www-authenticate': 'Bearer' },
    });
    expect(await ask(server, '/config/nowhere')).toMatchObject({ status: 401 });
    expect(await ask(server, '/config/worker?token=join')).toMatchObject({ status: 200 });
    expect(await ask(server, '/config/worker', { authorization: 'Bearer bootstrap' })).toMatchObject({
      status: 200,
    });
    expect(await ask(server, '/healthz', { source: '10.1.0.1' })).toMatchObject({ status: 200 });
    const log = JSON.stringify(world.env.lines);
    expect(log).not.toContain('token=join');
    expect(log).not.toContain('bootstrap"');
  });

  it('limits the requests of each source, and writes few lines about them', async () => {
    const server = await start();
    const before = world.env.lines.length;
    const asked = Array.from({ length: 500 }, () =>
      server.answer({ method: 'GET', target: '/config/nowhere', source: '10.0.0.66' }),
    );
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 503).length).toBeGreaterThan(450);
    expect(world.env.lines.length - before).toBeLessThan(5);
    expect(await ask(server, '/config/worker')).toMatchObject({ status: 200 });
  });
});
