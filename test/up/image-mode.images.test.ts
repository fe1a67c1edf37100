/**
 * Image mode on an embedded cluster, as the guides show it: a pool with an image of its own, what kubectl prints meanwhile,
 * an image that nodes cannot pull, and the way back. The image is pre-built, so that nothing but kubectl is needed.
 */
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pushImage } from '../../src/images/index.ts';
import { eventually } from '../contract/eventually.ts';
import { osImage } from '../registry/base-os.ts';
import { client } from '../registry/registries.ts';
import { Cluster, withKubectl } from './cluster.ts';
import { fileConfig } from './configs.ts';

const REGISTRY = 'image-registry.openshift-image-registry.svc:5000';
const NODES = ['worker-0', 'worker-1', 'worker-2'];
const NAMESPACE = ['-n', 'openshift-machine-config-operator'];
const ROLE = 'machineconfiguration.openshift.io/role';

const POOL = `
apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfigPool
metadata:
  name: infra
spec:
  machineConfigSelector:
    matchExpressions: [{key: ${ROLE}, operator: In, values: [worker, infra]}]
  nodeSelector:
    matchLabels: {node-role.kubernetes.io/infra: ""}
`;

const osConfig = (image: string) => `
apiVersion: machineconfiguration.openshift.io/v1
kind: MachineOSConfig
metadata:
  name: infra
  annotations:
    machineconfiguration.openshift.io/pre-built-image: ${image}
spec:
  machineConfigPool: {name: infra}
  imageBuilder: {imageBuilderType: Job}
  renderedImagePushSecret: {name: push}
  renderedImagePushSpec: ${REGISTRY}/infra/os:latest
`;

/** Pulls from these repositories are refused on the nodes. */
const blocked = (repositories: readonly string[]) => `
apiVersion: config.openshift.io/v1
kind: Image
metadata:
  name: cluster
spec:
  registrySources: {blockedRegistries: ${JSON.stringify(repositories)}}
`;

