import { describe, expect, it } from 'vitest';
import { aRefusal, Fleet, NEW } from '../../test/support/a-fleet.ts';
import { fleetStatus } from './fleet-status.ts';
import { hintsOf } from './hints.ts';
import { withCauses } from './status-causes.ts';
import { statusText } from './status-text.ts';

function statusOf(fleet: Fleet, leaders?: object) {
  const snapshot = { ...fleet.snapshot(), ...leaders };
  return withCauses(fleetStatus(snapshot), snapshot);
}

const blocked = () => {
  const fleet = new Fleet().pool('infra', 1).pool('worker', 2, { configuration: { name: NEW } });
  fleet.send('worker-0', NEW);
  fleet.report('worker-0', { kind: 'update-found' });
  fleet.drain('worker-0', { lastRefusal: aRefusal, refusedSinceMs: fleet.nowMs, attempts: 2 });
  return fleet.pass(60);
};

describe('the causes in a status', () => {
  it('are codes of the doctor, beside the pools that they hold up alone', () => {
    const { pools, cause } = statusOf(blocked());
    expect(pools.map((pool) => [pool.name, pool.cause])).toEqual([
      ['infra', undefined],
      ['worker', 'DrainBlocked'],
    ]);
    expect(cause).toBeUndefined();
  });

  it('are absent while work is in progress', () => {
    const fleet = new Fleet().pool('worker', 2, { configuration: { name: NEW } });
    fleet.send('worker-0', NEW);
    fleet.report('worker-0', { kind: 'update-found' });
    expect(statusOf(fleet).pools.map(({ cause }) => cause)).toEqual([undefined]);
  });

  it('are printed in the line of the pool, with the command that explains them', () => {
    const status = statusOf(blocked());
    const lines = statusText(status, { width: 100, hasColors: false });
    expect(lines.find((line) => line.startsWith('worker '))).toMatch(/: DrainBlocked$/);
    expect(hintsOf(status)[0]).toEqual({
      command: 'millwright doctor worker',
      why: 'DrainBlocked: the evidence, and what to do',
    });
  });

  it('name what stops all pools once, and not beside each of them', () => {
    const fleet = new Fleet().pool('worker', 1);
    const leaders = { namespace: 'a', leases: [], readMs: fleet.nowMs };
    const status = statusOf(fleet, { leaders });
    expect([status.cause, status.pools[0]?.cause]).toEqual(['ControllerNotRunning', undefined]);
    expect(hintsOf(status)[0]?.command).toBe('millwright doctor');
  });

  it('survive malformed objects', () => {
    const nothing = { pools: [{}, null], nodes: [null], machineConfigNodes: [] } as never;
    expect(
      withCauses(fleetStatus({ ...(nothing as object), nowMs: 0 } as never), {
        ...(nothing as object),
        nowMs: 0,
      } as never),
    ).toMatchObject({ pools: [] });
  });
});
