/** The states that nodes pass through during an action. */
import type { Node } from '../../src/kubernetes/types/index.ts';
import type { Cluster } from './cluster.ts';
import { watchObjects } from './object-history.ts';

export type NodeCourse = {
  /** The values of a node in order, without repetitions. */
  readonly of: (name: string, what: (node: Node) => unknown) => readonly unknown[];
  /** The most nodes that satisfied the predicate at the same time. */
  readonly atOnce: (is: (node: Node) => boolean) => number;
};

export async function nodesDuring(cluster: Cluster, act: () => Promise<void>): Promise<NodeCourse> {
  const watching = await watchObjects<Node>(cluster.call, ['nodes']);
  await act();
  const last = await cluster.object<{ readonly items: readonly Node[] }>('nodes');
  const isSeen = (node: Node, now: readonly Node[]) =>
    now.some(
      ({ metadata }) => metadata.uid === node.metadata.uid && versionOf({ metadata }) >= versionOf(node),
    );
  await watching.until('the watch has seen it all', (now) => last.items.every((node) => isSeen(node, now)));
  const nodes = (await watching.stop()).map(({ object }) => object);
  return {
    of(name, what) {
      const all = nodes.filter(({ metadata }) => metadata.name === name).map(what);
      return all.filter((value, index) => index === 0 || value !== all[index - 1]);
    },
    atOnce(is) {
      const now = new Set<string>();
      return Math.max(
        ...nodes.map((node) => {
          if (is(node)) now.add(node.metadata.name);
          else now.delete(node.metadata.name);
          return now.size;
        }),
      );
    },
  };
}

function versionOf({ metadata }: Pick<Node, 'metadata'>): number {
  return Number(metadata.resourceVersion);
}

export function isCordoned({ spec }: Node): boolean {
  return spec?.unschedulable === true;
}

export function bootId({ status }: Node): string | undefined {
  return status?.nodeInfo?.bootID;
}

export function currentConfig({ metadata }: Node): string | undefined {
  return metadata.annotations?.['machineconfiguration.openshift.io/currentConfig'];
}
