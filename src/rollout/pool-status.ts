/**
 * The status of a pool, computed as a whole from its present state.
 *
 *     poolStatus({ pool, sum: tally, nowMs: env.clock.now() })
 *
 * Counts come from the annotations of the nodes, error messages from their MachineConfigNodes, and both from one tally, so
 * they cannot disagree. `status.configuration` changes only when every node is updated: until then it is the last
 * configuration that all of them had.
 *
 * `poolSynchronizersStatus` counts the nodes that report the present generations of all their PinnedImageSets as complete.
 */

import type {
  ControllerCertificate,
  MachineConfig,
  MachineConfigPool,
  MachineConfigPoolStatus,
  OSImageStream,
} from '../api/index.ts';
import { assert } from '../base/errors.ts';
import { objectsAt, optionalStringAt } from '../base/json-fields.ts';
import { formatTimestamp } from '../base/text/index.ts';
import type { BuilderOutage } from './builder-outage.ts';
import { imageReadiness, type Layering } from './layering.ts';
import { poolConditions, withTransitionTimes } from './pool-conditions.ts';
import type { PoolCounts, PoolSum } from './pool-tally.ts';
import { isSameTarget, targetOf } from './pool-target.ts';

export type PoolSnapshot = {
  readonly pool: MachineConfigPool;
  /** The sum of its nodes for its present target, such as a `PoolTally`. */
  readonly sum: PoolSum;
  readonly layering?: Layering;
  /** It waits for a build, and no builder is running. */
  readonly outage?: BuilderOutage;
  /** `ControllerConfig.status.controllerCertificates`. */
  readonly certificates?: readonly ControllerCertificate[];
  /** The OS image stream of its target; see `streamOf`. */
  readonly stream?: string;
  readonly nowMs: number;
};

export function poolStatus(snapshot: PoolSnapshot): MachineConfigPoolStatus {
  const { pool, sum, layering, outage, stream } = snapshot;
  const { counts } = sum;
  const target = targetOf(pool, layering);
  assert(isSameTarget(target, sum.target), 'the sum of a pool is for its present target');
  // While an image is built the pool is not updated, even if its nodes have the previous one.
  const isImageReady = layering === undefined || imageReadiness(layering).isReady;
  const isAllUpdated = target.config !== '' && haveAllTheTarget(counts) && isImageReady;
  const conditions = poolConditions({
    pool,
    target,
    isAllUpdated,
    degraded: sum.degraded,
    ...(layering === undefined ? {} : { layering }),
    ...(outage === undefined ? {} : { outage }),
  });
  const isDegraded = conditions.some(({ type, status }) => type === 'Degraded' && status === 'True');
  const configuration = isAllUpdated ? pool.spec?.configuration : pool.status?.configuration;
  const generation = pool.metadata?.generation;
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    ...(configuration === undefined ? {} : { configuration }),
    machineCount: counts.machineCount,
    updatedMachineCount: counts.updatedMachineCount,
    readyMachineCount: counts.readyMachineCount,
    unavailableMachineCount: counts.unavailableMachineCount,
    degradedMachineCount: counts.degradedMachineCount,
    conditions: withTransitionTimes(pool.status?.conditions, conditions, formatTimestamp(snapshot.nowMs)),
    poolSynchronizersStatus: [synchronizerStatus(counts)],
    certExpirys: certExpirys(snapshot.certificates ?? []),
    ...(isAllUpdated && !isDegraded && stream !== undefined ? { osImageStream: { name: stream } } : {}),
  };
}

/**
 * Whether the nodes are ready does not matter: one that an administrator has cordoned, or whose kubelet is down, is not
 * being updated. Nodes that are joining count once their daemon has reported, unless there are no others.
 */
function haveAllTheTarget({ machineCount, joiningMachineCount, updatedMachineCount }: PoolCounts): boolean {
  const settled = machineCount - joiningMachineCount;
  return updatedMachineCount === settled && (settled > 0 || machineCount === 0);
}

/** The server refuses counts that exceed one another. */
function synchronizerStatus({ machineCount, ...counts }: PoolCounts) {
  const availableMachineCount = machineCount - counts.unavailableMachineCount;
  return {
    poolSynchronizerType: 'PinnedImageSets' as const,
    machineCount,
    updatedMachineCount: counts.pinnedMachineCount,
    readyMachineCount: Math.min(counts.readyMachineCount, availableMachineCount),
    availableMachineCount,
    unavailableMachineCount: counts.unavailableMachineCount,
  };
}

const SERVING_CA_BUNDLE = 'KubeAPIServerServingCAData';

function certExpirys(certificates: readonly ControllerCertificate[]) {
  return certificates
    .filter(({ bundleFile }) => bundleFile === SERVING_CA_BUNDLE)
    .map(({ bundleFile, subject, notAfter }) => ({
      bundle: bundleFile,
      subject,
      ...(notAfter === undefined ? {} : { expiry: notAfter }),
    }));
}

/**
 * The stream whose OS image the rendered configuration has. None where a source sets the image itself: then it only
 * happens to be the same.
 */
export function streamOf(
  rendered: MachineConfig | undefined,
  sources: readonly MachineConfig[],
  streams: OSImageStream | undefined,
): string | undefined {
  const image = rendered?.spec?.osImageURL ?? '';
  if (image === '' || sources.some((source) => (source.spec?.osImageURL ?? '') !== '')) return undefined;
  const stream = objectsAt(streams?.status, 'availableStreams').find(({ osImage }) => osImage === image);
  return optionalStringAt(stream, 'name');
}
