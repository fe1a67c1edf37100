/** Pools on their way from one rendered config to the next. */
import { eventually } from '../contract/eventually.ts';
import type { Cluster } from './cluster.ts';

/** The name of the rendered config that the pool is to have. */
export async function targetOf(cluster: Cluster, pool: string): Promise<string> {
  return await cluster.field(`mcp/${pool}`, '{.spec.configuration.name}');
}

/** Resolves once the pool is to have another config: that one's name. */
export async function retargeted(cluster: Cluster, pool: string, from: string): Promise<string> {
  return await eventually(`pool ${pool} is rendered anew`, async () => {
    const target = await targetOf(cluster, pool);
    return target === from ? undefined : target;
  });
}

/** Resolves once all nodes of the pool have another config: that one's name. */
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
