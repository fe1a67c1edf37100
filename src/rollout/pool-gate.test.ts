import { describe, expect, it } from 'vitest';
import { aPool } from '../../test/build.ts';
import { type GateInput, poolGate } from './pool-gate.ts';

const configuration = { name: 'v1' };
const worker = aPool('worker', { configuration });
const master = aPool('master', { configuration });
const arbiter = aPool('arbiter', { configuration });
const idle = { isPaused: false, unavailable: 0, candidates: 0 };
const topology = 'HighlyAvailableArbiter';

describe('a pool', () => {
  it.each<[string, GateInput, string]>([
    ['moves', { pool: worker, topology: '' }, 'open'],
    ['stands without a configuration', { pool: aPool('worker'), topology: '' }, 'NoConfiguration'],
    [
      'stands if it would select all nodes',
      { pool: aPool('x', { configuration, nodeSelector: {} }), topology: '' },
      'SelectingAll',
    ],
    [
      'stands while it is deleted',
      { pool: { ...worker, metadata: { name: 'worker', deletionTimestamp: 'now' } }, topology: '' },
      'BeingDeleted',
    ],
    [
      'stands while it is paused',
      { pool: aPool('worker', { configuration, paused: true }), topology: '' },
      'Paused',
    ],
  ])('%s', (_, input, expected) => {
    const gate = poolGate(input);
    expect(gate.kind === 'open' ? 'open' : gate.reason).toBe(expected);
  });

  it('that would select all nodes has no status either, and others have', () => {
    const hasStatus = (input: GateInput) => {
      const gate = poolGate(input);
      return gate.kind === 'open' || gate.hasStatus;
    };
    expect(hasStatus({ pool: aPool('x', { configuration, nodeSelector: {} }), topology: '' })).toBe(false);
    expect(hasStatus({ pool: aPool('worker', { configuration, paused: true }), topology: '' })).toBe(true);
    expect(hasStatus({ pool: aPool('worker'), topology: '' })).toBe(true);
  });
});

describe('control plane and arbiter', () => {
  it.each<[string, GateInput, string]>([
    ['the control plane needs no arbiter elsewhere', { pool: master, topology: 'HighlyAvailable' }, 'open'],
    ['the control plane waits for the pool', { pool: master, topology }, 'WaitsForArbiter'],
    [
      'the control plane waits for an arbiter that is down',
      { pool: master, topology, arbiter: { unavailable: 1 } },
      'WaitsForArbiter',
    ],
    [
      'the control plane goes when the arbiter is whole',
      { pool: master, topology, arbiter: { unavailable: 0 } },
      'open',
    ],
    [
      'the arbiter has no business elsewhere',
      { pool: arbiter, topology: '', master: idle },
      'WaitsForMaster',
    ],
    ['the arbiter waits for the pool', { pool: arbiter, topology }, 'WaitsForMaster'],
    [
      'the arbiter waits for nodes that are down',
      { pool: arbiter, topology, master: { ...idle, unavailable: 1 } },
      'WaitsForMaster',
    ],
    [
      'the arbiter waits for nodes that are to move',
      { pool: arbiter, topology, master: { ...idle, candidates: 2 } },
      'WaitsForMaster',
    ],
    ['the arbiter goes when all have moved', { pool: arbiter, topology, master: idle }, 'open'],
    [
      'the arbiter goes if the others are paused',
      { pool: arbiter, topology, master: { ...idle, isPaused: true, candidates: 2 } },
      'open',
    ],
    [
      'the arbiter waits for paused ones that are down',
      { pool: arbiter, topology, master: { ...idle, isPaused: true, unavailable: 1 } },
      'WaitsForMaster',
    ],
  ])('%s', (_, input, expected) => {
    const gate = poolGate(input);
    expect(gate.kind === 'open' ? 'open' : gate.reason).toBe(expected);
  });
});
