/**
 * Computes the status of a pool and writes it, if it has changed.
 *
 * What was said before counts: the time of a condition moves with its status alone. The cache may not know yet what we
 * said last, so what the server gave back is remembered, and a status is written only onto the one that it follows.
 */
import { type MachineConfigPool, machineConfigPool as machineConfigPoolKind } from '../api/index.ts';
import { jsonEqual } from '../base/json.ts';
import { isConflict } from '../kubernetes/client/index.ts';
import {
  type Layering,
  type PoolTally,
  poolStatus,
  ROLLOUT_COMPONENT,
  statusEvents,
  streamOf,
} from '../rollout/index.ts';
import type { Context } from './context.ts';
import { CONTROLLER_CONFIG_NAME } from './controller-config-status.ts';
import type { NodeSources } from './node-sources.ts';
import { record, subjectOf } from './rollout-events.ts';

const CLUSTER = 'cluster';

type Standing = {
  readonly pool: MachineConfigPool;
  readonly tally: PoolTally;
  readonly layering: Layering | undefined;
};

export class StatusWriter {
  readonly #context: Context;
  readonly #sources: NodeSources;
  /** Pools as the server gave them back, until the cache is as new. */
  readonly #told = new Map<string, MachineConfigPool>();

  constructor(context: Context, sources: NodeSources) {
    this.#context = context;
    this.#sources = sources;
  }

  async write(standing: Standing): Promise<void> {
    const { kube } = this.#context;
    const { name, uid } = standing.pool.metadata;
    try {
      await this.#writeAfter(this.#latest(standing.pool), standing);
    } catch (error) {
      if (!isConflict(error)) throw error;
      const live = await kube.get(machineConfigPoolKind, { name });
      // One that was made anew under its name has a status of its own.
      if (live !== undefined && live.metadata.uid === uid) await this.#writeAfter(live, standing);
    }
  }

  forget(pool: string): void {
    this.#told.delete(pool);
  }

  #latest(pool: MachineConfigPool): MachineConfigPool {
    const { name, uid, resourceVersion } = pool.metadata;
    const told = this.#told.get(name);
    const isNewer =
      told?.metadata.uid === uid && Number(told?.metadata.resourceVersion) > Number(resourceVersion);
    if (told !== undefined && isNewer) return told;
    this.#told.delete(name);
    return pool;
  }

  /** `before` is the pool with what was said of it last. */
  async #writeAfter(before: MachineConfigPool, { pool, tally, layering }: Standing): Promise<void> {
    const { kube } = this.#context;
    const { name, uid } = pool.metadata;
    const { status: said } = before;
    const { status: _, ...stated } = pool;
    const followed = said === undefined ? stated : { ...stated, status: said };
    const status = this.#statusOf(followed, tally, layering);
    if (jsonEqual(status, said)) return;
    // A field that is not there any more has to be said so in a merge patch.
    const gone = Object.keys(said ?? {}).filter((field) => !(field in status));
    const body = {
      metadata: { uid, resourceVersion: before.metadata.resourceVersion },
      status: { ...status, ...Object.fromEntries(gone.map((field) => [field, null])) },
    };
    const patch = { type: 'merge', body } as const;
    this.#told.set(name, await kube.patch(machineConfigPoolKind, { name }, patch, { subresource: 'status' }));
    const recorder = this.#context.eventsOf(ROLLOUT_COMPONENT);
    for (const event of statusEvents(followed, status)) record(recorder, subjectOf(pool), event);
  }

  #statusOf(pool: MachineConfigPool, tally: PoolTally, layering: Layering | undefined) {
    const { controllerConfigs } = this.#sources;
    const stream = streamOfPool(this.#sources, pool);
    const certificates = controllerConfigs.get({ name: CONTROLLER_CONFIG_NAME })?.status
      ?.controllerCertificates;
    return poolStatus({
      pool,
      sum: tally,
      nowMs: this.#context.env.clock.now(),
      ...(layering === undefined ? {} : { layering }),
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
