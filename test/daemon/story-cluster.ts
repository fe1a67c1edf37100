/** A small cluster for a test file, with joined nodes and common queries. */
import { afterAll, beforeAll } from 'vitest';
import { node as nodeKind } from '../../src/kubernetes/types/index.ts';
import type { ConfigParts } from './a-config.ts';
import type { NodeOptions } from './daemon-node.ts';
import { type JoinedNode, joinedNode } from './joined-node.ts';
import {
  conditionOf,
  type SmallCluster,
  type SmallClusterOptions,
  startSmallCluster,
} from './small-cluster.ts';

export type Stories = {
  readonly cluster: () => SmallCluster;
  readonly join: (parts?: ConfigParts, options?: Partial<NodeOptions>) => Promise<JoinedNode>;
  /** `True NodeDegraded: Node …` */
  readonly condition: (node: JoinedNode, type: string) => Promise<string>;
  readonly untilDegraded: (node: JoinedNode, reason: RegExp, limitMs?: number) => Promise<string>;
  readonly annotate: (node: JoinedNode, changes: { readonly [key: string]: string | null }) => Promise<void>;
  /** Advances the clock. */
  readonly pass: (ms: number) => Promise<void>;
};

export function setUpStories(options: SmallClusterOptions = {}): Stories {
  let running: SmallCluster | undefined;
  const nodes: JoinedNode[] = [];
  beforeAll(async () => {
    running = await startSmallCluster(options);
  });
  afterAll(async () => {
    for (const { node } of nodes) node.stopDaemon();
    await running?.stop();
  });
  const cluster = () => {
    if (running === undefined) throw new Error('the cluster has not started');
    return running;
  };
  return {
    cluster,
    async join(parts, given) {
      const joined = await joinedNode(cluster(), parts, given);
      nodes.push(joined);
      return joined;
    },
    async condition({ node }, type) {
      const found = conditionOf(await cluster().machineConfigNode(node.name), type);
      return `${found?.status} ${found?.reason}: ${found?.message}`;
    },
    async untilDegraded({ node }, reason, limitMs) {
      const isDegraded = async () =>
        /Degraded|Unreconcilable/.test(await cluster().annotation(node.name, 'state')) &&
        reason.test(await cluster().annotation(node.name, 'reason'));
      await cluster().until(`${node.name} is degraded: ${reason}`, isDegraded, limitMs);
      return await cluster().annotation(node.name, 'reason');
    },
    async annotate({ node }, changes) {
      const named = Object.entries(changes).map(([key, value]) => [
        `machineconfiguration.openshift.io/${key}`,
        value,
      ]);
      const body = { metadata: { annotations: Object.fromEntries(named) } };
      await cluster().kube.patch(nodeKind, { name: node.name }, { type: 'merge', body });
    },
    pass: (ms) => cluster().env.clock.advance(ms),
  };
}
