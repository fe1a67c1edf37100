/**
 * What can go wrong between a built image and the nodes: where it shows, that no node is cordoned for it, and that mending the cause is
 * enough. (A full disk: `test/daemon/fetch-failures.test.ts`.)
 */
import { existsSync } from 'node:fs';
import { copyFile, rename, stat, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../contract/eventually.ts';
import { freePort, type RunningRegistry, startDebians } from '../registry/registries.ts';
import { ok } from '../registry/tools.ts';
import { Cluster } from '../up/cluster.ts';
import { type RunningKubectl, startKubectl } from '../up/running-kubectl.ts';
import { ANYONE, aMachineOSConfig, aPool, aRegistrySecret, SMALL_CHANGE } from './build-objects.ts';
import { builtImage, PATIENT, untilCondition, withBuilds } from './embedded-builds.ts';

const FLAGS = ['--control-plane', '1', '--workers', '2', '--speed', '50'];
const LOGIN = { user: 'ann', password: 's3cret' };
const NODES = ['worker-0', 'worker-1'];

withBuilds('nodes', () => {
  let cluster: Cluster;
  let registry: RunningRegistry;
  /** Before the registry, so that nodes can lose it. */
  let door: Door;
  beforeAll(async () => {
    registry = await startDebians({ htpasswd: await ok('htpasswd', ['-Bbn', LOGIN.user, LOGIN.password]) });
    door = new Door(await freePort(), registry.host);
    await door.open();
    cluster = await Cluster.start(FLAGS);
    await cluster.apply(
      aPool('infra'),
      aRegistrySecret('push', ANYONE),
      aRegistrySecret('door-push', { host: door.host, ...LOGIN }),
    );
    for (const node of NODES)
      await cluster.kubectl(['label', 'node', node, 'node-role.kubernetes.io/infra=']);
    await cluster.wait('mcp/infra', '--for=jsonpath={.status.updatedMachineCount}=2');
  });
  afterAll(async () => {
    await cluster.end();
    await door.close();
    await registry.stop();
  });

  const pause = (paused: boolean) =>
    cluster.kubectl(['patch', 'mcp/infra', '--type=merge', '-p', JSON.stringify({ spec: { paused } })]);
  const watchCordons = (): Promise<RunningKubectl> =>
    startKubectl(cluster.call, [
      ...['get', 'nodes', '--watch', '-o'],
      'jsonpath={.metadata.name} cordoned={.spec.unschedulable}{"\\n"}',
    ]);
  /** Builds in a paused pool, so that the image can be damaged before nodes want it. */
  const build = async (marker: string, isOwn: boolean): Promise<string> => {
    await pause(true);
    const content = SMALL_CHANGE.replace('echo layered', `echo ${marker}`);
    const elsewhere = { pushSpec: `${door.host}/os/infra:latest`, pushSecret: 'door-push' };
    const before = await cluster.field('machineosconfig', '{.items[*].status.currentImagePullSpec}');
    await cluster.apply(aMachineOSConfig({ pool: 'infra', content, ...(isOwn ? {} : elsewhere) }));
    return await eventually(
      'another image is built',
      async () => {
        const image = await builtImage(cluster, 'infra');
        return image === before ? undefined : image;
      },
      PATIENT,
    );
  };
  /** A node is degraded with this cause, and so are its MachineConfigNode and the pool; nobody was cordoned. */
  const degraded = async (cause: RegExp): Promise<void> => {
    const cordons = await watchCordons();
    await pause(false);
    const node = await eventually(
      `a node is degraded: ${cause}`,
      async () => {
        for (const one of NODES) if (cause.test(await cluster.annotation(one, 'reason'))) return one;
        return undefined;
      },
      PATIENT,
    );
    expect(await cluster.annotation(node, 'state')).toBe('Degraded');
    expect(await cluster.annotation(node, 'reason')).toMatch(/^Failed to update OS to \S+ after retries: /);
    await untilCondition(cluster, `machineconfignode/${node}`, {
      ...{ type: 'NodeDegraded', status: 'True', message: cause },
    });
    const inPool = await untilCondition(cluster, 'mcp/infra', {
      ...{ type: 'NodeDegraded', status: 'True', message: cause },
    });
    expect(inPool.reason).toBe('1 nodes are reporting degraded status on sync');
    expect(await cordons.stop()).not.toContain('cordoned=true');
  };
  const rolledOut = async (marker: string): Promise<void> => {
    await eventually(
      `${marker} is on all nodes`,
      async () => {
        const image = await cluster.field('machineosconfig/infra', '{.status.currentImagePullSpec}');
        const images = await Promise.all(NODES.map((node) => cluster.annotation(node, 'currentImage')));
        return images.every((one) => one === image) ? true : undefined;
      },
      PATIENT,
    );
    await untilCondition(cluster, 'mcp/infra', { type: 'Updated', status: 'True' });
    await untilCondition(cluster, 'mcp/infra', { type: 'Degraded', status: 'False' });
    for (const node of NODES) expect(existsSync(cluster.onNode(node, 'etc/layered'))).toBe(true);
  };

  it('whose pull secret is wrong stay as they are, and go on with the right one', async () => {
    await cluster.apply(
      aRegistrySecret('machine-os-puller', { host: door.host, user: LOGIN.user, password: 'wrong' }),
    );
    await build('secret', false);
    await degraded(/unauthorized|authentication required/);
    await cluster.apply(aRegistrySecret('machine-os-puller', { host: door.host, ...LOGIN }));
    await rolledOut('secret');
  });

  it('that cannot reach the registry stay as they are, and go on when they can', async () => {
    await build('network', false);
    await door.close();
    await degraded(/connection refused|ECONNREFUSED/);
    await door.open();
    await rolledOut('network');
  });

  it('whose image was deleted stay as they are, and get the one that is built again', async () => {
    const image = await build('deleted', false);
    const manifest = `http://${registry.host}/v2/os/infra/manifests/${image.slice(image.indexOf('@') + 1)}`;
    const authorization = `Basic ${btoa(`${LOGIN.user}:${LOGIN.password}`)}`;
    expect((await fetch(manifest, { method: 'DELETE', headers: { authorization } })).status).toBe(202);
    await degraded(/manifest unknown/);
    await rolledOut('deleted');
  });

  it('that get other bytes than the digest says stay as they are, and go on with the right ones', async () => {
    await build('bytes', true);
    const blob = await largestLayer();
    await copyFile(blob, `${blob}.kept`);
    await writeFile(blob, new Uint8Array((await stat(blob)).size));
    await degraded(/Digest did not match, expected sha256:/);
    await rename(`${blob}.kept`, blob);
    await rolledOut('bytes');
  });

  /** Of the image that is about to be rolled out, and of no other: the layer with the files of the config. */
  async function largestLayer(): Promise<string> {
    const image = await cluster.field('machineosconfig/infra', '{.status.currentImagePullSpec}');
    const [, host = ''] = / registry=(\S+)/.exec(cluster.up.stdout()) ?? [];
    const [, repository = '', digest = ''] = /^[^/]+\/([^@]+)@(.*)$/.exec(image) ?? [];
    const answer = await fetch(`http://${host}/v2/${repository}/manifests/${digest}`, {
      headers: { accept: 'application/vnd.oci.image.manifest.v1+json' },
    });
    const { layers } = (await answer.json()) as { readonly layers: readonly { readonly digest: string }[] };
    const last = layers.at(-1)?.digest.replace('sha256:', '') ?? '';
    return join(cluster.dataDir, 'registry/blobs/sha256', last);
  }
});

/** Forwards connections to a registry while it is open. */
class Door {
  readonly host: string;
  readonly #port: number;
  readonly #target: { readonly host: string; readonly port: number };
  #server: Server | undefined;
  readonly #sockets = new Set<{ destroy(): void }>();

  constructor(port: number, target: string) {
    const [host = '', targetPort = ''] = target.split(':');
    this.#port = port;
    this.host = `127.0.0.1:${port}`;
    this.#target = { host, port: Number(targetPort) };
  }

  async open(): Promise<void> {
    const server = createServer((inner) => {
      const outer = connect(this.#target);
      for (const socket of [inner, outer]) {
        this.#sockets.add(socket);
        socket.on('close', () => this.#sockets.delete(socket));
        socket.on('error', () => undefined);
      }
      inner.pipe(outer).pipe(inner);
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
  }

  async close(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}
