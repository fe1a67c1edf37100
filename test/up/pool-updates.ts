/** Waiting for pools to be updated. */
import { eventually } from '../contract/eventually.ts';
import type { Cluster } from './cluster.ts';

/** The name of the target config of the pool. */
export async function targetOf(cluster: Cluster, pool: string): Promise<string> {
  return await cluster.field(`mcp/${pool}`, '{.spec.configuration.name}');
}

/** Resolves with the name of the next target config of the pool. */
export async function retargeted(cluster: Cluster, pool: string, from: string): Promise<string> {
  return await eventually(`pool ${pool} is rendered anew`, async () => {
    const target = await targetOf(cluster, pool);
    return target === from ? undefined : target;
  });
}

/** Resolves with the name of the next config once all nodes of the pool have it. */
export async function moved(cluster: Cluster, pool: string, from: string): Promise<string> {
  const target = await retargeted(cluster, pool, from);
  await cluster.wait(`mcp/${pool}`, `--for=jsonpath={.status.configuration.name}=${target}`);
  await cluster.wait(`mcp/${pool}`, '--for=condition=Updated');
  return target;
}

export async function pause(cluster: Cluster, pool: string, paused: boolean): Promise<void> {
  const patch = JSON.stringify({ spec: { paused } });
  await cluster.kubectl(['patch', `mcp/${pool}`, '--type', 'merge', '--patch', patch]);
}
