/**
 * An OS update through the ConfigMap `machine-config-osimageurl`: an image is pushed to the registry of the cluster and
 * rolled out; a missing image degrades one node, which recovers with the first image.
 */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pushImage } from '../../src/images/index.ts';
import { eventually } from '../contract/eventually.ts';
import { osImage } from '../registry/base-os.ts';
import { client } from '../registry/registries.ts';
import { Cluster, withKubectl } from './cluster.ts';

const FLAGS = ['--control-plane', '1', '--workers', '2', '--speed', '50'];
const REPOSITORY = 'image-registry.openshift-image-registry.svc:5000/openshift/os';
const WORKERS = ['worker-0', 'worker-1'];

withKubectl('an OS image', () => {
  let cluster: Cluster;
  let next: string;

  const wantImage = (image: string | null) =>
    cluster.kubectl([
      'patch',
      'configmap',
      'machine-config-osimageurl',
      '-n',
      'openshift-machine-config-operator',
      '--type',
      'merge',
      '-p',
      JSON.stringify({ data: { osImageURL: image } }),
    ]);

  beforeAll(async () => {
    cluster = await Cluster.start(FLAGS);
    const [, host = ''] = / registry=(\S+)/.exec(cluster.up.stdout()) ?? [];
    const tool = { kind: 'file', content: new TextEncoder().encode('#!/bin/sh\n'), mode: 0o755 } as const;
    const image = await osImage({ version: '1.20260201.0', files: new Map([['usr/bin/yq', tool]]) });
    await pushImage(client(), { host, repository: 'openshift/os', tag: 'next' }, image);
    next = `${REPOSITORY}@${image.top.descriptor.digest}`;
  }, 300_000);
  afterAll(() => cluster.end(), 60_000);

  it('is rolled out to every node of the pool, and files of configs are kept', async () => {
    const script = 'var/usrlocal/sbin/dynamic-system-reserved-calc.sh';
    expect(existsSync(cluster.onNode('worker-0', script))).toBe(true);
    await cluster.rolledOut('worker', () => wantImage(next));
    for (const worker of WORKERS) {
      expect(existsSync(cluster.onNode(worker, 'usr/bin/yq'))).toBe(true);
      expect(existsSync(cluster.onNode(worker, script))).toBe(true);
    }
  });

  it('that does not exist degrades a node with the message of the registry, and an existing one recovers it', async () => {
    const missing = `${REPOSITORY}@sha256:${'0'.repeat(64)}`;
    await wantImage(missing);
    const reasons = await eventually('a worker is degraded', async () => {
      const found = await Promise.all(WORKERS.map((worker) => cluster.annotation(worker, 'reason')));
      return found.some((reason) => reason.includes(`Failed to update OS to ${missing}`))
        ? found.join()
        : undefined;
    });
    expect(reasons).toContain('manifest unknown');
    await cluster.rolledOut('worker', () => wantImage(null));
    for (const worker of WORKERS) expect(existsSync(cluster.onNode(worker, 'usr/bin/yq'))).toBe(false);
  });

  it('is reinstalled on a machine whose directory was removed', async () => {
    await cluster.up.end('SIGINT');
    await rm(join(cluster.dataDir, 'nodes', 'worker-1'), { recursive: true });
    await cluster.startAgain(['--speed', '50']);
    await cluster.wait('mcp/worker', '--for=condition=Updated');
    expect(existsSync(cluster.onNode('worker-1', 'usr/lib/os-release'))).toBe(true);
    expect(await cluster.annotation('worker-1', 'state')).toBe('Done');
  });
});
