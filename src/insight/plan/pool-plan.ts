/**
 * What a change does to one pool.
 */
import {
  annotations,
  CONTROLLER_CONFIG_NAME,
  controllerConfig as controllerConfigKind,
  type MachineConfig,
  type MachineConfigPool,
  machineConfig as machineConfigKind,
} from '../../api/index.ts';
import { ok } from '../../base/errors.ts';
import { jsonEqual } from '../../base/json.ts';
import { oneLine } from '../../base/text/index.ts';
import type { Origin, Rendering } from '../../config/render/index.ts';
import { annotationOf, nameOf } from '../../kubernetes/meta/index.ts';
import { type Node, node as nodeKind } from '../../kubernetes/types/index.ts';
import { emptyNodeConfig, readNodeConfig } from '../../node/plan/index.ts';
import { recentUpdates } from '../../node/report/index.ts';
import {
  type Contribution,
  type GateInput,
  maxUnavailable,
  type PoolTarget,
  poolGate,
  tallyOf,
} from '../../rollout/index.ts';
import type { ClusterSnapshot } from '../snapshot/cluster-snapshot.ts';
import { configDifference, type Difference } from './config-difference.ts';
import { durationEstimate } from './duration-estimate.ts';
import { nodeUpdates, policiesOf, typicalUpdate } from './node-updates.ts';
import { type PoolSide, publishedPool, type Side, type SideTarget } from './plan-side.ts';
import type { NodeUpdate, Override, PlannedNode, PoolPlan } from './plan-types.ts';
import { refusalsOn, sentNodes } from './pool-nodes.ts';

type PlanInput = {
  readonly before: Side;
  readonly after: Side;
  /** Of the components. */
  readonly namespace: string;
};

/** Undefined where the change does not concern the pool. */
export function poolPlan(name: string, input: PlanInput): PoolPlan | undefined {
  const [was, is] = [input.before.pools.get(name), input.after.pools.get(name)];
  if (is === undefined) {
    return was === undefined ? undefined : { ...emptyPlan(was.pool), state: 'deleted' };
  }
  const { rendering, target } = is;
  if (rendering.kind === 'rendered') {
    return target === undefined ? undefined : renderedPlan(input, { is: { ...is, rendering, target }, was });
  }
  if (was !== undefined && jsonEqual(was.rendering, rendering)) return undefined;
  return {
    ...emptyPlan(is.pool),
    state: 'refused',
    ...(was?.target === undefined ? {} : { from: nameOf(was.target.config) }),
    gate: { reason: 'RenderDegraded', message: oneLine(rendering.message) },
  };
}

function emptyPlan(pool: MachineConfigPool): Omit<PoolPlan, 'state'> {
  return {
    name: nameOf(pool),
    isPaused: pool.spec.paused === true,
    ...{ differences: [], overrides: [], updates: [], nodes: [], waiting: [], refusals: [] },
  };
}

type Rendered = Extract<Rendering, { readonly kind: 'rendered' }>;

type ChangedPool = {
  readonly is: PoolSide & { readonly rendering: Rendered; readonly target: SideTarget };
  readonly was: PoolSide | undefined;
};

function renderedPlan(input: PlanInput, changed: ChangedPool): PoolPlan | undefined {
  const { after, namespace } = input;
  const { is, was } = changed;
  const { pool, nodes: members, rendering, target } = is;
  const concerned = new Set(members.filter((node) => isConcerned(input, is, node)).map(nameOf));
  const isChanged = was?.target === undefined || !isSameTarget(was.target, target);
  if (!isChanged && concerned.size === 0) return undefined;
  const sent = sentNodes(after.snapshot, { pool, nodes: members, target: poolTarget(target), namespace });
  const going = sent.going.filter(({ name }) => concerned.has(name));
  const waiting = sent.waiting.filter(({ name }) => concerned.has(name));
  const updates = updatesOf(input, changed, {
    going: going.map(({ node }) => node),
    waiting: members.filter((node) => waiting.some(({ name }) => name === nameOf(node))),
  });
  const gate = gateOf(after, is);
  const limit = maxUnavailable(pool, members.length);
  const from = was?.target?.config;
  const draft = {
    ...emptyPlan(pool),
    state: stateOf(was, isChanged),
    ...(from === undefined ? {} : { from: nameOf(from) }),
    to: nameOf(target.config),
    ...(gate === undefined ? {} : { gate }),
    differences: differencesOf(was?.target, target),
    overrides: overridesOf(rendering, was?.rendering),
    ...(target.build === undefined || !isChanged ? {} : { build: target.build }),
    updates,
    ...(limit.kind === 'ok' ? { maxUnavailable: limit.value } : {}),
    nodes: going.map(plannedNode),
    waiting,
  };
  return {
    ...draft,
    refusals: refusalsOn(after.snapshot, drainedNodes(draft)),
    ...durationOf(after.snapshot, members, draft),
  };
}

