/** Asks nodes to download the OS image of their pool's target ahead of their update, after nodes were sent. */

import { annotations } from '../api/index.ts';
import { forEachAtOnce } from '../base/at-once.ts';
import { after, done, type Next } from '../kubernetes/client/index.ts';
import { node as nodeKind } from '../kubernetes/types/index.ts';
import { fetchChanges, type PoolTally } from '../rollout/index.ts';
import type { Context } from './context.ts';
import type { NodeSources } from './node-sources.ts';
import type { PoolIndex } from './pool-index.ts';

/** The number of writes before the pool is reconciled again; all of them at once. */
const WRITES_PER_PASS = 20;

type FetchPass = {
  readonly sources: Pick<NodeSources, 'machineConfigs'>;
  readonly index: PoolIndex;
  readonly tally: PoolTally;
  readonly isPaused: boolean;
};

export async function writeFetches(
  { kube }: Context,
  { sources, index, tally, isPaused }: FetchPass,
): Promise<Next> {
  const changes = fetchChanges({
    target: tally.target,
    isPaused,
    candidates: tally.availability.candidates,
    fetching: tally.fetching,
    machineConfig: (name) => sources.machineConfigs.get({ name }),
  });
  await forEachAtOnce(changes.slice(0, WRITES_PER_PASS), WRITES_PER_PASS, async ({ name, image }) => {
    const body = { metadata: { annotations: { [annotations.fetchImage]: image } } };
    try {
      index.recordNode(await kube.patch(nodeKind, { name }, { type: 'merge', body }));
    } catch (error) {
      index.markUnconfirmed(name);
      throw error;
    }
  });
  return changes.length > WRITES_PER_PASS ? after(0, 'more nodes to ask for their image') : done;
}
