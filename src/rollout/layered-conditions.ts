/**
 * What a pool that builds its own OS images says of the build.
 */

import type { MachineConfigPool } from '../api/index.ts';
import { conditionOf, hasTrueCondition, nameOf } from '../kubernetes/meta/index.ts';
import { type BuildState, buildStateOf, type Layering } from './layering.ts';
import type { Saying } from './saying.ts';

type BuildWords = { readonly isUpdating: boolean; readonly says: string };

const ROLLING: { readonly [State in BuildState]: BuildWords } = {
  Initial: { isUpdating: true, says: 'Pool is waiting for OS image build to start' },
  Prepared: { isUpdating: true, says: 'Pool is waiting for OS image build to start' },
  Building: { isUpdating: true, says: 'Pool is waiting for OS image build to complete' },
  Succeeded: { isUpdating: true, says: 'Pool is waiting for nodes to apply OS image' },
  Failed: { isUpdating: false, says: 'Pool update stopped due to OS image build failure' },
  Interrupted: { isUpdating: false, says: 'Pool update stopped due to OS image build being interrupted' },
};

const PAUSED: { readonly [State in BuildState]: BuildWords } = {
  Initial: {
    isUpdating: true,
    says: 'Pool is paused; OS image build has been created but not yet started',
  },
  Prepared: {
    isUpdating: true,
    says: 'Pool is paused; OS image build has been prepared but will not rollout',
  },
  Building: { isUpdating: true, says: 'Pool is paused; OS image build in progress' },
  Succeeded: { isUpdating: false, says: 'Pool is paused; OS image build completed successfully' },
  Failed: { isUpdating: false, says: 'Pool is paused; OS image build failed' },
  Interrupted: { isUpdating: false, says: 'Pool is paused; OS image build was interrupted' },
};

type LayeredFacts = {
  readonly pool: MachineConfigPool;
  readonly layering: Layering;
  readonly isAllUpdated: boolean;
  /** Something is wrong with the pool that keeps it where it is. */
  readonly isHeldBack: boolean;
};

/** `undefined` where nothing beyond the usual is to be said. */
export function layeredUpdating({
  pool,
  layering,
  isAllUpdated,
  isHeldBack,
}: LayeredFacts): Saying | undefined {
  const { config, build } = layering;
  const isPaused = pool.spec?.paused === true;
  if (!isPaused && isHeldBack) return updating(false, 'Pool update paused due to degraded condition');
  if (build === undefined) {
    const waiting = isPaused
      ? 'Pool is paused; waiting for a new OS image build to start'
      : 'Pool is waiting for a new OS image build to start';
    return updating(true, `${waiting} (mosc: ${nameOf(config)})`);
  }
  const state = buildStateOf(build);
  if (!isPaused && state === 'Succeeded' && isAllUpdated) return undefined;
  const { isUpdating, says } = (isPaused ? PAUSED : ROLLING)[state];
  return updating(isUpdating, `${says} (mosb: ${nameOf(build)})`);
}

/** `undefined` where the pool says nothing of builds, or what it said still stands. */
export function imageBuildCondition(
  pool: MachineConfigPool,
  layering: Layering | undefined,
): Saying | undefined {
  const wasDegraded = hasTrueCondition(pool, 'ImageBuildDegraded');
  if (layering === undefined) {
    const message = 'No layered pool objects found, clearing stale build degraded condition';
    return wasDegraded ? healthy('NoLayeredObjects', message) : undefined;
  }
  const { build } = layering;
  if (build === undefined) {
    const message = 'MachineOSConfig updated/created, waiting for MachineOSBuild';
    return wasDegraded ? healthy('BuildPending', message) : undefined;
  }
  switch (buildStateOf(build)) {
    case 'Building':
    case 'Prepared':
      return healthy('Building', 'New build started');
    case 'Succeeded':
      return healthy('BuildSuccess', 'Build completed successfully');
    case 'Failed':
      return wasDegraded
        ? undefined
        : {
            type: 'ImageBuildDegraded',
            status: 'True',
            reason: 'BuildFailed',
            message: `Failed to build OS image for pool ${nameOf(pool)} (MachineOSBuild: ${nameOf(build)}): ${conditionOf(build, 'Failed')?.message ?? ''}`,
          };
    default:
      return undefined;
  }
}

function updating(isUpdating: boolean, message: string): Saying {
  return { type: 'Updating', status: isUpdating ? 'True' : 'False', reason: '', message };
}

function healthy(reason: string, message: string): Saying {
  return { type: 'ImageBuildDegraded', status: 'False', reason, message };
}
