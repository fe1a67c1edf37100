/** Nodes of a small cluster that have joined with their first config. */
import { annotations } from '../../src/api/index.ts';
import { pod as podKind } from '../../src/kubernetes/types/index.ts';
import { aConfig, type ConfigParts } from './a-config.ts';
import {
  createDaemonNode,
  type DaemonNode,
  type NodeOptions,
  OLD_OS,
  osImages,
  provision,
} from './daemon-node.ts';
import type { SmallCluster } from './small-cluster.ts';

export type JoinedNode = {
  readonly node: DaemonNode;
  readonly first: string;
  /** The images that can be pulled; tests may add some. */
  readonly images: NodeOptions['images'];
  /** Creates a config and sets it as the desired one. */
  readonly sendTo: (word: string, parts: ConfigParts) => Promise<string>;
};

let count = 0;

export async function joinedNode(
  cluster: SmallCluster,
  parts: ConfigParts = {},
  options: Partial<NodeOptions> = {},
): Promise<JoinedNode> {
  const name = `worker-${count++}`;
  const first = `rendered-${name}-first`;
  const config = await cluster.addConfig(aConfig(first, parts));
  await cluster.addNode(name);
  const images = osImages();
  const node = await createDaemonNode({
    ...cluster,
    name,
    images,
    image: OLD_OS,
    seed: count,
    kernelArguments: ['rw', ...config.kernelArguments],
    ...options,
  });
  await provision(node, config, {
    [annotations.currentConfig]: first,
    [annotations.desiredConfig]: first,
    [annotations.firstPivotConfig]: first,
    [annotations.state]: 'Done',
  });
  node.startDaemon();
  await cluster.untilDone(name, first);
  const sendTo = async (word: string, wanted: ConfigParts) => {
    const next = `rendered-${name}-${word}`;
    await cluster.addConfig(aConfig(next, wanted));
    await cluster.send(name, next);
    return next;
  };
  return { node, first, images, sendTo };
}

/** A pod that delays the drain until the test releases it. */
export async function lingeringPod({ kube }: SmallCluster, node: string): Promise<() => Promise<void>> {
  const place = { name: `lingering-${node}`, namespace: 'default' };
  await kube.create(podKind, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...place,
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'some', uid: 'some', controller: true },
      ],
    },
    spec: { nodeName: node, containers: [{ name: 'main', image: 'example.com/main' }] },
  });
  return async () => {
    await kube.delete(podKind, place, { gracePeriodSeconds: 0 });
  };
}
