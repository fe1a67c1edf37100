/**
 * Stories of all files share one cluster: it is started by the first story that asks for it, and goes away after the last. The order
 * of the files is in `vitest.config.ts`. Each file leaves the nodes in the pool `worker`, and its configs where they disturb nobody.
 */
import { test } from 'vitest';
import { startCluster } from './cluster.ts';
import { findPrograms } from './needs.ts';

// biome-ignore lint/correctness/noEmptyPattern: Vitest insists on a pattern, and this fixture needs no other one.
export const story = test.extend('cluster', { scope: 'worker' }, async ({}, { onCleanup }) => {
  const programs = await findPrograms();
  if ('unavailable' in programs) throw new Error(programs.unavailable);
  const cluster = await startCluster(programs);
  onCleanup(cluster.stop);
  return cluster;
});
