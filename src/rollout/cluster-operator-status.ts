/**
 * The status of OpenShift's ClusterOperator `machine-config`: the health of the machine configuration in one object.
 *
 * Updating pools do not count as Progressing: that condition is about the version of the operator. A degraded pool makes
 * the cluster not Upgradeable and is reported at once (upstream waits for up to half an hour first).
 */

import type { ClusterOperatorStatus, MachineConfigPool } from '../api/index.ts';
import { compareBytes } from '../base/json.ts';
import { valueAt } from '../base/json-fields.ts';
import { formatTimestamp, quoted } from '../base/text/index.ts';
import { conditionOf, hasTrueCondition, nameOf } from '../kubernetes/meta/index.ts';
import type { ConditionUpdate } from './condition-update.ts';
import { withTransitionTimes } from './pool-conditions.ts';

type ClusterFacts = {
  /** Of the components. */
  readonly namespace: string;
  readonly pools: readonly MachineConfigPool[];
  /** The version of the operator. */
  readonly version: string;
  /** The failing task of the operator, and its error. */
  readonly failure?: { readonly task: string; readonly error: string };
  readonly before?: ClusterOperatorStatus;
  /** Milliseconds since 1970. */
  readonly now: number;
};

/** The whole status; fields that are not ours are kept. */
export function clusterOperatorStatus(facts: ClusterFacts): ClusterOperatorStatus {
  const { before, version } = facts;
  const pools = [...facts.pools].sort((a, b) => compareBytes(nameOf(a), nameOf(b)));
  const failure = facts.failure ?? poolFailure(pools);
  const conditions = conditionUpdates({ pools, version, failure });
  return {
    ...before,
    conditions: withTransitionTimes(before?.conditions, conditions, formatTimestamp(facts.now)),
    versions: [{ name: 'operator', version }],
    relatedObjects: [{ group: '', resource: 'namespaces', name: facts.namespace }, ...RELATED],
    extension: {
      ...Object.fromEntries(pools.map((pool) => [nameOf(pool), poolText(pool)])),
      ...(failure === undefined ? {} : { lastSyncError: failure.error }),
    },
  };
}

type SyncFailure = NonNullable<ClusterFacts['failure']>;

function conditionUpdates({
  pools,
  version,
  failure,
}: {
  readonly pools: readonly MachineConfigPool[];
  readonly version: string;
  readonly failure: SyncFailure | undefined;
}): readonly ConditionUpdate[] {
  const hasDegradedPool = pools.some((pool) => hasTrueCondition(pool, 'Degraded'));
  return [
    condition('Available', true, `Cluster has deployed [{operator ${version}}]`),
    condition(
      'Progressing',
      false,
      failure === undefined ? `Cluster version is ${version}` : `Error while reconciling ${version}`,
    ),
    failure === undefined
      ? condition('Degraded', false, '')
      : {
          ...condition('Degraded', true, `Failed to resync ${version} because: ${failure.error}`),
          reason: `${failure.task}Failed`,
        },
    hasDegradedPool
      ? { ...condition('Upgradeable', false, DEGRADED_POOL), reason: 'DegradedPool' }
      : condition('Upgradeable', true, ''),
  ];
}

const DEGRADED_POOL =
  'One or more machine config pools are degraded, please see `oc get mcp` for further details and resolve before upgrading';

function condition(type: string, isTrue: boolean, message: string): ConditionUpdate {
  return { type, status: isTrue ? 'True' : 'False', reason: 'AsExpected', message };
}

/** The first degraded pool, by name. */
function poolFailure(pools: readonly MachineConfigPool[]): SyncFailure | undefined {
  const pool = pools.find((one) => hasTrueCondition(one, 'Degraded'));
  if (pool === undefined) return undefined;
  const count = (field: string) => counted(pool, field);
  const reason = conditionOf(pool, 'NodeDegraded')?.message || conditionOf(pool, 'RenderDegraded')?.message;
  const state = [
    'pool degraded: true',
    `total: ${count('machineCount')}, ready ${count('readyMachineCount')}`,
    `updated: ${count('updatedMachineCount')}, unavailable: ${count('unavailableMachineCount')}`,
    `reason: ${reason ?? ''}`,
  ];
  const first = `${state[0]} ${state.slice(1).join(', ')}`;
  return {
    task: 'RequiredPools',
    error: `MachineConfigPool ${nameOf(pool)} is not ready, retrying. Status: (${first})`,
  };
}

function poolText(pool: MachineConfigPool): string {
  const render = conditionOf(pool, 'RenderDegraded');
  const nodes = conditionOf(pool, 'NodeDegraded');
  const config = configOf(pool);
  if (render?.status === 'True') {
    return `pool is degraded because rendering fails with ${quoted(render.reason)}: ${quoted(render.message)}`;
  }
  if (nodes?.status === 'True') {
    return `pool is degraded because nodes fail with ${quoted(nodes.reason)}: ${quoted(nodes.message)}`;
  }
  if (hasTrueCondition(pool, 'Updated')) {
    return `all ${counted(pool, 'machineCount')} nodes are at latest configuration ${config}`;
  }
  if (hasTrueCondition(pool, 'Updating')) {
    const [updated, ready] = [counted(pool, 'updatedMachineCount'), counted(pool, 'readyMachineCount')];
    return `${updated} (ready ${ready}) out of ${counted(pool, 'machineCount')} nodes are updating to latest configuration ${config}`;
  }
  return '<unknown>';
}

function counted(pool: MachineConfigPool, field: string): number {
  const count = valueAt(pool.status, field);
  return typeof count === 'number' ? count : 0;
}

function configOf({ spec }: MachineConfigPool): string {
  return spec?.configuration?.name ?? '';
}

const RELATED = [
  ...['machineconfigpools', 'controllerconfigs', 'machineconfigs', 'machineconfignodes'].map((resource) => ({
    ...{ group: 'machineconfiguration.openshift.io', resource, name: '' },
  })),
  { group: '', resource: 'nodes', name: '' },
];
