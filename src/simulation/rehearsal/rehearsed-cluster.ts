/**
 * What a simulated cluster needs to stand for a real one: the objects that configs come from, the nodes with the config that each of them
 * has, pods and their budgets. Pure; the same for every seed.
 *
 * What controllers compute is left out and computed again: rendered configs of pools, statuses, our own annotations and taints. The first
 * rendering of the simulated controllers takes the place of the one that the real nodes have, so that nothing moves because a snapshot has
 * no certificates and no pull secrets, or because other versions render.
 */
import {
  annotations,
  CONTROLLER_CONFIG_NAME,
  controllerConfig as controllerConfigKind,
  kinds,
  type MachineConfig,
  type MachineConfigPool,
  machineConfig as machineConfigKind,
  machineConfigPool as machineConfigPoolKind,
  machineOSConfig as machineOSConfigKind,
  NAMESPACE,
  OS_IMAGE_CONFIG_MAP,
} from '../../api/index.ts';
import { compareBytes, type JsonObject } from '../../base/json.ts';
import { isRendered } from '../../config/render/index.ts';
import type { ClusterSnapshot, SnapshotObject } from '../../insight/index.ts';
import { annotationOf, apiVersionOf, nameOf } from '../../kubernetes/meta/index.ts';
import { configMap as configMapKind, type Node, node as nodeKind } from '../../kubernetes/types/index.ts';
import { isCordoned, isCordonedByUs, membershipOf } from '../../rollout/index.ts';
import { isLeftOut } from './left-out.ts';
import { type RehearsedPods, rehearsedPods } from './rehearsed-pods.ts';

export type RehearsedCluster = {
  readonly nowMs: number;
  /** What configs are rendered from; all pools are paused. */
  readonly objects: readonly SnapshotObject[];
  /** By age, the oldest first. */
  readonly nodes: readonly RehearsedNode[];
  readonly pods: RehearsedPods;
  /** Pools that are paused in the real cluster. */
  readonly pausedPools: ReadonlySet<string>;
  /** Units that configs name and do not define: they come with the OS. */
  readonly units: readonly string[];
  /** What the simulation takes to be otherwise than it is. */
  readonly notes: readonly string[];
};

export type RehearsedNode = {
  readonly name: string;
  /** Before the change, and after it. */
  readonly formerPool: string;
  readonly pool: string;
  readonly zone?: string;
  /** As its kubelet has registered it. */
  readonly node: Node;
  /** The rendered config that it has; absent where it has the one of its former pool. */
  readonly config?: string;
  readonly isUp: boolean;
};

type Side = { readonly before: ClusterSnapshot; readonly after: ClusterSnapshot };

/** `namespace`: of the components. */
export function rehearsedCluster({ before: snapshot, after }: Side, namespace: string): RehearsedCluster {
  const pools = snapshot.all(machineConfigPoolKind);
  const nodes = snapshot.all(nodeKind);
  const placed = nodes.flatMap((node) => rehearsedNode({ before: snapshot, after }, node) ?? []);
  const used = new Set(placed.flatMap(({ config }) => config ?? []));
  const configs = snapshot
    .all(machineConfigKind)
    .filter((one) => !isRendered(one.metadata) || used.has(nameOf(one)));
  return {
    nowMs: snapshot.nowMs,
    objects: [
      ...configs,
      ...pools.map(restingPool),
      ...snapshot.objects.filter(isSource).map((object) => sourceOf(object, namespace)),
    ].map(asCreated),
    nodes: placed.toSorted(byAge),
    pods: rehearsedPods(snapshot, { namespace, nodes: new Set(placed.map(({ name }) => name)) }),
    pausedPools: new Set(pools.filter(({ spec }) => spec.paused === true).map(nameOf)),
    units: unitsOf(configs),
    notes: notesOf(snapshot, placed),
  };
}

/** Undefined for nodes that no daemon manages, and for those in no pool or in two. */
function rehearsedNode({ before: snapshot, after }: Side, node: Node): RehearsedNode | undefined {
  const membership = membershipOf(node, snapshot.all(machineConfigPoolKind));
  if (membership.kind !== 'member' || node.metadata.deletionTimestamp !== undefined) return undefined;
  const pool = membership.primary;
  const current = annotationOf(node, annotations.currentConfig) ?? '';
  const isElsewhere = current !== '' && current !== pool.spec.configuration?.name;
  const isKnown = snapshot.get(machineConfigKind, { name: current }) !== undefined;
  const zone = node.metadata.labels?.['topology.kubernetes.io/zone'];
  const moved = after.get(nodeKind, { name: nameOf(node) }) ?? node;
  const next = membershipOf(moved, after.all(machineConfigPoolKind));
  return {
    ...{ name: nameOf(node), formerPool: nameOf(pool), node: registered(node) },
    pool: nameOf(next.kind === 'member' ? next.primary : pool),
    ...(zone === undefined ? {} : { zone }),
    ...(isElsewhere && isKnown ? { config: current } : {}),
    isUp: isReady(node),
  };
}

function byAge(a: RehearsedNode, b: RehearsedNode): number {
  const time = ({ node }: RehearsedNode) => node.metadata.creationTimestamp ?? '';
  return compareBytes(time(a), time(b)) || compareBytes(a.name, b.name);
}

function isReady({ status }: Node): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return ready === undefined || ready.status === 'True';
}

const OWN_KEYS = /^(machineconfiguration\.openshift\.io|millwright\.dev)\//;
const OWN_TAINT = 'UpdateInProgress';

