import { describe, expect, it } from 'vitest';
import { aPool } from '../../test/support/build.ts';
import { type Gate, type GateInput, poolGate } from './pool-gate.ts';

const configuration = { name: 'v1' };
const worker = aPool('worker', { configuration });
const master = aPool('master', { configuration });
const arbiter = aPool('arbiter', { configuration });
const idle = { isPaused: false, unavailable: 0, candidates: 0 };
const topology = 'HighlyAvailableArbiter';

type Given = Omit<GateInput, 'machineConfigExists'>;

/** By default every MachineConfig exists. */
function gateOf(input: Given, machineConfigExists: (name: string) => boolean = () => true): Gate {
  return poolGate({ ...input, machineConfigExists });
}

function reasonOf(gate: Gate): string {
  return gate.kind === 'open' ? 'open' : gate.reason;
}

describe('a pool', () => {
  it.each<[string, Given, string]>([
    ['is updated', { pool: worker, topology: '' }, 'open'],
    ['is not updated without a configuration', { pool: aPool('worker'), topology: '' }, 'NoConfiguration'],
    [
      'is not updated if it selects all nodes',
      { pool: aPool('x', { configuration, nodeSelector: {} }), topology: '' },
      'SelectingAll',
    ],
    [
      'is not updated while it is deleted',
      { pool: { ...worker, metadata: { name: 'worker', deletionTimestamp: 'now' } }, topology: '' },
      'BeingDeleted',
    ],
    [
      'is not updated while it is paused',
      { pool: aPool('worker', { configuration, paused: true }), topology: '' },
      'Paused',
    ],
  ])('%s', (_, input, expected) => {
    expect(reasonOf(gateOf(input))).toBe(expected);
  });

  it('that selects all nodes has no status, and others have one', () => {
    const hasStatus = (input: Given) => {
      const gate = gateOf(input);
      return gate.kind === 'open' || gate.hasStatus;
    };
    expect(hasStatus({ pool: aPool('x', { configuration, nodeSelector: {} }), topology: '' })).toBe(false);
    expect(hasStatus({ pool: aPool('worker', { configuration, paused: true }), topology: '' })).toBe(true);
    expect(hasStatus({ pool: aPool('worker'), topology: '' })).toBe(true);
  });
});

describe('a pool whose target does not exist', () => {
  const nothing = () => false;

  it('is not updated, names the missing target and the remedy, and has a status', () => {
    expect(gateOf({ pool: worker, topology: '' }, nothing)).toEqual({
      ...{ kind: 'closed', reason: 'MissingMachineConfig', hasStatus: true },
      message:
        'MachineConfig v1 does not exist, so no node is sent to it: leave spec.configuration to the render controller',
    });
  });

  it.each<[string, Given, string]>([
    [
      'is reported as paused first',
      { pool: aPool('worker', { configuration, paused: true }), topology: '' },
      'Paused',
    ],
    ['needs a target', { pool: aPool('worker'), topology: '' }, 'NoConfiguration'],
    ['waits for a pending render', { pool: worker, topology: '', isRenderPending: true }, 'RenderPending'],
    [
      'does not wait for the arbiter',
      { pool: master, topology, arbiter: { unavailable: 1 } },
      'MissingMachineConfig',
    ],
  ])('%s', (_, input, expected) => {
    expect(reasonOf(gateOf(input, nothing))).toBe(expected);
  });
});

describe('control plane and arbiter', () => {
  it.each<[string, Given, string]>([
    [
      'the control plane needs no arbiter in other topologies',
      { pool: master, topology: 'HighlyAvailable' },
      'open',
    ],
    ['the control plane waits for the arbiter pool to exist', { pool: master, topology }, 'WaitsForArbiter'],
    [
      'the control plane waits for an unavailable arbiter',
      { pool: master, topology, arbiter: { unavailable: 1 } },
      'WaitsForArbiter',
    ],
    [
      'the control plane is updated when the arbiter is available',
      { pool: master, topology, arbiter: { unavailable: 0 } },
      'open',
    ],
    [
      'the arbiter is not updated in other topologies',
      { pool: arbiter, topology: '', master: idle },
      'WaitsForMaster',
    ],
    ['the arbiter waits for the master pool to exist', { pool: arbiter, topology }, 'WaitsForMaster'],
    [
      'the arbiter waits for unavailable masters',
      { pool: arbiter, topology, master: { ...idle, unavailable: 1 } },
      'WaitsForMaster',
    ],
    [
      'the arbiter waits for masters that need an update',
      { pool: arbiter, topology, master: { ...idle, candidates: 2 } },
      'WaitsForMaster',
    ],
    ['the arbiter is updated when all masters are', { pool: arbiter, topology, master: idle }, 'open'],
    [
      'the arbiter is updated if the masters are paused',
      { pool: arbiter, topology, master: { ...idle, isPaused: true, candidates: 2 } },
      'open',
    ],
    [
      'the arbiter waits for paused masters that are unavailable',
      { pool: arbiter, topology, master: { ...idle, isPaused: true, unavailable: 1 } },
      'WaitsForMaster',
    ],
  ])('%s', (_, input, expected) => {
    expect(reasonOf(gateOf(input))).toBe(expected);
  });
});
