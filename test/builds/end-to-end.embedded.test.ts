/**
 * Image mode from a MachineOSConfig to nodes, with a real `buildah`: with the registry of the embedded cluster, and with one that asks
 * for passwords.
 */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../contract/eventually.ts';
import { type RunningRegistry, startDebians } from '../registry/registries.ts';
import { ok } from '../registry/tools.ts';
import { Cluster } from '../up/cluster.ts';
import { fileConfig } from '../up/configs.ts';
import { packageRoot } from '../up/program.ts';
import {
  ANYONE,
  aMachineOSConfig,
  aPool,
  aRegistrySecret,
  NAMESPACE,
  OWN_REGISTRY,
} from './build-objects.ts';
import { builtImage, currentBuild, PATIENT, untilCondition, withBuilds } from './embedded-builds.ts';

const FLAGS = ['--control-plane', '1', '--workers', '3', '--speed', '50'];
const CONTENT = `FROM configs AS final
RUN dnf install -y yq && echo layered > /etc/layered && ostree container commit
`;
const LOGIN = { user: 'ann', password: 's3cret' };

withBuilds('an OS image', () => {
  let cluster: Cluster;
  let registry: RunningRegistry;
  beforeAll(async () => {
    registry = await startDebians({ htpasswd: await ok('htpasswd', ['-Bbn', LOGIN.user, LOGIN.password]) });
    cluster = await Cluster.start(FLAGS);
  });
  afterAll(async () => {
    await cluster.end();
    await registry.stop();
  });

  const label = (node: string, role: string) =>
    cluster.kubectl(['label', 'node', node, `node-role.kubernetes.io/${role}=`]);
  const nodeStatus = async (node: string) => {
    const args = [`${packageRoot}/dist/main.js`, 'node', node, 'status', '--data-dir', cluster.dataDir];
    return (await promisify(execFile)(process.execPath, args)).stdout;
  };
  /** Once every node of the pool has the image. */
  const rolledOut = (pool: string, image: string, nodes: readonly string[]) =>
    eventually(
      `${pool} has ${image}`,
      async () => {
        const images = await Promise.all(nodes.map((node) => cluster.annotation(node, 'currentImage')));
        const updated = await cluster.field(
          `mcp/${pool}`,
          '{.status.conditions[?(@.type=="Updated")].status}',
        );
        return images.every((one) => one === image) && updated === 'True' ? true : undefined;
      },
      PATIENT,
    );
  const INFRA = ['worker-0', 'worker-1'];

  it('is built from a Containerfile, pushed, and rolled out to every node of its pool', async () => {
    await cluster.apply(aPool('infra'), aRegistrySecret('push', ANYONE));
    for (const node of INFRA) await label(node, 'infra');
    await cluster.wait('mcp/infra', '--for=jsonpath={.status.updatedMachineCount}=2');
    await cluster.apply(aMachineOSConfig({ pool: 'infra', content: CONTENT }));
    const image = await builtImage(cluster, 'infra');
    expect(image).toMatch(
      new RegExp(`^${OWN_REGISTRY.replaceAll('.', '\\.')}/openshift/infra-os@sha256:[0-9a-f]{64}$`),
    );
    await rolledOut('infra', image, INFRA);
    for (const node of INFRA) {
      expect(readFileSync(cluster.onNode(node, 'etc/layered'), 'utf8')).toBe('layered\n');
      expect(existsSync(cluster.onNode(node, 'usr/bin/yq'))).toBe(true);
    }
    expect(existsSync(cluster.onNode('worker-2', 'usr/bin/yq'))).toBe(false);
  });

  it('shows in kubectl and in the status of its nodes as in the guides', async () => {
    const image = await builtImage(cluster, 'infra');
    const build = await currentBuild(cluster, 'infra');
    const rows = async (...args: readonly string[]) =>
      (await cluster.kubectl(['get', ...args]))
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/ {2,}/));
    expect(await rows('machineosbuild')).toEqual([
      ['NAME', 'PREPARED', 'BUILDING', 'SUCCEEDED', 'INTERRUPTED', 'FAILED', 'AGE'],
      [build, 'False', 'False', 'True', 'False', 'False', expect.any(String)],
    ]);
    const [, infra] = await rows('mcp', 'infra');
    expect(infra?.slice(2, 9)).toEqual(['True', 'False', 'False', '2', '2', '2', '0']);
    const nodes = await rows('machineconfignode', '-o', 'wide');
    const config = await cluster.field('mcp/infra', '{.spec.configuration.name}');
    for (const node of INFRA) {
      const row = nodes.find(([name]) => name === node) ?? [];
      expect(row.slice(0, 5)).toEqual([node, 'infra', config, config, 'True']);
      expect(new Set(row.slice(6))).toEqual(new Set(['False']));
    }
    const digest = image.slice(image.indexOf('@') + 1);
    expect((await nodeStatus('worker-0')).split('\n').slice(0, 5)).toEqual([
      'State: idle',
      'Deployments:',
      expect.stringMatching(new RegExp(`^[*●] ostree-unverified-registry:${image}$`)),
      `                   Digest: ${digest}`,
      expect.stringMatching(/^ {18}Version: [0-9.]+ \(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\)$/),
    ]);
    const status = await cluster.object<{ status: object }>(`machineosbuild/${build}`);
    expect(status.status).toMatchObject({
      buildStart: expect.any(String),
      buildEnd: expect.any(String),
      digestedImagePushSpec: image,
      builder: { imageBuilderType: 'Job', job: { group: 'batch', resource: 'jobs', name: `build-${build}` } },
    });
  });

  it('leaves nothing of its build but the record of the image', async () => {
    const build = await currentBuild(cluster, 'infra');
    const left = await eventually(
      'the objects of the build are deleted',
      async () => {
        const found = await cluster.kubectl([
          'get',
          'jobs,pods,configmaps,secrets',
          '-n',
          NAMESPACE,
          '-o',
          'name',
        ]);
        const own = found.split('\n').filter((name) => name.includes(build));
        return own.length <= 2 ? own : undefined;
      },
      PATIENT,
    );
    expect(left).toEqual([`configmap/digest-${build}`, `secret/final-${build}`]);
  });

  it('is kept when only files change: the pool goes on with it, without another build', async () => {
    const image = await builtImage(cluster, 'infra');
    const before = await currentBuild(cluster, 'infra');
    await cluster.apply(
      fileConfig({ name: '99-infra-motd', role: 'infra', path: '/etc/motd', text: 'hi\n' }),
    );
    await eventually(
      'a new build follows',
      async () => ((await currentBuild(cluster, 'infra')) === before ? undefined : true),
      PATIENT,
    );
    expect(await builtImage(cluster, 'infra')).toBe(image);
    await eventually(
      'the file is on every node',
      async () => (INFRA.every((node) => existsSync(cluster.onNode(node, 'etc/motd'))) ? true : undefined),
      PATIENT,
    );
    await rolledOut('infra', image, INFRA);
    const build = await currentBuild(cluster, 'infra');
    expect(await cluster.field(`machineosbuild/${build}`, '{.status.builder}')).toBe('');
  });

  it('is pushed to and pulled from a registry that asks for passwords, each with its own credentials', async () => {
    const { host } = registry;
    await cluster.apply(
      aPool('edge'),
      aRegistrySecret('edge-push', { host, ...LOGIN }),
      aRegistrySecret('machine-os-puller', { host, ...LOGIN }),
    );
    await label('worker-2', 'edge');
    await cluster.wait('mcp/edge', '--for=jsonpath={.status.updatedMachineCount}=1');
    await cluster.apply(
      aMachineOSConfig({
        pool: 'edge',
        // The credentials for pushing are not there.
        content: `FROM configs AS final\nRUN find / -xdev -name config.json > /etc/found; env > /etc/environment-of-build; ostree container commit\n`,
        pushSpec: `${host}/os/edge:latest`,
        pushSecret: 'edge-push',
      }),
    );
    const image = await builtImage(cluster, 'edge');
    expect(image.startsWith(`${host}/os/edge@sha256:`)).toBe(true);
    await rolledOut('edge', image, ['worker-2']);
    expect(readFileSync(cluster.onNode('worker-2', 'etc/found'), 'utf8')).not.toContain('push');
    expect(readFileSync(cluster.onNode('worker-2', 'etc/environment-of-build'), 'utf8')).not.toMatch(
      /TOKEN|CREDS|KUBE/,
    );
    expect(
      readFileSync(cluster.onNode('worker-2', 'etc/mco/internal-registry-pull-secret.json'), 'utf8'),
    ).toContain(host);
  });

  it('is left by all nodes when its MachineOSConfig is deleted, and then deleted from the registry', async () => {
    const image = await builtImage(cluster, 'edge');
    await cluster.kubectl(['delete', 'machineosconfig', 'edge']);
    await eventually(
      'worker-2 has the base image again',
      async () => ((await cluster.annotation('worker-2', 'currentImage')) === '' ? true : undefined),
      PATIENT,
    );
    await untilCondition(cluster, 'mcp/edge', { type: 'Updated', status: 'True' });
    expect(existsSync(cluster.onNode('worker-2', 'etc/found'))).toBe(false);
    const manifest = image
      .replace(`${registry.host}/`, `http://${registry.host}/v2/`)
      .replace('@', '/manifests/');
    const authorization = `Basic ${btoa(`${LOGIN.user}:${LOGIN.password}`)}`;
    const accept = 'application/vnd.oci.image.manifest.v1+json';
    await eventually(
      'the image is deleted',
      async () => {
        const { status } = await fetch(manifest, { headers: { authorization, accept } });
        return status === 404 ? true : undefined;
      },
      PATIENT,
    );
    await eventually(
      'nothing of the builds is left',
      async () => {
        const found = await cluster.kubectl([
          'get',
          'machineosbuilds,jobs,configmaps,secrets',
          '-n',
          NAMESPACE,
          '-o',
          'name',
        ]);
        return found.split('\n').some((name) => /edge-[0-9a-f]{32}/.test(name)) ? undefined : true;
      },
      PATIENT,
    );
  });
});
