import { describe, expect, it } from 'vitest';
import { aPool } from '../../test/support/build.ts';
import type { MachineConfigPool, MachineOSBuild, MachineOSConfig } from '../api/index.ts';
import type { Lease } from '../kubernetes/types/index.ts';
import {
  builderOutage,
  leaseDueInMs,
  needsBuilder,
  outageCondition,
  RESTART_GRACE_MS,
  reportedOutage,
} from './builder-outage.ts';
import type { Layering } from './layering.ts';

const API_VERSION = 'machineconfiguration.openshift.io/v1';

const config: MachineOSConfig = {
  apiVersion: API_VERSION,
  kind: 'MachineOSConfig',
  metadata: { name: 'infra', generation: 2 },
  spec: {
    machineConfigPool: { name: 'infra' },
    imageBuilder: { imageBuilderType: 'Job' },
    renderedImagePushSecret: { name: 's' },
    renderedImagePushSpec: 'r/i:t',
  },
  status: { currentImagePullSpec: 'i', observedGeneration: 2 },
};

function withBuild(state: string, image = 'i'): Layering {
  const conditions = [
    { type: state, status: 'True' as const, reason: '', message: '', lastTransitionTime: '' },
  ];
  const build: MachineOSBuild = {
    apiVersion: API_VERSION,
    kind: 'MachineOSBuild',
    metadata: { name: 'infra-1' },
    spec: {
      machineConfig: { name: 'v1' },
      machineOSConfig: { name: 'infra' },
      renderedImagePushSpec: 'r/i:t',
    },
    status: { conditions, digestedImagePushSpec: image },
  };
  return { config, build };
}

const unbuilt: Layering = { config };

describe('needsBuilder', () => {
  it.each<[string, boolean, Layering | undefined]>([
    ['no pool without a MachineOSConfig', false, undefined],
    ['a pool without a build', true, unbuilt],
    ['a pool whose build is prepared', true, withBuild('Prepared')],
    ['a pool whose build runs', true, withBuild('Building')],
    ['a pool whose build has failed: only the builder can retry it', true, withBuild('Failed')],
    ['a pool whose build was interrupted', true, withBuild('Interrupted')],
    ['a pool whose MachineOSConfig does not name the built image yet', true, withBuild('Succeeded', 'j')],
    ['no pool whose image is there', false, withBuild('Succeeded')],
    [
      'a pool whose image is there, but whose MachineOSConfig was changed since',
      true,
      { ...withBuild('Succeeded'), config: { ...config, metadata: { ...config.metadata, generation: 3 } } },
    ],
  ])('holds for %s', (_, expected, layering) => {
    expect(needsBuilder(layering)).toBe(expected);
  });
});

const NOW = Date.parse('2026-01-01T12:00:00Z');

function aLease(spec: Lease['spec']): Lease {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'machine-os-builder' },
    spec,
  };
}

describe('builderOutage', () => {
  const WAITS =
    'so no OS image is built for MachineOSConfig infra: the pool waits, and its nodes keep the OS image that they have';
  it.each<[string, Lease | undefined, string | undefined]>([
    [
      'is none while the Lease is held',
      aLease({ holderIdentity: 'b', leaseDurationSeconds: 137, renewTime: '2026-01-01T11:58:00.000000Z' }),
      undefined,
    ],
    [
      'is reported once the Lease has expired, since it was last renewed',
      aLease({ holderIdentity: 'b', leaseDurationSeconds: 137, renewTime: '2026-01-01T11:57:00.000000Z' }),
      `No builder is running since 2026-01-01T11:57:00Z (Lease machine-os-builder), ${WAITS}`,
    ],
    [
      'is none just after the Lease was released: the next builder needs a moment',
      aLease({ leaseDurationSeconds: 1, renewTime: '2026-01-01T11:59:00.000000Z' }),
      undefined,
    ],
    [
      'is reported where the Lease was released and nothing has taken it',
      aLease({ leaseDurationSeconds: 1, renewTime: '2026-01-01T11:58:59.000000Z' }),
      `No builder is running since 2026-01-01T11:58:59Z (Lease machine-os-builder), ${WAITS}`,
    ],
    [
      'is reported where there is no Lease',
      undefined,
      `No builder is running (there is no Lease machine-os-builder), ${WAITS}`,
    ],
    [
      'is reported where the Lease was never renewed',
      aLease({ holderIdentity: 'b' }),
      `No builder is running (there is no Lease machine-os-builder), ${WAITS}`,
    ],
    [
      'is none where the clock of the builder is ahead',
      aLease({ holderIdentity: 'b', leaseDurationSeconds: 137, renewTime: '2026-01-01T12:05:00.000000Z' }),
      undefined,
    ],
  ])('%s', (_, lease, message) => {
    expect(builderOutage(unbuilt, { lease, nowMs: NOW })?.message).toBe(message);
  });
});

const pool = aPool('infra');

function withCondition(status: string, reason: string): MachineConfigPool {
  return { ...pool, status: { conditions: [{ type: 'BuildPending', status, reason, message: 'x' }] } };
}

describe('the condition BuildPending', () => {
  it('is read back from the status of the pool, and only where the node controller wrote it', () => {
    expect(reportedOutage(withCondition('True', 'NoBuilder'))).toEqual({ message: 'x' });
    expect(reportedOutage(withCondition('False', 'NoBuilder'))).toBeUndefined();
    expect(reportedOutage(withCondition('True', 'Queued'))).toBeUndefined();
    expect(reportedOutage(pool)).toBeUndefined();
  });

  it('makes the Lease be read at once: after a restart the pool does not wait for the grace again', () => {
    expect(leaseDueInMs(withCondition('True', 'NoBuilder'), 0)).toBe(0);
    expect(leaseDueInMs(pool, 0)).toBe(RESTART_GRACE_MS);
    expect(leaseDueInMs(pool, RESTART_GRACE_MS - 1)).toBe(1);
    expect(leaseDueInMs(pool, RESTART_GRACE_MS + 1)).toBe(0);
  });

  it('has the reason while no builder is running, becomes False afterwards, and is absent otherwise', () => {
    const update = { type: 'BuildPending', status: 'True', reason: 'NoBuilder', message: 'm' };
    expect(outageCondition(pool, { message: 'm' })).toEqual(update);
    expect(outageCondition(withCondition('True', 'NoBuilder'), undefined)).toEqual({
      ...{ type: 'BuildPending', status: 'False', reason: '', message: '' },
    });
    expect(outageCondition(pool, undefined)).toBeUndefined();
    expect(outageCondition(withCondition('True', 'Queued'), undefined)).toBeUndefined();
  });
});
