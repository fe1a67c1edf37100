/**
 * The conditions of a pool that builds its own OS images.
 */

import type { MachineConfigPool } from '../api/index.ts';
import { conditionOf, hasTrueCondition, nameOf } from '../kubernetes/meta/index.ts';
import type { ConditionUpdate } from './condition-update.ts';
import { type BuildState, buildStateOf, type Layering } from './layering.ts';

type BuildCondition = { readonly isUpdating: boolean; readonly message: string };

const ROLLING: { readonly [State in BuildState]: BuildCondition } = {
  Initial: { isUpdating: true, message: 'Pool is waiting for OS image build to start' },
  Prepared: { isUpdating: true, message: 'Pool is waiting for OS image build to start' },
  Building: { isUpdating: true, message: 'Pool is waiting for OS image build to complete' },
  Succeeded: { isUpdating: true, message: 'Pool is waiting for nodes to apply OS image' },
  Failed: { isUpdating: false, message: 'Pool update stopped due to OS image build failure' },
  Interrupted: { isUpdating: false, message: 'Pool update stopped due to OS image build being interrupted' },
};

const PAUSED: { readonly [State in BuildState]: BuildCondition } = {
  Initial: {
    isUpdating: true,
    message: 'Pool is paused; OS image build has been created but not yet started',
  },
  Prepared: {
    isUpdating: true,
    message: 'Pool is paused; OS image build has been prepared but will not rollout',
  },
  Building: { isUpdating: true, message: 'Pool is paused; OS image build in progress' },
  Succeeded: { isUpdating: false, message: 'Pool is paused; OS image build completed successfully' },
  Failed: { isUpdating: false, message: 'Pool is paused; OS image build failed' },
  Interrupted: { isUpdating: false, message: 'Pool is paused; OS image build was interrupted' },
};

type LayeredFacts = {
  readonly pool: MachineConfigPool;
  readonly layering: Layering;
  readonly isAllUpdated: boolean;
  /** A degraded condition blocks the update. */
  readonly isBlocked: boolean;
};

/** `undefined` where the condition of a pool without builds applies. */
export function layeredUpdating({
  pool,
  layering,
  isAllUpdated,
  isBlocked,
}: LayeredFacts): ConditionUpdate | undefined {
  const { config, build } = layering;
  const isPaused = pool.spec?.paused === true;
  if (!isPaused && isBlocked) return updating(false, 'Pool update paused due to degraded condition');
  if (build === undefined) {
    const waiting = isPaused
      ? 'Pool is paused; waiting for a new OS image build to start'
      : 'Pool is waiting for a new OS image build to start';
    return updating(true, `${waiting} (mosc: ${nameOf(config)})`);
  }
  const state = buildStateOf(build);
  if (!isPaused && state === 'Succeeded' && isAllUpdated) return undefined;
  const { isUpdating, message } = (isPaused ? PAUSED : ROLLING)[state];
  return updating(isUpdating, `${message} (mosb: ${nameOf(build)})`);
}

/**
 * `undefined` where there is no condition about builds.
 *
 *     MachineOSConfig    build of the target      ImageBuildDegraded
 *     cannot be built    any                      True, with its own reason
 *     -                  Failed                   True, BuildFailed
 *     a build failed     none, or not started     True, BuildFailed: the next one may be minutes away
 *     -                  Prepared, Building       False, Building
 *     -                  Succeeded                False, BuildSuccess
 *     -                  none, or not started     False if it was True
 */
export function imageBuildCondition(
  pool: MachineConfigPool,
  layering: Layering | undefined,
): ConditionUpdate | undefined {
  const wasDegraded = hasTrueCondition(pool, 'ImageBuildDegraded');
  if (layering === undefined) {
    const message = 'No layered pool objects found, clearing stale build degraded condition';
    return wasDegraded ? healthy('NoLayeredObjects', message) : undefined;
  }
  const { config, build } = layering;
  const problem = conditionOf(config, 'Degraded');
  const ofConfig = (reason: string, message: string) =>
    degraded(
      reason,
      `Failed to build OS image for pool ${nameOf(pool)} (MachineOSConfig: ${nameOf(config)}): ${message}`,
    );
  if (problem?.status === 'True' && !ABOUT_BUILDS.has(problem.reason))
    return ofConfig(problem.reason, problem.message);
  switch (build && buildStateOf(build)) {
    case 'Failed': {
      const { reason = 'Failed', message = '' } = (build && conditionOf(build, 'Failed')) ?? {};
      return degraded(
        BUILD_FAILED,
        `Failed to build OS image for pool ${nameOf(pool)} (MachineOSBuild: ${build && nameOf(build)}): ${reason}: ${message}`,
      );
    }
    case 'Building':
    case 'Prepared':
      return healthy('Building', 'New build started');
    case 'Succeeded':
      return healthy('BuildSuccess', 'Build completed successfully');
    default: {
      if (problem?.status === 'True' && problem.reason === BUILD_FAILED)
        return ofConfig(BUILD_FAILED, problem.message);
      const message = 'MachineOSConfig updated/created, waiting for MachineOSBuild';
      return wasDegraded ? healthy('BuildPending', message) : undefined;
    }
  }
}

const BUILD_FAILED = 'BuildFailed';
/** The build itself says more, and a newer one may be running. */
const ABOUT_BUILDS: ReadonlySet<string> = new Set([BUILD_FAILED, 'BuildInterrupted']);

function updating(isUpdating: boolean, message: string): ConditionUpdate {
  return { type: 'Updating', status: isUpdating ? 'True' : 'False', reason: '', message };
}

function degraded(reason: string, message: string): ConditionUpdate {
  return { type: 'ImageBuildDegraded', status: 'True', reason, message };
}

function healthy(reason: string, message: string): ConditionUpdate {
  return { type: 'ImageBuildDegraded', status: 'False', reason, message };
}
