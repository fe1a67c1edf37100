/**
 * What a change of a cluster's objects leads to, pool by pool. Nothing is applied.
 */
import {
  machineConfig as machineConfigKind,
  machineOSConfig as machineOSConfigKind,
  OS_IMAGE_CONFIG_MAP,
} from '../../api/index.ts';
import { jsonEqual } from '../../base/json.ts';
import { oneLine } from '../../base/text/index.ts';
import { isRendered } from '../../config/render/index.ts';
import { declaredProblem } from '../../images/index.ts';
import { matchesSelector, nameOf } from '../../kubernetes/meta/index.ts';
import { configMap as configMapKind, node as nodeKind } from '../../kubernetes/types/index.ts';
import { changeSnapshot, type Deletion, type SnapshotChange } from '../snapshot/change-snapshot.ts';
import type { ClusterSnapshot } from '../snapshot/cluster-snapshot.ts';
import { unassignedNodes } from '../unassigned-nodes.ts';
import { type FleetRendering, fleetRendering, type RenderingOptions } from './fleet-rendering.ts';
import { lastingChange } from './lasting-change.ts';
import { planSide, type Side } from './plan-side.ts';
import type { FleetPlan, PlanEffect, PlanProblem, PoolPlan } from './plan-types.ts';
import { poolPlan } from './pool-plan.ts';

export function fleetPlan(
  present: ClusterSnapshot,
  change: SnapshotChange,
  options: RenderingOptions,
): FleetPlan {
  const lasting = lastingChange(present, change);
  const changed = changeSnapshot(present, lasting.change);
  const [renderedBefore, renderedAfter] = [
    fleetRendering(present, options),
    fleetRendering(changed, options),
  ];
  const [before, after] = [planSide(present, renderedBefore), planSide(changed, renderedAfter)];
  const names = [...new Set([...before.pools.keys(), ...after.pools.keys()])].sort();
  const input = { before, after, namespace: options.namespace };
  const pools = names.flatMap((name) => poolPlan(name, input) ?? []);
  const problems = [
    ...missingDeletions(present, change),
    ...newOnes(renderedBefore.refusals, renderedAfter.refusals).map(settingsProblem),
    ...renderProblems(before, after),
    ...newOnes(buildProblems(before), buildProblems(after)),
    ...pools.flatMap(unreconcilable),
  ];
  return {
    applied: change.applied.map(({ kind, metadata }) => `${kind}/${metadata.name}`),
    deleted: change.deleted.map(({ kind, name }) => `${kind}/${name}`),
    effect: problems.length > 0 ? 'invalid' : effectOf(pools, changed.all(nodeKind).length > 0),
    problems,
    warnings: [
      ...lasting.warnings,
      ...newOnes(renderedBefore.warnings, renderedAfter.warnings)
        .map(settingsProblem)
        .filter((one) => !problems.some((problem) => jsonEqual(problem, one))),
      ...renderWarnings(renderedBefore, renderedAfter),
      ...unselectedConfigs(change, after),
    ],
    pools,
    outside: unassignedNodes(
      changed.all(nodeKind),
      renderedAfter.pools.map(({ pool }) => pool),
    ),
  };
}

/** A name that is wrong: `kubectl delete` would fail. */
function missingDeletions(present: ClusterSnapshot, { deleted }: SnapshotChange): readonly PlanProblem[] {
  const known = new Set(present.objects.map(({ kind, metadata }) => placeOf({ kind, ...metadata })));
  return deleted
    .filter((one) => present.has(one) && isRead(one) && !known.has(placeOf(one)))
    .map(({ kind, name }) => ({
      object: `${kind}/${name}`,
      message: 'does not exist, so it cannot be deleted',
    }));
}

function placeOf({ kind, namespace = '', name }: Pick<Deletion, 'kind' | 'namespace' | 'name'>): string {
  return `${kind}/${namespace}/${name}`;
}

/** Rendered configs are read only where they are in use, and of ConfigMaps a single one. */
function isRead({ kind, name }: Deletion): boolean {
  if (kind === configMapKind.kind) return name === OS_IMAGE_CONFIG_MAP;
  return kind !== machineConfigKind.kind || !isRendered({ name });
}

