/**
 * Which components of the cluster do not run, by the Leases of their leading processes and by their workloads: without the controller
 * nobody acts on what is declared. Only what is certain is reported: what cannot be read says nothing. Processes outside of the cluster
 * have a Lease and no workload, so a missing workload says nothing by itself either.
 */
import { CONTROLLER_LEASE, OPERATOR_LEASE } from '../api/index.ts';
import { nameOf } from '../kubernetes/meta/index.ts';
import type { DaemonSet, Deployment, Lease } from '../kubernetes/types/index.ts';
import { leaderAbsence } from '../rollout/index.ts';
import { elapsed, since } from './timestamp.ts';

/** The Leases in the namespace of the components, and when they were read: a Lease says nothing about later. */
export type LeaderLeases = {
  readonly namespace: string;
  readonly leases: Iterable<Lease>;
  readonly readMs: number;
  /** Absent where the user may not read them. */
  readonly workloads?: Workloads | undefined;
};

/** Those of the components, in the same namespace. */
export type Workloads = {
  readonly deployments: Iterable<Deployment>;
  readonly daemonSet?: DaemonSet | undefined;
};

export type AbsentComponents = {
  readonly namespace: string;
  readonly components: readonly AbsentComponent[];
  /** There is neither a workload nor a Lease. */
  readonly isNotInstalled?: true;
  /** Nodes whose daemon is ready, where there are fewer than there should be, or none. */
  readonly daemons?: { readonly ready: number; readonly desired: number };
};

/** `since`: when its Lease was renewed for the last time; missing where it has no Lease. `pods`: what its Deployment says. */
type AbsentComponent = {
  readonly name: string;
  readonly since?: string;
  readonly pods?: 'none-desired' | 'none-ready';
};

/** Leases are written and read with different clocks. */
const CLOCK_SKEW_MS = 2 * 60_000;

const CONTROLLER = 'machine-config-controller';
const COMPONENTS = [
  { name: CONTROLLER, lease: CONTROLLER_LEASE },
  { name: 'machine-config-operator', lease: OPERATOR_LEASE },
] as const;

/** `undefined` where all are running. */
export function absentComponents({ namespace, ...read }: LeaderLeases): AbsentComponents | undefined {
  const leases = new Map([...read.leases].map((lease) => [nameOf(lease), lease]));
  const deployments = new Map([...(read.workloads?.deployments ?? [])].map((one) => [nameOf(one), one]));
  const components = COMPONENTS.flatMap(({ name, lease }): readonly AbsentComponent[] => {
    const absence = leaderAbsence(leases.get(lease), read.readMs - CLOCK_SKEW_MS);
    const pods = missingPods(deployments.get(name));
    if (pods !== undefined) return [{ name, pods }];
    return absence === undefined ? [] : [{ name, ...since(absence.sinceMs) }];
  });
  const daemons = missingDaemons(read.workloads?.daemonSet);
  if (components.length === 0 && daemons === undefined) return undefined;
  const hasNone = read.workloads !== undefined && deployments.size === 0 && !read.workloads.daemonSet;
  const isNotInstalled = hasNone && leases.size === 0;
  return {
    namespace,
    components,
    ...(isNotInstalled ? { isNotInstalled } : {}),
    ...(daemons === undefined ? {} : { daemons }),
  };
}

/** A status that no controller has written yet says nothing. */
const isObserved = (status: { readonly observedGeneration?: unknown } | undefined): boolean =>
  typeof status?.observedGeneration === 'number' && status.observedGeneration > 0;

function missingPods(deployment: Deployment | undefined): AbsentComponent['pods'] {
  if (deployment === undefined) return undefined;
  if (deployment.spec?.replicas === 0) return 'none-desired';
  if (!isObserved(deployment.status)) return undefined;
  return (deployment.status?.readyReplicas ?? 0) === 0 ? 'none-ready' : undefined;
}

function missingDaemons(daemonSet: DaemonSet | undefined): AbsentComponents['daemons'] {
  if (daemonSet === undefined || !isObserved(daemonSet.status)) return undefined;
  const desired = daemonSet.status?.desiredNumberScheduled ?? 0;
  const ready = daemonSet.status?.numberReady ?? 0;
  return desired > 0 && ready >= desired ? undefined : { ready, desired };
}

const PODS_TEXTS = { 'none-desired': 'is scaled to 0', 'none-ready': 'has no ready pod' } as const;

/** One line: what does not run, for how long, and what follows from that. */
export function absentText(absent: AbsentComponents, now: string): string {
  if (absent.isNotInstalled === true) {
    return 'Millwright is not installed here: its pools and configs are, and nobody acts on them';
  }
  const { components, daemons } = absent;
  const texts = [
    ...(components.length === 0 ? [] : [componentsText(components, now)]),
    ...(daemons === undefined ? [] : [daemonsText(daemons)]),
  ];
  return texts.join('; ');
}

function daemonsText({ ready, desired }: NonNullable<AbsentComponents['daemons']>): string {
  if (desired === 0) return 'machine-config-daemon runs on no node: see daemon.nodeSelector';
  return `machine-config-daemon is ready on ${ready} of ${desired} nodes`;
}

function componentsText(components: readonly AbsentComponent[], now: string): string {
  const texts = components.map(({ name, since: last, pods }) => {
    if (pods !== undefined) return `${name} ${PODS_TEXTS[pods]}`;
    const duration = elapsed(last, now);
    return duration === undefined ? `${name} has never run` : `${name} has not run for ${duration}`;
  });
  const isController = components.some(({ name }) => name === CONTROLLER);
  return isController
    ? `nobody acts on this cluster: ${texts.join(', ')}`
    : `${texts.join(', ')}: new nodes and changes of the cluster are not noticed`;
}