withKubectl('image mode', () => {
  let cluster: Cluster;
  let images: readonly string[];

  /** Pushes an image with a tool; returns its name on nodes. */
  const push = async (tool: string) => {
    const [, host = ''] = / registry=(\S+)/.exec(cluster.up.stdout()) ?? [];
    const file = { kind: 'file', content: new TextEncoder().encode('#!/bin/sh\n'), mode: 0o755 } as const;
    const image = await osImage({ version: '1.20260201.0', files: new Map([[`usr/bin/${tool}`, file]]) });
    await pushImage(client(), { host, repository: 'infra/os', tag: tool }, image);
    return `${REGISTRY}/infra/os@${image.top.descriptor.digest}`;
  };
  const untilAllHave = (image: string) =>
    eventually(`all nodes have ${image}`, async () => {
      const found = await Promise.all(NODES.map((node) => cluster.annotation(node, 'currentImage')));
      return found.every((one) => one === image) ? true : undefined;
    });
  const nodesWith = (path: string) => NODES.filter((node) => existsSync(cluster.onNode(node, path)));

  beforeAll(async () => {
    cluster = await Cluster.start(['--control-plane', '1', '--workers', '3', '--speed', '100']);
    images = [await push('yq'), await push('jq')];
    await cluster.apply(POOL);
    await cluster.kubectl([
      ...['create', 'secret', 'docker-registry', 'push', ...NAMESPACE, `--docker-server=${REGISTRY}`],
      ...['--docker-username=a', '--docker-password=b'],
    ]);
    await eventually('the pool is rendered', async () =>
      (await cluster.field('mcp/infra', '{.spec.configuration.name}')) === '' ? undefined : true,
    );
    await cluster.kubectl(['label', 'node', ...NODES, 'node-role.kubernetes.io/infra=']);
    await eventually('all nodes are in the pool', async () =>
      (await cluster.field('mcp/infra', '{.status.updatedMachineCount}')) === '3' ? true : undefined,
    );
  }, 300_000);
  afterAll(() => cluster.end(), 60_000);

  it('rolls an image out, and prints the pool, its build and the deployments of a node as the guide does', async () => {
    const [image = ''] = images;
    await cluster.apply(osConfig(image));
    await untilAllHave(image);
    await cluster.wait('mcp/infra', '--for=condition=Updated');
    expect(nodesWith('usr/bin/yq')).toEqual(NODES);
    expect(await cluster.kubectl(['get', 'mcp', 'infra'])).toMatch(
      /^infra +rendered-infra-\w+ +True +False +False +3 +3 +3 +0 /m,
    );
    expect(await cluster.kubectl(['get', 'machineosbuild'])).toMatch(
      /^NAME +PREPARED +BUILDING +SUCCEEDED +INTERRUPTED +FAILED +AGE\ninfra-[0-9a-f]{32} +False +False +True +False +False +\S+\n$/,
    );
    expect(await cluster.message('infra', 'Updated')).toMatch(
      new RegExp(`^All nodes are updated with MachineConfig rendered-infra-\\w+ / Image ${image}$`),
    );
    const proxy = '/api/v1/nodes/worker-0/proxy/os/status';
    expect(await cluster.kubectl(['get', '--raw', proxy])).toContain(
      `State: idle\nDeployments:\n* ostree-unverified-registry:${image}\n                   Digest: ${image.split('@')[1]}\n                  Version: 1.20260201.0 (`,
    );
  });

  it('applies files without another image', async () => {
    const [image = ''] = images;
    const motd = fileConfig({ name: '90-motd', role: 'infra', path: '/etc/motd.infra', text: 'hello\n' });
    await cluster.rolledOut('infra', () => cluster.apply(motd));
    expect(nodesWith('etc/motd.infra')).toEqual(NODES);
    expect(await cluster.message('infra', 'Updated')).toContain(`/ Image ${image}`);
  });

  it('degrades one node, which stays in service, where the image cannot be pulled, and goes on once it can', async () => {
    const [, next = ''] = images;
    await cluster.kubectl(['delete', 'machineosconfig', 'infra']);
    await eventually('no node has an image', async () => {
      const found = await Promise.all(NODES.map((node) => cluster.annotation(node, 'currentImage')));
      return found.every((one) => one === '') ? true : undefined;
    });
    await cluster.wait('mcp/infra', '--for=condition=Updated');
    expect(nodesWith('usr/bin/yq')).toEqual([]);
    expect(nodesWith('etc/motd.infra')).toEqual(NODES);

    await cluster.rolledOut('infra', () => cluster.apply(blocked([`${REGISTRY}/infra`])));
    await cluster.apply(osConfig(next));
    await cluster.wait('mcp/infra', '--for=condition=Degraded');
    expect(await cluster.kubectl(['get', 'mcp', 'infra'])).toMatch(
      /^infra +\S+ +False +False +True +3 +0 +0 +1 /m,
    );
    const message = await cluster.message('infra', 'NodeDegraded');
    const [, node = ''] = /^Node (\S+) is reporting: /.exec(message) ?? [];
    const error = `Failed to update OS to ${next} after retries: timed out waiting for the condition`;
    expect(message).toContain(`Node ${node} is reporting: "Node ${node} upgrade failure. ${error}`);
    expect(message).toContain(`Node ${node} is reporting: "${error}`);
    const table = await cluster.kubectl(['get', 'machineconfignode', '-o', 'wide']);
    const rows = Object.fromEntries(table.split('\n').map((line) => [line.split(/ +/)[0], line.split(/ +/)]));
    // From UPDATED on, without the age. CORDONED and DRAINED differ from the guide: the image is fetched before the drain.
    const states = (name: string) => [rows[name]?.[4], ...(rows[name]?.slice(6, 16) ?? [])].join(' ');
    expect(states(node)).toBe('False True Unknown False False False Unknown False False False False');
    for (const other of NODES.filter((one) => one !== node)) {
      expect(states(other)).toBe('True False False False False False False False False False False');
    }
    expect(await cluster.kubectl(['get', 'nodes'])).not.toContain('SchedulingDisabled');

    await cluster.apply(blocked([]));
    await untilAllHave(next);
    await cluster.wait('mcp/infra', '--for=condition=Updated');
    await cluster.wait('mcp/infra', '--for=condition=Degraded=False');
    expect(nodesWith('usr/bin/jq')).toEqual(NODES);
    expect(nodesWith('etc/motd.infra')).toEqual(NODES);
  });

  it('says that no builder is running, and since when, while a pool waits for one', async () => {
    const scale = (count: number) =>
      cluster.kubectl(['scale', 'deployment/machine-os-builder', ...NAMESPACE, `--replicas=${count}`]);
    await scale(0);
    const more = fileConfig({ name: '91-more', role: 'infra', path: '/etc/more', text: 'more\n' });
    await cluster.rendered('infra', () => cluster.apply(more));
    await cluster.wait('mcp/infra', '--for=condition=BuildPending');
    expect(await cluster.message('infra', 'BuildPending')).toMatch(/^No builder is running since 20\S+Z /);
    expect(await cluster.message('infra', 'Updating')).toBe(
      'Pool is waiting for a new OS image build to start (mosc: infra)',
    );
    expect(nodesWith('etc/more')).toEqual([]);
    await scale(1);
    await cluster.wait('mcp/infra', '--for=condition=BuildPending=False');
    await cluster.wait('mcp/infra', '--for=condition=Updated');
    expect(nodesWith('etc/more')).toEqual(NODES);
  });
});
