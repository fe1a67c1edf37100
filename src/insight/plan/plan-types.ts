/**
 * What a change of a cluster's objects leads to, as plain data: the input of every form in which a plan is shown.
 */
import type { BuildForecast } from '../../images/index.ts';
import type { PostAction } from '../../node/plan/index.ts';
import type { EvictionRefusal } from '../../rollout/index.ts';
import type { UnassignedNode } from '../unassigned-nodes.ts';
import type { Difference } from './config-difference.ts';
import type { DurationEstimate } from './duration-estimate.ts';

export type FleetPlan = {
  /** `MachineConfig/99-worker-motd`, in the order given. */
  readonly applied: readonly string[];
  readonly deleted: readonly string[];
  readonly effect: PlanEffect;
  /** What keeps the change from taking effect. */
  readonly problems: readonly PlanProblem[];
  readonly warnings: readonly PlanProblem[];
  /** By name. */
  readonly pools: readonly PoolPlan[];
  /** Nodes in no pool or in two, after the change. */
  readonly outside: readonly UnassignedNode[];
};

/**
 * `none`: no node changes. `live`: nodes change without a drain or a reboot. `disruptive`: at least one node is drained or
 * rebooted. `invalid`: the change has problems.
 */
export type PlanEffect = 'none' | 'live' | 'disruptive' | 'invalid';

export type PlanProblem = {
  /** `KubeletConfig/large`, `MachineConfigPool/infra`. */
  readonly object: string;
  readonly message: string;
};

export type PoolPlan = {
  readonly name: string;
  /** Of its rendered config: `refused` where it cannot be rendered after the change, so that nodes stay as they are. */
  readonly state: 'unchanged' | 'changed' | 'new' | 'deleted' | 'refused';
  /** The names of the rendered configs before and after. */
  readonly from?: string;
  readonly to?: string;
  readonly isPaused: boolean;
  /** Why no node of the pool is sent now, other than a pause. */
  readonly gate?: { readonly reason: string; readonly message: string };
  readonly differences: readonly Difference[];
  /** Conflicts that the change decides or causes: who wins, and over whom. */
  readonly overrides: readonly Override[];
  readonly build?: BuildForecast;
  /** Nodes with the same update, in the order in which the first of them goes. Without nodes: what a node would do. */
  readonly updates: readonly NodeUpdate[];
  readonly maxUnavailable?: number;
  /** In the order in which they are sent. */
  readonly nodes: readonly PlannedNode[];
  /** Nodes that are not sent now, although their config changes. */
  readonly waiting: readonly WaitingNode[];
  /** Pods that would refuse to be evicted now, by node. */
  readonly refusals: readonly (EvictionRefusal & { readonly node: string })[];
  readonly duration?: DurationEstimate;
};

/** One item of the rendered config that several sources define. */
export type Override = {
  /** `file`, `unit`, `setting`, … */
  readonly kind: string;
  readonly name: string;
  readonly winner: string;
  readonly over: readonly string[];
};

export type PlannedNode = { readonly name: string; readonly zone?: string };

export type WaitingNode = { readonly name: string; readonly why: string };

export type NodeUpdate = {
  readonly nodes: readonly string[];
  /** The config that these nodes have now; absent where they have none, or it is unknown. */
  readonly from?: string;
  readonly outcome: UpdateOutcome;
  /** For each changed item: what it needs, and the policy that says so. */
  readonly reasons: readonly ActionReason[];
};

export type UpdateOutcome =
  | {
      readonly kind: 'update';
      readonly actions: readonly PostAction[];
      readonly needsDrain: boolean;
      readonly needsReboot: boolean;
    }
  /** The nodes cannot follow: they become degraded, and nobody is drained. */
  | { readonly kind: 'unreconcilable'; readonly message: string }
  | { readonly kind: 'unknown'; readonly message: string };

export type ActionReason = {
  readonly kind: 'file' | 'unit' | 'users' | 'os';
  readonly name: string;
  readonly actions: readonly PostAction[];
  /** What the NodeDisruptionPolicy is for; absent where none applies, so that the node reboots. */
  readonly policy?: string;
};