function stateOf(was: PoolSide | undefined, isChanged: boolean): PoolPlan['state'] {
  if (was?.target === undefined) return 'new';
  return isChanged ? 'changed' : 'unchanged';
}

function isSameTarget(a: SideTarget, b: SideTarget): boolean {
  return nameOf(a.config) === nameOf(b.config) && a.image === b.image;
}

function poolTarget({ config, image }: SideTarget): PoolTarget {
  const name = nameOf(config);
  return { config: name, ...(image === undefined ? {} : { layered: { config: name, image } }) };
}

/** Whether the change sends the node anywhere: without it, it would stay where it is, or go elsewhere. */
function isConcerned({ before }: PlanInput, { pool, target }: ChangedPool['is'], node: Node): boolean {
  const { current, desired } = placesOf(node);
  const goal = { config: nameOf(target.config), image: target.image };
  if (jsonEqual([current, desired], [goal, goal])) return false;
  const former = before.pools.get(before.poolOf.get(nameOf(node)) ?? '');
  if (former?.target === undefined) return true;
  const isResumed = former.pool.spec.paused === true && pool.spec.paused !== true;
  return isResumed || !isSameTarget(target, former.target);
}

/** Where the node is, and where it was sent. */
function placesOf(node: Node) {
  const at = (key: string) => annotationOf(node, key) || undefined;
  return {
    current: { config: at(annotations.currentConfig), image: at(annotations.currentImage) },
    desired: { config: at(annotations.desiredConfig), image: at(annotations.desiredImage) },
  };
}

type MovingNodes = { readonly going: readonly Node[]; readonly waiting: readonly Node[] };

function updatesOf(
  { before, after }: PlanInput,
  { is, was }: ChangedPool,
  { going, waiting }: MovingNodes,
): readonly NodeUpdate[] {
  const { config, image } = is.target;
  const update = {
    config,
    policies: policiesOf(after.snapshot),
    ...(image === undefined ? {} : { image }),
  };
  if (is.nodes.length > 0) {
    const followers = waiting.filter((node) => placesOf(node).current.config !== undefined);
    return nodeUpdates((name) => configOf(before, name), [...going, ...followers.map(onceDone)], update);
  }
  // A node that joins a new pool comes with the config of another one.
  if (was?.target === undefined && after.snapshot.all(nodeKind).length > 0) return [];
  const fromImage = was?.target?.image;
  const typical = { ...update, ...(fromImage === undefined ? {} : { fromImage }) };
  return [typicalUpdate(was?.target?.config, typical)];
}

/** A node in the middle of an update begins where that leads. */
function onceDone(node: Node): Node {
  const { config, image } = placesOf(node).desired;
  if (config === undefined) return node;
  const reached = {
    ...node.metadata.annotations,
    [annotations.currentConfig]: config,
    [annotations.currentImage]: image ?? '',
  };
  return { ...node, metadata: { ...node.metadata, annotations: reached } };
}

/** A folder of manifests has no rendered configs; nodes of a dump may have the one that its manifests give. */
function configOf({ snapshot, pools }: Side, name: string): MachineConfig | undefined {
  const rendered = [...pools.values()].flatMap(({ target }) => target?.config ?? []);
  return snapshot.get(machineConfigKind, { name }) ?? rendered.find((config) => nameOf(config) === name);
}

