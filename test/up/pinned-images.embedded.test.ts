/**
 * PinnedImageSets with real kubectl and a registry over HTTP: the two listings of `kubectl describe machineconfignode` that
 * upstream documents, the pool, the Node, and a process that is killed in the middle.
 */
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildImage, pushImage } from '../../src/images/index.ts';
import { eventually } from '../contract/eventually.ts';
import { client } from '../registry/registries.ts';
import { Cluster, withKubectl } from './cluster.ts';

const FLAGS = ['--speed', '50', '--control-plane', '1', '--workers', '1'];
/** The name of the cluster's own registry on nodes. */
const REGISTRY = 'image-registry.openshift-image-registry.svc:5000';
const MISSING = `${REGISTRY}/team/gone@sha256:65d3a308767b1773b6e3ead2ec1bcae499dde6ef085753d7e20e685f78841079`;
const DROP_IN = 'etc/crio/crio.conf.d/50-pinned-images';
const NODE = 'worker-0';

const FAILED = `    Message:               node is prefetching images: ${NODE}
    Reason:                ImagePrefetch
    Status:                True
    Type:                  PinnedImageSetsProgressing
...
    Message:               One or more PinnedImageSet is experiencing an error. See PinnedImageSet list for more details
    Reason:                PrefetchFailed
    Status:                True
    Type:                  PinnedImageSetsDegraded
...
  Pinned Image Sets:
    Desired Generation:            2
    Last Failed Generation:        2
    Last Failed Generation Error:  failed to execute podman manifest inspect for "${MISSING}": exit status 125
    Name:                          test-pinned
`;

const COMPLETE = `    Message:               All pinned image sets complete
    Reason:                AsExpected
    Status:                False
    Type:                  PinnedImageSetsProgressing
...
    Message:               All is good
    Reason:                AsExpected
    Status:                False
    Type:                  PinnedImageSetsDegraded
...
  Pinned Image Sets:
    Current Generation:  3
    Desired Generation:  3
    Name:                test-pinned
`;

const aSet = (name: string, ...images: readonly string[]) => `apiVersion: machineconfiguration.openshift.io/v1
kind: PinnedImageSet
metadata:
  name: ${name}
  labels: {machineconfiguration.openshift.io/role: worker}
spec:
  pinnedImages: [${images.map((image) => `{name: "${image}"}`).join(', ')}]
`;