/** Without what is ours: a daemon that joins writes it anew, and a cordon of ours is taken away when an update ends. */
function registered(node: Node): Node {
  const { name, uid, labels, creationTimestamp } = node.metadata;
  const kept = Object.entries(node.metadata.annotations ?? {}).filter(([key]) => !OWN_KEYS.test(key));
  const isHeld = isCordoned(node) && !isCordonedByUs(node);
  const isCordonTaint = (key: string) => key === 'node.kubernetes.io/unschedulable';
  const taints = (node.spec?.taints ?? []).filter(
    ({ key }) => key !== OWN_TAINT && (isHeld || !isCordonTaint(key)),
  );
  return {
    ...{ apiVersion: 'v1', kind: 'Node' },
    metadata: {
      name,
      uid: uid ?? `uid-of-${name}`,
      ...(labels === undefined ? {} : { labels }),
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
      annotations: Object.fromEntries(kept),
    },
    spec: { ...(taints.length === 0 ? {} : { taints }), ...(isHeld ? { unschedulable: true } : {}) },
    status: { ...node.status, conditions: node.status?.conditions ?? [READY] },
  };
}

const READY = { type: 'Ready', status: 'True', reason: 'KubeletReady', message: '' } as const;

/** It rests until the cluster stands; rendered by the simulated controllers. */
function restingPool(pool: MachineConfigPool): MachineConfigPool {
  const { configuration: _, ...spec } = pool.spec;
  const { status: _status, ...rest } = pool;
  return { ...rest, spec: { ...spec, paused: true } };
}

/** Told apart above. */
const TREATED_APART: ReadonlySet<string> = new Set(
  [machineConfigKind, machineConfigPoolKind].map(({ kind }) => kind),
);
const SOURCES: ReadonlySet<string> = new Set(
  kinds.filter(({ kind }) => !TREATED_APART.has(kind)).map((kind) => `${apiVersionOf(kind)} ${kind.kind}`),
);

function isSource(object: SnapshotObject): boolean {
  const { apiVersion, kind, metadata } = object;
  const isOsImages = kind === configMapKind.kind && metadata.name === OS_IMAGE_CONFIG_MAP;
  return isOsImages || (SOURCES.has(`${apiVersion} ${kind}`) && !isLeftOut(object));
}

/** In the simulated cluster: the components are in their usual namespace, and Secrets are not there. */
export function sourceOf(object: SnapshotObject, namespace: string): SnapshotObject {
  const { metadata, kind } = object;
  // Objects are JSON: they were read from it.
  const json = object as unknown as JsonObject;
  if (kind === configMapKind.kind && metadata.namespace === namespace) {
    const { releaseVersion: _, ...data } = (json.data ?? {}) as JsonObject;
    return { ...json, data, metadata: { ...metadata, namespace: NAMESPACE } } as unknown as SnapshotObject;
  }
  if (kind === controllerConfigKind.kind && metadata.name === CONTROLLER_CONFIG_NAME) {
    const { pullSecret: _, ...spec } = (json.spec ?? {}) as JsonObject;
    return { ...json, spec } as unknown as SnapshotObject;
  }
  return object;
}

/** Without what belongs to the history of the real object. */
function asCreated(object: SnapshotObject): SnapshotObject {
  const { resourceVersion: _, managedFields: _fields, uid, ...metadata } = object.metadata;
  const { status: _status, ...rest } = object as SnapshotObject & { readonly status?: unknown };
  const own = uid ?? `uid-of-${object.kind}-${metadata.namespace ?? ''}-${metadata.name}`;
  return { ...rest, metadata: { ...metadata, uid: own } };
}

function unitsOf(configs: readonly MachineConfig[]): readonly string[] {
  const units = configs.flatMap(({ spec }) => {
    const systemd = (spec?.config as JsonObject | undefined)?.systemd as JsonObject | undefined;
    return Array.isArray(systemd?.units) ? (systemd.units as readonly JsonObject[]) : [];
  });
  const named = units.filter(({ contents }) => contents === undefined).map(({ name }) => String(name));
  return [...new Set(named)].filter((name) => /^[\w@.\\:-]+$/.test(name)).sort(compareBytes);
}

function notesOf(snapshot: ClusterSnapshot, placed: readonly RehearsedNode[]): readonly string[] {
  const known = new Set(placed.map(({ name }) => name));
  const nodes = snapshot.all(nodeKind);
  const state = (node: Node) => annotationOf(node, annotations.state) ?? '';
  const groups: readonly (readonly [nodes: readonly Node[], what: string])[] = [
    [nodes.filter((one) => !known.has(nameOf(one))), 'in no pool or in two: left out'],
    [nodes.filter((one) => known.has(nameOf(one)) && !isReady(one)), 'not ready: taken to stay as they are'],
    [
      nodes.filter((one) => ['Degraded', 'Unreconcilable'].includes(state(one))),
      'degraded now: taken to be healthy, on the config that they have',
    ],
    [
      nodes.filter((one) => ['Working', 'Rebooting'].includes(state(one))),
      'in the middle of an update: taken to begin it again',
    ],
  ];
  const builds = snapshot.all(machineOSConfigKind).map(({ spec }) => spec.machineConfigPool.name);
  return [
    ...groups.filter(([some]) => some.length > 0).map(([some, what]) => `${shortList(some)}: ${what}`),
    ...builds.map(
      (pool) =>
        `pool ${pool} has a MachineOSConfig: the build of its image, which comes first, is not rehearsed`,
    ),
  ];
}

const MOST_NAMES = 5;

function shortList(nodes: readonly Node[]): string {
  const names = nodes.map(nameOf);
  const rest = names.length - MOST_NAMES;
  return rest > 0 ? `${names.slice(0, MOST_NAMES).join(', ')} and ${rest} more` : names.join(', ');
}
