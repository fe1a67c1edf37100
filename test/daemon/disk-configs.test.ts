/** The configs that the disk of a node refers to are reported on its Node, so that none of them is pruned. */
import { it } from 'vitest';
import { node as nodeKind } from '../../src/kubernetes/types/index.ts';
import type { JoinedNode } from './joined-node.ts';
import { setUpStories } from './story-cluster.ts';

const stories = setUpStories();

const reportOf = async ({ node }: JoinedNode) => {
  const { metadata } = await stories.cluster().node(node.name);
  const value: unknown = JSON.parse(metadata.annotations?.['millwright.dev/disk-configs'] ?? 'null');
  return value;
};
const reports = async (joined: JoinedNode, configs: readonly string[]) => {
  const bootID = await joined.node.machine.host.bootId();
  const isReported = async () =>
    JSON.stringify(await reportOf(joined)) === JSON.stringify({ bootID, configs });
  await stories.cluster().until(`the disk refers to ${configs.join(' ')}`, isReported);
};

it('A node whose annotations name all that is on its disk reports its boot and nothing else.', async () => {
  const joined = await stories.join({ files: { '/etc/a': 'one' } });
  await reports(joined, []);
  const next = await joined.sendTo('next', { kernelArguments: ['quiet'] });
  await stories.cluster().untilDone(joined.node.name, next);
  await reports(joined, []);
});

it('A config that only the disk refers to is reported, also after a restored backup of the cluster, until the disk has another.', async () => {
  const joined = await stories.join();
  await reports(joined, []);
  joined.node.stopDaemon();
  const key = 'machineconfiguration.openshift.io/';
  const body = {
    metadata: { annotations: { [`${key}currentConfig`]: 'older', [`${key}desiredConfig`]: 'older' } },
  };
  await stories.cluster().kube.patch(nodeKind, { name: joined.node.name }, { type: 'merge', body });
  joined.node.startDaemon();
  await reports(joined, [joined.first]);
});
