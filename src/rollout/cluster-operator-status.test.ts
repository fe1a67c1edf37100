import { describe, expect, it } from 'vitest';
import type { MachineConfigPool } from '../api/index.ts';
import { clusterOperatorStatus } from './cluster-operator-status.ts';

const VERSION = '4.18.1';
const [FIRST, LATER] = [Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 2)];

type GivenCondition = { readonly type: string; readonly reason?: string; readonly message?: string };

function aPool(name: string, ...conditions: readonly GivenCondition[]): MachineConfigPool {
  return {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfigPool',
    metadata: { name },
    spec: { configuration: { name: `rendered-${name}-1` } },
    status: {
      machineCount: 3,
      readyMachineCount: 1,
      updatedMachineCount: 2,
      unavailableMachineCount: 1,
      conditions: conditions.map((one) => ({ status: 'True', ...one })),
    },
  };
}

const statusOf = (pools: readonly MachineConfigPool[], more: object = {}) =>
  clusterOperatorStatus({
    namespace: 'openshift-machine-config-operator',
    pools,
    version: VERSION,
    now: FIRST,
    ...more,
  });
const rows = ({ conditions = [] }: ReturnType<typeof clusterOperatorStatus>) =>
  conditions.map(({ type, status, reason, message }) => [type, status, reason, message]);

describe('the status of the ClusterOperator', () => {
  it('is available and not degraded while pools are updated or updating', () => {
    const status = statusOf([aPool('worker', { type: 'Updating' }), aPool('master', { type: 'Updated' })]);
    expect(rows(status)).toEqual([
      ['Available', 'True', 'AsExpected', 'Cluster has deployed [{operator 4.18.1}]'],
      ['Progressing', 'False', 'AsExpected', 'Cluster version is 4.18.1'],
      ['Degraded', 'False', 'AsExpected', ''],
      ['Upgradeable', 'True', 'AsExpected', ''],
    ]);
    expect(status.extension).toEqual({
      master: 'all 3 nodes are at latest configuration rendered-master-1',
      worker: '2 (ready 1) out of 3 nodes are updating to latest configuration rendered-worker-1',
    });
    expect(status.versions).toEqual([{ name: 'operator', version: VERSION }]);
  });

  it('is degraded and not upgradeable while a pool is degraded', () => {
    const nodes = { type: 'NodeDegraded', reason: '1 nodes are reporting', message: 'Node a is "ill"' };
    const status = statusOf([aPool('worker', nodes, { type: 'Degraded' })]);
    const error =
      'MachineConfigPool worker is not ready, retrying. Status: (pool degraded: true total: 3, ready 1, updated: 2, unavailable: 1, reason: Node a is "ill")';
    expect(rows(status).slice(1)).toEqual([
      ['Progressing', 'False', 'AsExpected', 'Error while reconciling 4.18.1'],
      ['Degraded', 'True', 'RequiredPoolsFailed', `Failed to resync 4.18.1 because: ${error}`],
      [
        'Upgradeable',
        'False',
        'DegradedPool',
        'One or more machine config pools are degraded, please see `oc get mcp` for further details and resolve before upgrading',
      ],
    ]);
    expect(status.extension).toEqual({
      worker: 'pool is degraded because nodes fail with "1 nodes are reporting": "Node a is \\"ill\\""',
      lastSyncError: error,
    });
  });

  it('reports an error of the operator before that of pools', () => {
    const failure = { task: 'RenderConfig', error: 'could not get OS images: no' };
    const render = { type: 'RenderDegraded', reason: 'x', message: 'y' };
    const status = statusOf([aPool('worker', render, { type: 'Degraded' })], { failure });
    expect(rows(status)[2]).toEqual([
      'Degraded',
      'True',
      'RenderConfigFailed',
      'Failed to resync 4.18.1 because: could not get OS images: no',
    ]);
    expect(status.extension).toMatchObject({
      worker: 'pool is degraded because rendering fails with "x": "y"',
    });
  });

  it('keeps conditions of others, and times until the status changes', () => {
    const foreign = { type: 'EvaluationConditionsDetected', status: 'False', lastTransitionTime: 'then' };
    const before = { ...statusOf([]), conditions: [foreign, ...(statusOf([]).conditions ?? [])] };
    const after = statusOf([aPool('worker', { type: 'Degraded' })], { before, now: LATER });
    expect(after.conditions?.map(({ type, lastTransitionTime }) => [type, lastTransitionTime])).toEqual([
      ['EvaluationConditionsDetected', 'then'],
      ['Available', '2026-01-01T00:00:00Z'],
      ['Progressing', '2026-01-01T00:00:00Z'],
      ['Degraded', '2026-01-02T00:00:00Z'],
      ['Upgradeable', '2026-01-02T00:00:00Z'],
    ]);
  });

  it('reports a pool without conditions as unknown', () => {
    expect(statusOf([aPool('worker')]).extension).toEqual({ worker: '<unknown>' });
  });
});
