/**
 * Whether nodes of a pool may be sent to its target at all, and if not, why: the first place to look when a rollout is
 * blocked.
 *
 * The pools master and arbiter, where there is one, share one etcd. Each waits until the other has all nodes available.
 */

import type { MachineConfigPool } from '../api/index.ts';
import { formatProblem } from '../base/errors.ts';
import { nameOf } from '../kubernetes/meta/index.ts';
import { imageReadiness, type Layering } from './layering.ts';
import { isSelectingAll, nodeSelectorProblem } from './membership.ts';
import { targetOf } from './pool-target.ts';

export type Gate =
  | { readonly kind: 'open' }
  | {
      readonly kind: 'closed';
      readonly reason: ClosedReason;
      readonly message: string;
      /** Whether the status of the pool is still computed. */
      readonly hasStatus: boolean;
    };

type ClosedReason =
  | 'NoConfiguration'
  | 'SelectingAll'
  | 'InvalidSelector'
  | 'BeingDeleted'
  | 'Paused'
  | 'ImageNotReady'
  | 'ImageBuildFailed'
  | 'RenderPending'
  | 'MissingMachineConfig'
  | 'WaitsForMaster'
  | 'WaitsForArbiter';

export type GateInput = {
  readonly pool: MachineConfigPool;
  readonly layering?: Layering;
  /** Whether its sources have changed since it was rendered. */
  readonly isRenderPending?: boolean;
  readonly machineConfigExists: (name: string) => boolean;
  /** `ControllerConfig.spec.infra.status.controlPlaneTopology`; empty where unknown. */
  readonly topology: string;
  /** The pool `master`, as the arbiter sees it; absent where there is none. */
  readonly master?: { readonly isPaused: boolean; readonly unavailable: number; readonly candidates: number };
  /** The pool `arbiter`, as the control plane sees it. */
  readonly arbiter?: { readonly unavailable: number };
};

const OPEN: Gate = { kind: 'open' };

export function poolGate(input: GateInput): Gate {
  const { pool, layering, machineConfigExists, isRenderPending = false } = input;
  const name = nameOf(pool);
  const { config } = targetOf(pool);
  if (config === '') {
    return closed('NoConfiguration', `Pool ${name} has no configuration yet`);
  }
  // It has no nodes; a status that calls all of them updated would hide the mistake.
  if (isSelectingAll(pool)) return closed('SelectingAll', SELECTING_ALL, { hasStatus: false });
  const problem = nodeSelectorProblem(pool);
  if (problem !== undefined) return closed('InvalidSelector', formatProblem(problem), { hasStatus: false });
  if (pool.metadata?.deletionTimestamp !== undefined) {
    return closed('BeingDeleted', `Pool ${name} is being deleted`);
  }
  if (pool.spec?.paused === true) return closed('Paused', `Pool ${name} is paused`);
  if (layering !== undefined) {
    const { isReady, hasFailed, message } = imageReadiness(layering);
    if (!isReady) return closed(hasFailed ? 'ImageBuildFailed' : 'ImageNotReady', message);
  }
  if (isRenderPending) {
    return closed(
      'RenderPending',
      `Changes for pool ${name} are being rendered: it is about to get another target`,
    );
  }
  // Nodes could not fetch it, and would become degraded.
  if (!machineConfigExists(config)) return closed('MissingMachineConfig', missingText(config));
  if (name === 'arbiter') return arbiterGate(input);
  return name === 'master' ? masterGate(input) : OPEN;
}

export const SELECTING_ALL =
  'This machineconfigpool is selecting all nodes. A non-empty selector is required.';

function missingText(config: string): string {
  return `MachineConfig ${config} does not exist, so no node is sent to it: leave spec.configuration to the render controller`;
}

const WITH_ARBITER = 'HighlyAvailableArbiter';

function arbiterGate({ topology, master }: GateInput): Gate {
  if (topology !== WITH_ARBITER) {
    return closed('WaitsForMaster', `The control plane has no arbiter: its topology is not ${WITH_ARBITER}`);
  }
  if (master === undefined) return closed('WaitsForMaster', 'There is no pool master');
  if (master.unavailable > 0) {
    return closed('WaitsForMaster', `${master.unavailable} nodes of pool master are unavailable`);
  }
  // A paused pool master sends no nodes, so its candidates are no reason to wait.
  if (!master.isPaused && master.candidates > 0) {
    return closed('WaitsForMaster', `Pool master comes first: ${master.candidates} of its nodes are to move`);
  }
  return OPEN;
}

function masterGate({ topology, arbiter }: GateInput): Gate {
  if (topology !== WITH_ARBITER) return OPEN;
  if (arbiter === undefined) return closed('WaitsForArbiter', 'There is no pool arbiter');
  if (arbiter.unavailable === 0) return OPEN;
  return closed('WaitsForArbiter', `${arbiter.unavailable} nodes of pool arbiter are unavailable`);
}

function closed(
  reason: ClosedReason,
  message: string,
  { hasStatus }: { readonly hasStatus: boolean } = { hasStatus: true },
): Gate {
  return { kind: 'closed', reason, message, hasStatus };
}
