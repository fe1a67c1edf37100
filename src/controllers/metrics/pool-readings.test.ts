import { describe, expect, it } from 'vitest';
import type { MachineConfigPool } from '../../api/index.ts';
import { heldSince, newestCondition, poolConditionsOf } from './pool-readings.ts';

type Row = readonly [type: string, status: string, second: number];

function pool(paused: boolean, rows: readonly Row[]): MachineConfigPool {
  const conditions = rows.map(([type, status, second]) => ({
    type,
    status: status as 'True' | 'False' | 'Unknown',
    reason: `reason of ${type}`,
    message: '',
    lastTransitionTime: new Date(second * 1_000).toISOString(),
  }));
  return {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfigPool',
    metadata: { name: 'worker' },
    spec: { paused },
    status: { conditions },
  } as unknown as MachineConfigPool;
}

describe('heldSince', () => {
  it.each<readonly [string, boolean, readonly Row[], number | undefined]>([
    ['a paused pool that is updated holds nothing back', true, [['Updated', 'True', 5]], undefined],
    ['a pool that is not paused holds nothing back', false, [['Updated', 'False', 5]], undefined],
    [
      'changes came while it was paused',
      true,
      [
        ['Updated', 'False', 7],
        ['Updating', 'False', 3],
      ],
      7,
    ],
    [
      'it was paused on the way',
      true,
      [
        ['Updated', 'False', 7],
        ['Updating', 'False', 9],
      ],
      9,
    ],
    [
      'its status does not know of the pause yet',
      true,
      [
        ['Updated', 'False', 7],
        ['Updating', 'True', 9],
      ],
      undefined,
    ],
    ['it has no status', true, [], undefined],
  ])('%s', (_, paused, rows, expected) => {
    expect(heldSince(pool(paused, rows))).toBe(expected);
  });
});

describe('newestCondition', () => {
  it('is the condition that became true last', () => {
    const rows: readonly Row[] = [
      ['Updated', 'True', 5],
      ['Degraded', 'False', 9],
      ['NodeDegraded', 'True', 6],
    ];
    expect(newestCondition(pool(false, rows))).toMatchObject({ type: 'NodeDegraded', changedAt: 6 });
    expect(newestCondition(pool(false, []))).toBeUndefined();
  });
});

it('the first condition of each type counts, also where its time is malformed', () => {
  const strange = pool(false, [
    ['Updated', 'True', 5],
    ['Updated', 'False', 6],
  ]);
  expect(poolConditionsOf(strange)).toHaveLength(1);
  const conditions = [{ type: 'Updated', status: 'True', lastTransitionTime: 'yesterday' }];
  const malformed = { ...strange, status: { conditions } } as unknown as MachineConfigPool;
  expect(poolConditionsOf(malformed)).toMatchObject([
    { type: 'Updated', isTrue: true, changedAt: undefined },
  ]);
});
