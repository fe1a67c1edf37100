/**
 * `millwright plan`: what a change would do, before it happens. Sends no writes.
 */
import { OS_IMAGE_CONFIG_MAP } from '../../api/index.ts';
import { systemClock } from '../../base/env.ts';
import {
  clusterSnapshot,
  type FleetPlan,
  fleetPlan,
  type PlanEffect,
  planJson,
  planMarkdown,
  planText,
  type SnapshotChange,
} from '../../insight/index.ts';
import { configMap } from '../../kubernetes/types/index.ts';
import type { ClusterOptions } from '../cluster-options.ts';
import { INVALID_INPUT, SUCCESS, USAGE_ERROR } from '../exit-code.ts';
import { namespaceOrUsual } from '../namespace-option.ts';
import { runInCluster, throwUsageError } from '../objects/run-in-cluster.ts';
import type { Ports } from '../ports.ts';
import { readTemplates } from '../render/read-templates.ts';
import { reportFailure } from '../report-failure.ts';
import { hasColors } from '../terminal.ts';
import { missingObjects } from './deletions.ts';
import { readConfigs, readGuardedPods } from './plan-sources.ts';
import { type ChangeOptions, readChange } from './read-change.ts';
import { readPresent } from './read-present.ts';

export type PlanOptions = ClusterOptions &
  ChangeOptions & {
    readonly from?: readonly string[];
    readonly prune?: boolean;
    readonly withBase?: boolean;
    readonly verbose?: boolean;
    readonly output: 'text' | 'json' | 'markdown';
  };

type Given = { readonly ports: Ports; readonly version: string };

/** What the exit code says about the change. */
const EXIT_CODES: { readonly [effect in PlanEffect]: number } = {
  none: SUCCESS,
  live: 3,
  disruptive: 4,
  invalid: INVALID_INPUT,
};

export async function planCommand(options: PlanOptions, given: Given): Promise<number> {
  const { ports } = given;
  try {
    refuseOfflineFlags(options);
    refuseNothing(options);
    const change = await readChange(options, { ports, otherwise: 'nothing planned' });
    if (change === undefined) return INVALID_INPUT;
    if (options.from === undefined) return await planOnCluster(options, change, given);
    const namespace = namespaceOrUsual(options);
    const objects = await readPresent(options.from, { ports, namespace, purpose: 'plan' });
    if (objects === undefined) return INVALID_INPUT;
    const pruned =
      options.prune === true ? [...change.deleted, ...missingObjects(objects, change)] : change.deleted;
    const snapshot = clusterSnapshot({ nowMs: systemClock.now(), objects, kinds: [] });
    const plan = fleetPlan(
      snapshot,
      { ...change, deleted: pruned },
      {
        ...{ namespace, templates: await readTemplates(ports.packageRoot), version: given.version },
        ...(options.withBase === undefined ? {} : { withBase: options.withBase }),
      },
    );
    return print(plan, options, ports);
  } catch (error) {
    return reportFailure(error, ports);
  }
}

function refuseOfflineFlags({ from, prune, withBase }: PlanOptions): void {
  if (from !== undefined) return;
  if (prune === true)
    throwUsageError('--prune is for --from: on a cluster, name what is deleted with --delete');
  if (withBase === true) throwUsageError('--with-base is for --from: a cluster has its base configs');
}

function refuseNothing({ filename = [], delete: deleted = [] }: PlanOptions): void {
  if (filename.length > 0 || deleted.length > 0) return;
  throwUsageError('nothing to plan: give the change with -f FILE or --delete KIND/NAME');
}

/** Returns the exit code. */
async function planOnCluster(options: PlanOptions, change: SnapshotChange, given: Given): Promise<number> {
  const { ports, version } = given;
  let exitCode = SUCCESS;
  const failed = await runInCluster(options, ports, async ({ session, notify }) => {
    const { reader, namespace } = await readConfigs(session, options);
    const templates = await readTemplates(ports.packageRoot);
    const settings = { namespace, templates, version };
    const draft = fleetPlan(reader.snapshot(), change, settings);
    const isDraining = drains(draft);
    if (isDraining) await readGuardedPods(reader);
    const unread = reader.unread();
    if (unread.length > 0) {
      notify(`note: not readable for you, so not considered: ${unread.join(', ')}`);
    }
    if (unread.includes(configMap.plural)) {
      notify(`note: without ConfigMap ${OS_IMAGE_CONFIG_MAP} the names of rendered configs may differ`);
    }
    exitCode = print(isDraining ? fleetPlan(reader.snapshot(), change, settings) : draft, options, ports);
  });
  // The server refused a request of ours: that says nothing about the change.
  if (failed === INVALID_INPUT) return USAGE_ERROR;
  return failed === SUCCESS ? exitCode : failed;
}

function drains({ pools }: FleetPlan): boolean {
  return pools.some(({ updates }) =>
    updates.some(({ nodes, outcome }) => nodes.length > 0 && outcome.kind === 'update' && outcome.needsDrain),
  );
}

/** Returns the exit code. */
function print(plan: FleetPlan, options: PlanOptions, ports: Ports): number {
  ports.stdout(formatted(plan, options, ports));
  return EXIT_CODES[plan.effect];
}

function formatted(plan: FleetPlan, { output, verbose = false }: PlanOptions, ports: Ports): string {
  if (output === 'json') return `${JSON.stringify(planJson(plan), null, 4)}\n`;
  if (output === 'markdown') return planMarkdown(plan);
  return `${planText(plan, { hasColors: hasColors(ports), isVerbose: verbose }).join('\n')}\n`;
}