withKubectl('PinnedImageSets', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await Cluster.start(FLAGS);
  });
  afterAll(() => cluster.end());

  async function push(name: string, ...layers: readonly string[]): Promise<string> {
    const host = / registry=(\S+)$/m.exec(cluster.up.stdout())?.[1] ?? '';
    const built = buildImage({
      platform: { os: 'linux', architecture: process.arch === 'x64' ? 'amd64' : process.arch },
      layers: layers.map((text) => ({
        items: [
          {
            ...{ kind: 'file' as const, path: 'content', mode: 0o644, mtime: 0 },
            content: new TextEncoder().encode(text),
          },
        ],
      })),
      labels: {},
      created: '2026-01-01T00:00:00Z',
    });
    await pushImage(client(), { host, repository: name, tag: 'latest' }, built);
    return `${REGISTRY}/${name}@${built.top.descriptor.digest}`;
  }

  /** The parts of `kubectl describe machineconfignode` that upstream's listings show, without times. */
  async function listing(): Promise<string> {
    const text = await cluster.kubectl(['describe', `machineconfignode/${NODE}`]);
    const conditions = ['PinnedImageSetsProgressing', 'PinnedImageSetsDegraded'].map(
      (type) => new RegExp(`^    Message: .*\\n.*\\n.*\\n    Type: +${type}\\n`, 'm').exec(text)?.[0] ?? '',
    );
    const sets = /^ {2}Pinned Image Sets:\n(?: {4}.*\n)*/m.exec(text)?.[0] ?? '';
    return [...conditions, sets].join('...\n');
  }

  const dropIn = () => {
    const path = cluster.onNode(NODE, DROP_IN);
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  };
  const pinning = (...images: readonly string[]) =>
    `[crio]\n  [crio.image]\n    pinned_images = [${images
      .toSorted()
      .map((image) => `"${image}"`)
      .join(', ')}]\n`;
  const counts = async () =>
    await cluster.field('mcp/worker', '{.status.poolSynchronizersStatus[0].updatedMachineCount}');
  const untilListed = async (expected: string) => {
    let last = '';
    await eventually('the listing is there', async () => {
      last = await listing();
      return last === expected ? true : undefined;
    }).catch(() => expect(last).toBe(expected));
  };

  it('are failed and then complete in the words and the form of upstream, also in a paused pool', async () => {
    const image = await push('team/app', 'one', 'two');
    await cluster.kubectl(['patch', 'mcp/worker', '--type=merge', '-p', '{"spec":{"paused":true}}']);
    await cluster.apply(aSet('test-pinned', image, MISSING));
    await cluster.apply(aSet('test-pinned', MISSING));
    await untilListed(FAILED);
    expect(dropIn()).toBeUndefined();
    expect(await cluster.field('mcp/worker', '{.spec.pinnedImageSets[*].name}')).toBe('test-pinned');
    expect(await cluster.field('mcp/master', '{.spec.pinnedImageSets[*].name}')).toBe('');
    await eventually('the pool counts no node', async () => ((await counts()) === '0' ? true : undefined));
    await eventually('the Node has an event', async () => {
      const events = await cluster.kubectl(['describe', `node/${NODE}`]);
      return /Warning +PrefetchFailed .*PinnedImageSet test-pinned: .*manifest unknown/.test(events)
        ? true
        : undefined;
    });
    await cluster.apply(aSet('test-pinned', image));
    await untilListed(COMPLETE);
    expect(dropIn()).toBe(pinning(image));
    await eventually('the pool counts the node', async () => ((await counts()) === '1' ? true : undefined));
    expect(await cluster.annotation(NODE, 'state')).toBe('Done');
    expect(await cluster.message('worker', 'Degraded')).toBe('');
    await cluster.kubectl(['patch', 'mcp/worker', '--type=merge', '-p', '{"spec":{"paused":false}}']);
  });

  it('are refused on a full disk, and complete once there is space', async () => {
    const size = join(cluster.dataDir, 'nodes', NODE, 'machine/disk-bytes');
    await mkdir(dirname(size), { recursive: true });
    await writeFile(size, `${10 * 1024 ** 3}\n`);
    const image = await push('team/large', 'large');
    await cluster.apply(aSet('large', image));
    const error = () =>
      cluster.field(
        `machineconfignode/${NODE}`,
        '{.status.pinnedImageSets[?(@.name=="large")].lastFailedGenerationError}',
      );
    await eventually('it fails', async () =>
      /^storage available is less than minimum required capacity: \d+, required: 16Gi$/.test(await error())
        ? true
        : undefined,
    );
    expect(dropIn()).not.toContain('large');
    await writeFile(size, `${100 * 1024 ** 3}\n`);
    await eventually('it is complete', async () => (dropIn()?.includes(image) === true ? true : undefined));
    // What is on the disk is reported after it.
    await eventually('it is reported', async () =>
      /All pinned image sets complete.*All is good/s.test(await listing()) ? true : undefined,
    );
  });

  it('are as they were after the process was killed, and go with their objects', async () => {
    const before = [await listing(), dropIn()];
    await cluster.up.end('SIGKILL');
    await cluster.startAgain(FLAGS);
    await cluster.apply(aSet('later', await push('team/later', 'later')));
    await eventually('it is pinned', async () =>
      dropIn()?.includes('team/later') === true ? true : undefined,
    );
    await cluster.kubectl(['delete', 'pinnedimageset/later']);
    await eventually('it is released', async () => (dropIn() === before[1] ? true : undefined));
    await eventually('the listing is as before', async () =>
      (await listing()) === before[0] ? true : undefined,
    );
    await cluster.kubectl(['delete', 'pinnedimagesets', '--all']);
    await eventually('nothing is pinned', async () => (dropIn() === undefined ? true : undefined));
    await eventually('nothing is reported', async () =>
      (await listing()).includes('Pinned Image Sets') ? undefined : true,
    );
    expect(
      await cluster.field(`node/${NODE}`, '{.metadata.annotations.millwright\\.dev/pinned-image-sets}'),
    ).toBe('');
  });
});
