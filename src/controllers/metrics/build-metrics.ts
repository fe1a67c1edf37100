/**
 * The metrics of builds. What is true now is read from the caches when someone looks; counters and histograms follow the changes
 * of MachineOSBuilds, each of which has every final state once.
 *
 * As upstream's, those about pushes are about the Job of the build: it pushes as its last act.
 */
import {
  annotations,
  type MachineConfigPool,
  type MachineOSBuild,
  type MachineOSConfig,
} from '../../api/index.ts';
import { stringAt } from '../../base/json-fields.ts';
import { parseTimestamp } from '../../base/text/index.ts';
import { isFinal, jobNameOf, jobState } from '../../images/index.ts';
import type { Change } from '../../kubernetes/client/index.ts';
import { annotationOf, nameOf } from '../../kubernetes/meta/index.ts';
import { type BuildState, buildStateOf, layeringOf, membershipOf } from '../../rollout/index.ts';
import type { BuildSources } from '../builds/build-sources.ts';
import type { Context } from '../context.ts';
import {
  ACTIVE_BUILDS,
  BUILD_DURATION,
  BUILD_END,
  BUILD_JOB_STATE,
  BUILD_QUEUE_DURATION,
  BUILD_RETRIES,
  BUILD_START,
  BUILD_STATE,
  BUILD_TOTAL,
  CONFIG_CHANGES,
  LAYERED_NODES,
  OS_CONFIG_COUNT,
  PUSH_DURATION,
  PUSH_STATE,
  PUSH_TOTAL,
  ROLLOUT_TOTAL,
  ROLLOUT_UPDATED,
} from './definitions.ts';
import { eachPool } from './pool-readings.ts';

/** Upstream's names of states. */
const STATES: { readonly [state in BuildState]: string } = {
  Initial: 'pending',
  Prepared: 'pending',
  Building: 'building',
  Succeeded: 'succeeded',
  Failed: 'failed',
  Interrupted: 'interrupted',
};
const PUSH_STATES: { readonly [state in BuildState]: string | undefined } = {
  Initial: undefined,
  Prepared: undefined,
  Building: 'pushing',
  Succeeded: 'succeeded',
  Failed: 'failed',
  Interrupted: 'failed',
};

type MeasuredContext = Pick<Context, 'metrics' | 'env'>;

/** Counts what changes. To be called for every change of a MachineOSBuild. */
export function measureBuild(
  { metrics, env }: MeasuredContext,
  sources: BuildSources,
  { before, after }: Change<MachineOSBuild>,
): void {
  // A build that was there before the process was has been counted, or will be when it ends.
  if (before === undefined || after === undefined) return;
  const [from, to] = [buildStateOf(before), buildStateOf(after)];
  if (from === to) return;
  const pool = poolOfConfig(
    sources.configs.get({ name: stringAt(after, 'spec', 'machineOSConfig', 'name') }),
  );
  const createdMs = parseTimestamp(after.metadata.creationTimestamp);
  if (to === 'Building' && createdMs !== undefined) {
    metrics.histogram(BUILD_QUEUE_DURATION).observe({ pool }, secondsBetween(createdMs, env.clock.now()));
  }
  if (!isFinal(to) || isFinal(from)) return;
  const labels = { pool, state: STATES[to] };
  metrics.counter(BUILD_TOTAL).add(labels);
  const [startMs, endMs] = [timeAt(after, 'buildStart'), timeAt(after, 'buildEnd')];
  const seconds = startMs === undefined ? 0 : secondsBetween(startMs, endMs ?? env.clock.now());
  metrics.histogram(BUILD_DURATION).observe(labels, seconds);
  // One that took over an existing image has pushed nothing.
  if (annotationOf(after, annotations.jobUid) === undefined) return;
  const pushed = { pool, state: PUSH_STATES[to] ?? '' };
  metrics.counter(PUSH_TOTAL).add(pushed);
  metrics.histogram(PUSH_DURATION).observe(pushed, seconds);
}

/** Counters begin at 0 with the MachineOSConfig: an alert on their increase would miss the first failure. */
export function declareBuilds({ metrics }: MeasuredContext, config: MachineOSConfig): void {
  const total = metrics.counter(BUILD_TOTAL);
  for (const state of [STATES.Succeeded, STATES.Failed, STATES.Interrupted])
    total.add({ pool: poolOfConfig(config), state }, 0);
}

export function countConfigChange({ metrics }: MeasuredContext, pool: string): void {
  metrics.counter(CONFIG_CHANGES).add({ pool });
}

export function countBuildRetry({ metrics }: MeasuredContext, config: MachineOSConfig): void {
  metrics.counter(BUILD_RETRIES).add({ pool: poolOfConfig(config) });
}