/** What the change brings: what was so before is none of its making. */
function newOnes<T>(before: readonly T[], after: readonly T[]): readonly T[] {
  return after.filter((one) => !before.some((other) => jsonEqual(one, other)));
}

function settingsProblem(one: {
  readonly kind: string;
  readonly name: string;
  readonly message: string;
}): PlanProblem {
  return { object: `${one.kind}/${one.name}`, message: one.message.replace(/^Error: /, '') };
}

/** Of pools that cannot be rendered any more: each problem once, on the MachineConfig that has it. */
function renderProblems(before: Side, after: Side): readonly PlanProblem[] {
  const found = [...after.pools].flatMap(([name, { rendering }]) => {
    if (rendering.kind === 'rendered' || jsonEqual(before.pools.get(name)?.rendering, rendering)) return [];
    const pool = `MachineConfigPool/${name}`;
    if (rendering.kind === 'ignored') return [{ object: pool, message: rendering.message }];
    return rendering.problems.map(({ source, path, message }) => ({
      object: source === undefined ? pool : `MachineConfig/${source}`,
      message: oneLine(path === '' ? message : `${path}: ${message}`),
    }));
  });
  return distinct(found);
}

function distinct(problems: readonly PlanProblem[]): readonly PlanProblem[] {
  return [...new Map(problems.map((one) => [`${one.object}\n${one.message}`, one])).values()];
}

/** Of MachineOSConfigs for which no image can be built, or whose pool does not exist. */
function buildProblems({ snapshot, pools }: Side): readonly PlanProblem[] {
  return snapshot.all(machineOSConfigKind).flatMap((config) => {
    const pool = pools.get(config.spec.machineConfigPool.name);
    const build = pool?.target?.build;
    const problem =
      pool === undefined
        ? declaredProblem({ config, nodes: [] })
        : build?.kind === 'blocked'
          ? build
          : undefined;
    if (problem === undefined) return [];
    return [{ object: `${machineOSConfigKind.kind}/${nameOf(config)}`, message: oneLine(problem.message) }];
  });
}

function unreconcilable({ name, updates }: PoolPlan): readonly PlanProblem[] {
  return updates.flatMap(({ nodes, outcome }) => {
    if (outcome.kind !== 'unreconcilable') return [];
    const who = nodes.length === 0 ? 'its nodes' : nodes.join(', ');
    return [{ object: `MachineConfigPool/${name}`, message: `${who} cannot follow: ${outcome.message}` }];
  });
}

/** Manifests alone have no nodes: there, what a node would do counts. */
function effectOf(pools: readonly PoolPlan[], hasNodes: boolean): PlanEffect {
  const outcomes = pools
    .flatMap(({ updates }) => updates)
    .filter(({ nodes }) => !hasNodes || nodes.length > 0)
    .map(({ outcome }) => outcome);
  // What nobody knows may be a reboot.
  const isDisruptive = outcomes.some(
    (outcome) => outcome.kind !== 'update' || outcome.needsDrain || outcome.needsReboot,
  );
  if (isDisruptive) return 'disruptive';
  return outcomes.length === 0 ? 'none' : 'live';
}

function renderWarnings(before: FleetRendering, after: FleetRendering): readonly PlanProblem[] {
  const warningsOf = ({ pools }: FleetRendering) =>
    pools.flatMap(({ pool, rendering }) =>
      rendering.kind !== 'rendered'
        ? []
        : rendering.warnings.map(({ source, message }) => ({
            object: source === undefined ? `MachineConfigPool/${nameOf(pool)}` : `MachineConfig/${source}`,
            message,
          })),
    );
  return distinct(newOnes(warningsOf(before), warningsOf(after)));
}

/** A MachineConfig that no pool selects most likely has a wrong label. */
function unselectedConfigs({ applied }: SnapshotChange, { pools }: Side): readonly PlanProblem[] {
  const selectors = [...pools.values()].map(({ pool }) => pool.spec.machineConfigSelector);
  return applied
    .filter(({ kind, metadata }) => kind === machineConfigKind.kind && !isRendered(metadata))
    .filter(({ metadata }) => !selectors.some((selector) => matchesSelector(selector, metadata.labels)))
    .map(({ kind, metadata }) => ({
      object: `${kind}/${metadata.name}`,
      message: 'no pool selects its labels: it reaches no node',
    }));
}
