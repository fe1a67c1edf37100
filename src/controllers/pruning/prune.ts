/**
 * Prune: deletes rendered configs that nothing needs, of pools that ask for it (`prune-setting.ts`).
 *
 * It looks at its caches now and then, and at the server only if there is something to delete (`prune-configs.ts`).
 */
import {
  type MachineConfigPool,
  type MachineConfiguration,
  machineConfiguration as machineConfigurationKind,
} from '../../api/index.ts';
import { counted } from '../../base/text/index.ts';
import { isRendered } from '../../config/render/index.ts';
import { after, type Cache, type Controller, done, type Next } from '../../kubernetes/client/index.ts';
import { nameOf } from '../../kubernetes/meta/index.ts';
import {
  DEFAULT_MIN_AGE_MS,
  decidePruning,
  ownerName,
  type PruneSetting,
  pruneSetting,
  type RolloutEvent,
} from '../../rollout/index.ts';
import type { Context } from '../context.ts';
import { type NodeSources, nodeSources } from '../node-sources.ts';
import { record, subjectOf } from '../rollout-events.ts';
import { WarningEvents } from '../warning-events.ts';
import { type PruneOptions, pruneConfigs } from './prune-configs.ts';

const COMPONENT = 'machineconfigcontroller-prunecontroller';
const CLUSTER = 'cluster';
/** After a change: several are looked at together, and a rollout has begun by then. */
const DELAY_MS = 60_000;
/** Configs become old without a change of theirs. */
const RECHECK_MS = 60 * 60_000;
/** Of a pool, at a time: a cluster that was never pruned may have thousands. */
const MAX_DELETED = 100;
/** Named in the event. */
const MAX_NAMED = 5;

type Sources = Pick<NodeSources, 'pools' | 'nodes' | 'machineConfigNodes' | 'machineConfigs' | 'osBuilds'> & {
  readonly configurations: Cache<MachineConfiguration>;
};

export function createPruneController(context: Context): Controller {
  const { caches, env, settings } = context;
  const { pools, nodes, machineConfigNodes, machineConfigs, osBuilds } = nodeSources(
    caches,
    settings.namespace,
  );
  const configurations = caches.of(machineConfigurationKind);
  const sources: Sources = { pools, nodes, machineConfigNodes, machineConfigs, osBuilds, configurations };
  const warnings = new WarningEvents(env.clock);
  return {
    name: 'prune',
    workers: 1,
    caches: Object.values(sources),
    watch(enqueue) {
      pools.onChange(({ before, after: now }) => {
        if (now !== undefined && !isSame(before, now, configurations)) enqueue(nameOf(now), DELAY_MS);
      });
      configurations.onChange(() => {
        for (const pool of pools.all()) enqueue(nameOf(pool), DELAY_MS);
      });
      machineConfigs.onChange(({ before, after: now }) => {
        if (before === undefined && now !== undefined && isRendered(now.metadata))
          enqueue(ownerName(now), DELAY_MS);
      });
    },
    reconcile: (name) => prunePool(context, sources, { name, warnings }),
  };
}

function isSame(
  before: MachineConfigPool | undefined,
  now: MachineConfigPool,
  configurations: Sources['configurations'],
): boolean {
  const settingOf = (pool: MachineConfigPool) =>
    JSON.stringify(pruneSetting(pool, configurations.get({ name: CLUSTER })));
  return before !== undefined && settingOf(before) === settingOf(now);
}

async function prunePool(
  context: Context,
  sources: Sources,
  { name, warnings }: { readonly name: string; readonly warnings: WarningEvents },
): Promise<Next> {
  const pool = sources.pools.get({ name });
  if (pool === undefined || pool.metadata.deletionTimestamp !== undefined) {
    warnings.due(name, []);
    return done;
  }
  const setting = pruneSetting(pool, sources.configurations.get({ name: CLUSTER }));
  for (const event of warnings.due(name, problems(setting)))
    record(context, subjectOf(pool), event, COMPONENT);
  if (setting.kind !== 'keep') return done;
  const { kube, env } = context;
  const options: PruneOptions = {
    keep: (of) => (of === name ? setting.count : undefined),
    minAgeMs: DEFAULT_MIN_AGE_MS,
    nowMs: () => env.clock.now(),
  };
  // Their versions are of now, and what refers to them is read later.
  const configs = [...sources.machineConfigs.all()].filter(
    (config) => isRendered(config.metadata) && ownerName(config) === name,
  );
  const next = after(RECHECK_MS, 'rendered configs become old');
  if (!hasPrunable(sources, { ...options, nowMs: env.clock.now(), configs })) return next;
  const deleted: string[] = [];
  try {
    await pruneConfigs(kube, configs, {
      ...options,
      maxDeleted: MAX_DELETED,
      onPruned: ({ config, refused }) => {
        if (refused === undefined) deleted.push(nameOf(config));
      },
    });
  } finally {
    if (deleted.length > 0) report(context, pool, deleted);
  }
  return deleted.length < MAX_DELETED ? next : after(DELAY_MS, 'more rendered configs may be pruned');
}

type Look = Pick<PruneOptions, 'keep' | 'minAgeMs'> & {
  readonly nowMs: number;
  readonly configs: Parameters<typeof decidePruning>[0]['configs'];
};

function hasPrunable(sources: Sources, look: Look): boolean {
  const decisions = decidePruning({
    ...look,
    pools: [...sources.pools.all()],
    builds: [...sources.osBuilds.all()],
    machineConfigNodes: [...sources.machineConfigNodes.all()],
    nodes: [...sources.nodes.all()],
  });
  return decisions.some(({ reasons }) => reasons.length === 0);
}

function problems(setting: PruneSetting): readonly RolloutEvent[] {
  if (setting.kind !== 'invalid') return [];
  const whose = setting.of === 'pool' ? '' : 'of MachineConfiguration cluster: ';
  const message = `${whose}${setting.message}`;
  return [{ type: 'Warning', reason: 'InvalidPruneSetting', message, isAdditional: true }];
}

function report(context: Context, pool: MachineConfigPool, deleted: readonly string[]): void {
  const more = deleted.length > MAX_NAMED ? ` and ${deleted.length - MAX_NAMED} more` : '';
  const names = `${deleted.slice(0, MAX_NAMED).join(', ')}${more}`;
  const message = `Deleted ${counted(deleted.length, 'rendered MachineConfig')} that nothing refers to: ${names}`;
  context.env.log.info('rendered configs pruned', { pool: nameOf(pool), deleted: deleted.length });
  record(context, subjectOf(pool), { type: 'Normal', reason: 'RenderedConfigsPruned', message }, COMPONENT);
}