function drainedNodes({ updates, nodes }: Pick<PoolPlan, 'updates' | 'nodes'>): readonly string[] {
  const drained = new Set(
    updates
      .filter(({ outcome }) => outcome.kind === 'update' && outcome.needsDrain)
      .flatMap((update) => update.nodes),
  );
  return nodes.map(({ name }) => name).filter((name) => drained.has(name));
}

/** Why no node is sent. A pause is shown by itself, and an image that is about to be built is not waited for here. */
function gateOf(after: Side, is: ChangedPool['is']): PoolPlan['gate'] {
  const { snapshot } = after;
  const { build } = is.target;
  if (build?.kind === 'blocked') return { reason: build.reason, message: build.message };
  const controllerConfig = snapshot.get(controllerConfigKind, { name: CONTROLLER_CONFIG_NAME });
  const published = publishedPool(is);
  const gate = poolGate({
    pool: { ...published, spec: { ...published.spec, paused: false } },
    machineConfigExists: () => true,
    topology: controllerConfig?.spec.infra?.status?.controlPlaneTopology ?? '',
    ...controlPlane(after),
  });
  return gate.kind === 'open' ? undefined : { reason: gate.reason, message: gate.message };
}

/** How the control plane stands, whose pools wait for each other. */
function controlPlane({ pools }: Side): Pick<GateInput, 'master' | 'arbiter'> {
  const sumOf = (name: string) => {
    const side = pools.get(name);
    if (side?.target === undefined) return undefined;
    const tally = tallyOf(poolTarget(side.target), side.nodes);
    return {
      isPaused: side.pool.spec.paused === true,
      unavailable: tally.counts.unavailableMachineCount,
      candidates: [...tally.availability.candidates].length,
    };
  };
  const [master, arbiter] = [sumOf('master'), sumOf('arbiter')];
  return { ...(master === undefined ? {} : { master }), ...(arbiter === undefined ? {} : { arbiter }) };
}

/** A pool that had no config is compared with an empty one. */
function differencesOf(from: SideTarget | undefined, to: SideTarget): readonly Difference[] {
  const after = readNodeConfig(to.config, to.image);
  const before = from === undefined ? ok(EMPTY) : readNodeConfig(from.config, from.image);
  return before.kind === 'ok' && after.kind === 'ok' ? configDifference(before.value, after.value) : [];
}

const EMPTY = emptyNodeConfig({ osImage: '', kernelArguments: [], isFips: false });

/** Conflicts that are new, or that another source wins now. */
function overridesOf({ origins }: Rendered, before: Rendering | undefined): readonly Override[] {
  const old = before?.kind === 'rendered' ? before.origins.flatMap(overrideOf) : [];
  return origins.flatMap(overrideOf).filter((one) => !old.some((other) => jsonEqual(one, other)));
}

/** Replacing a default of the cluster is no conflict. */
function overrideOf({ kind, name, source, overrode }: Origin): readonly Override[] {
  const over = overrode.filter((one) => one !== '');
  return over.length === 0 ? [] : [{ kind, name, winner: source, over }];
}

function plannedNode({ name, order: { zone } }: Contribution): PlannedNode {
  return { name, ...(zone === undefined ? {} : { zone }) };
}

function durationOf(
  snapshot: ClusterSnapshot,
  members: readonly Node[],
  plan: Pick<PoolPlan, 'nodes' | 'updates' | 'maxUnavailable'>,
): Pick<PoolPlan, 'duration'> {
  if (!plan.updates.some(({ nodes, outcome }) => nodes.length > 0 && outcome.kind === 'update')) return {};
  const own = members.flatMap(recentUpdates);
  const history = own.length > 0 ? own : snapshot.all(nodeKind).flatMap(recentUpdates);
  const needsReboot = plan.updates.some(({ outcome }) => outcome.kind === 'update' && outcome.needsReboot);
  const expected = { count: plan.nodes.length, atOnce: plan.maxUnavailable ?? 1, needsReboot };
  return { duration: durationEstimate(history, expected) };
}
