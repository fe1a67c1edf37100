/**
 * Computes the status of a pool and writes it, if it has changed.
 *
 * It depends on the status before: the time of a condition moves only with its status. The cache may not show our last
 * write yet (`OwnWrites`), and a status is written only onto the version that it was computed from.
 */
import {
  CONTROLLER_CONFIG_NAME,
  type MachineConfigPool,
  machineConfigPool as machineConfigPoolKind,
} from '../api/index.ts';
import { jsonEqual } from '../base/json.ts';
import { isConflict, OwnWrites } from '../kubernetes/client/index.ts';
import {
  type BuilderOutage,
  degradedEvents,
  type Layering,
  type PoolTally,
  poolStatus,
  statusEvents,
  streamOf,
} from '../rollout/index.ts';
import type { Context } from './context.ts';
import type { NodeSources } from './node-sources.ts';
import { record, subjectOf } from './rollout-events.ts';

const CLUSTER = 'cluster';

type PoolState = {
  readonly pool: MachineConfigPool;
  readonly tally: PoolTally;
  readonly layering: Layering | undefined;
  readonly outage: BuilderOutage | undefined;
};

export class StatusWriter {
  readonly #context: Context;
  readonly #sources: NodeSources;
  readonly #pools: OwnWrites<MachineConfigPool>;

  constructor(context: Context, sources: NodeSources) {
    this.#context = context;
    this.#sources = sources;
    this.#pools = new OwnWrites(sources.pools);
  }

  async write(state: PoolState): Promise<void> {
    const { kube } = this.#context;
    const { name, uid } = state.pool.metadata;
    try {
      const latest = this.#pools.get({ name });
      await this.#writeAfter(
        latest !== undefined && latest.metadata.uid === uid ? latest : state.pool,
        state,
      );
    } catch (error) {
      if (!isConflict(error)) throw error;
      const live = await kube.get(machineConfigPoolKind, { name });
      // A pool that was recreated under the same name has its own status.
      if (live !== undefined && live.metadata.uid === uid) await this.#writeAfter(live, state);
    }
  }

  /** `before`: the pool with its last status. */
  async #writeAfter(before: MachineConfigPool, { pool, ...state }: PoolState): Promise<void> {
    const { kube } = this.#context;
    const { name, uid } = pool.metadata;
    const { status: last } = before;
    const { status: _, ...rest } = pool;
    const current = last === undefined ? rest : { ...rest, status: last };
    const status = this.#statusOf({ ...state, pool: current });
    if (jsonEqual(status, last)) return;
    // A merge patch has to remove fields explicitly.
    const gone = Object.keys(last ?? {}).filter((field) => !(field in status));
    const body = {
      metadata: { uid, resourceVersion: before.metadata.resourceVersion },
      status: { ...status, ...Object.fromEntries(gone.map((field) => [field, null])) },
    };
    const patch = { type: 'merge', body } as const;
    this.#pools.record(await kube.patch(machineConfigPoolKind, { name }, patch, { subresource: 'status' }));
    const degraded = state.tally.degraded.map(({ name: node }) => node);
    const events = [
      ...statusEvents(current, status, state.tally.target),
      ...degradedEvents(current, status, degraded),
    ];
    for (const event of events) record(this.#context, subjectOf(pool), event);
  }

  #statusOf({ pool, tally, layering, outage }: PoolState) {
    const { controllerConfigs } = this.#sources;
    const stream = streamOfPool(this.#sources, pool);
    const certificates = controllerConfigs.get({ name: CONTROLLER_CONFIG_NAME })?.status
      ?.controllerCertificates;
    return poolStatus({
      pool,
      sum: tally,
      nowMs: this.#context.env.clock.now(),
      ...(layering === undefined ? {} : { layering }),
      ...(outage === undefined ? {} : { outage }),
      ...(certificates === undefined ? {} : { certificates }),
      ...(stream === undefined ? {} : { stream }),
    });
  }
}

function streamOfPool(
  { machineConfigs, streams }: NodeSources,
  { spec }: MachineConfigPool,
): string | undefined {
  const cluster = streams.get({ name: CLUSTER });
  if (cluster === undefined) return undefined;
  const rendered = machineConfigs.get({ name: spec.configuration?.name ?? '' });
  const sources = (spec.configuration?.source ?? []).flatMap(
    ({ name = '' }) => machineConfigs.get({ name }) ?? [],
  );
  return streamOf(rendered, sources, cluster);
}
