/**
 * What OpenShift's ClusterOperator `machine-config` says: whether all is well with the machine configuration of the
 * cluster, in one object.
 *
 * Whether pools are on their way is no progress in its sense: that is about the version of the operator. A pool that is
 * degraded keeps the cluster from being upgraded, and is told of at once (upstream waits for it up to half an hour first).
 */

import type { ClusterOperatorStatus, MachineConfigPool } from '../api/index.ts';
import { compareBytes } from '../base/json.ts';
import { valueAt } from '../base/json-fields.ts';
import { formatTimestamp, quoted } from '../base/text/index.ts';
import { conditionOf, hasTrueCondition, nameOf } from '../kubernetes/meta/index.ts';
import { withTimes } from './pool-conditions.ts';
import type { Saying } from './saying.ts';

type ClusterFacts = {
  readonly pools: readonly MachineConfigPool[];
  /** The version of the operator. */
  readonly version: string;
  /** What keeps the operator from its work: the task, and what is wrong. */
  readonly trouble?: { readonly task: string; readonly error: string };
  readonly before?: ClusterOperatorStatus;
  /** Milliseconds since 1970. */
  readonly now: number;
};

/** Everything of the status that is ours; fields of others are kept. */
export function clusterOperatorStatus(facts: ClusterFacts): ClusterOperatorStatus {
  const { before, version } = facts;
  const pools = [...facts.pools].sort((a, b) => compareBytes(nameOf(a), nameOf(b)));
  const trouble = facts.trouble ?? poolTrouble(pools);
  const conditions = sayings({ pools, version, trouble });
  return {
    ...before,
    conditions: withTimes(before?.conditions, conditions, formatTimestamp(facts.now)),
    versions: [{ name: 'operator', version }],
    relatedObjects: RELATED,
    extension: {
      ...Object.fromEntries(pools.map((pool) => [nameOf(pool), poolText(pool)])),
      ...(trouble === undefined ? {} : { lastSyncError: trouble.error }),
    },
  };
}

type Trouble = NonNullable<ClusterFacts['trouble']>;

function sayings({
  pools,
  version,
  trouble,
}: {
  readonly pools: readonly MachineConfigPool[];
  readonly version: string;
  readonly trouble: Trouble | undefined;
}): readonly Saying[] {
  const isHeld = pools.some((pool) => hasTrueCondition(pool, 'Degraded'));
  return [
    said('Available', true, `Cluster has deployed [{operator ${version}}]`),
    said(
      'Progressing',
      false,
      trouble === undefined ? `Cluster version is ${version}` : `Error while reconciling ${version}`,
    ),
    trouble === undefined
      ? said('Degraded', false, '')
      : {
          ...said('Degraded', true, `Failed to resync ${version} because: ${trouble.error}`),
          reason: `${trouble.task}Failed`,
        },
    isHeld
      ? { ...said('Upgradeable', false, DEGRADED_POOL), reason: 'DegradedPool' }
      : said('Upgradeable', true, ''),
  ];
}

const DEGRADED_POOL =
  'One or more machine config pools are degraded, please see `oc get mcp` for further details and resolve before upgrading';

function said(type: string, isSo: boolean, message: string): Saying {
  return { type, status: isSo ? 'True' : 'False', reason: 'AsExpected', message };
}

/** The first pool that is degraded, by name. */
function poolTrouble(pools: readonly MachineConfigPool[]): Trouble | undefined {
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
  { group: '', resource: 'namespaces', name: 'openshift-machine-config-operator' },
  ...['machineconfigpools', 'controllerconfigs', 'machineconfigs', 'machineconfignodes'].map((resource) => ({
    ...{ group: 'machineconfiguration.openshift.io', resource, name: '' },
  })),
  { group: '', resource: 'nodes', name: '' },
];