export function readBuildMetrics({ metrics }: Context, sources: BuildSources): void {
  const layered = () => layeredPools(sources);
  const each = (valueIn: (one: LayeredPool) => number | undefined) => () =>
    layered().flatMap((one) => {
      const value = valueIn(one);
      return value === undefined ? [] : [{ labels: { pool: nameOf(one.pool) }, value }];
    });
  const eachState =
    (stateIn: (one: LayeredPool) => string | undefined, valueIn = (_: LayeredPool) => 1) =>
    () =>
      layered().flatMap((one) => {
        const state = stateIn(one);
        return state === undefined
          ? []
          : [{ labels: { pool: nameOf(one.pool), state }, value: valueIn(one) }];
      });
  metrics.read(OS_CONFIG_COUNT, () => [{ labels: {}, value: [...sources.configs.all()].length }]);
  metrics.read(
    BUILD_STATE,
    eachState(({ build }) => (build === undefined ? 'none' : STATES[buildStateOf(build)])),
  );
  metrics.read(
    BUILD_START,
    each(({ build }) => secondsAt(build, 'buildStart')),
  );
  metrics.read(
    BUILD_END,
    eachState(
      ({ build }) =>
        build === undefined || secondsAt(build, 'buildEnd') === undefined
          ? undefined
          : STATES[buildStateOf(build)],
      ({ build }) => secondsAt(build, 'buildEnd') ?? 0,
    ),
  );
  metrics.read(
    BUILD_JOB_STATE,
    eachState((one) => stateOfJob(sources, one, STATES)),
  );
  metrics.read(
    PUSH_STATE,
    eachState((one) => stateOfPush(sources, one)),
  );
  metrics.read(
    ACTIVE_BUILDS,
    each(({ builds }) => builds.filter((one) => !isFinal(buildStateOf(one))).length),
  );
  metrics.read(LAYERED_NODES, () => layeredNodes(sources));
  const pools = () => layered().map(({ pool }) => pool);
  metrics.read(ROLLOUT_TOTAL, () => eachPool(pools(), ({ status }) => status?.machineCount ?? 0));
  metrics.read(ROLLOUT_UPDATED, () => eachPool(pools(), ({ status }) => status?.updatedMachineCount ?? 0));
}

type LayeredPool = {
  readonly pool: MachineConfigPool;
  /** Of its present configuration. */
  readonly build: MachineOSBuild | undefined;
  /** All of its MachineOSConfig. */
  readonly builds: readonly MachineOSBuild[];
};

/** Pools that have a MachineOSConfig. */
function layeredPools(sources: BuildSources): readonly LayeredPool[] {
  return [...sources.pools.all()].flatMap((pool) => {
    const layering = layeringOf(pool, sources.configs.all(), sources.builds.all());
    if (layering === undefined) return [];
    const { config, build } = layering;
    return [{ pool, build, builds: sources.builds.by('config', nameOf(config)) }];
  });
}

/** Once the Job is gone, the build says how it ended. */
function stateOfJob(
  { jobs, namespace }: BuildSources,
  { build }: LayeredPool,
  names: { readonly [state in BuildState]: string | undefined },
): string | undefined {
  if (build === undefined || annotationOf(build, annotations.jobUid) === undefined) return undefined;
  const job = jobs.get({ name: jobNameOf(nameOf(build)), namespace });
  return names[job === undefined ? buildStateOf(build) : jobState(job)];
}

function stateOfPush(sources: BuildSources, one: LayeredPool): string | undefined {
  return stateOfJob(sources, one, PUSH_STATES);
}

function layeredNodes({ nodes, pools }: BuildSources) {
  const counts = new Map<string, number>();
  for (const node of nodes.all()) {
    if ((annotationOf(node, annotations.currentImage) ?? '') === '') continue;
    const pool = nameOf(membershipOf(node, pools.all()).primary);
    counts.set(pool, (counts.get(pool) ?? 0) + 1);
  }
  return [...counts].map(([pool, value]) => ({ labels: { pool }, value }));
}

function poolOfConfig(config: MachineOSConfig | undefined): string {
  return stringAt(config, 'spec', 'machineConfigPool', 'name');
}

type TimeField = 'buildStart' | 'buildEnd';

function timeAt(build: MachineOSBuild, field: TimeField): number | undefined {
  return parseTimestamp(build.status?.[field]);
}

function secondsAt(build: MachineOSBuild | undefined, field: TimeField): number | undefined {
  const ms = build === undefined ? undefined : timeAt(build, field);
  return ms === undefined ? undefined : ms / 1_000;
}

function secondsBetween(fromMs: number, toMs: number): number {
  return Math.max(0, toMs - fromMs) / 1_000;
}
