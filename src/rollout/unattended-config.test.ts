import { describe, expect, it } from 'vitest';
import { aPool } from '../../test/support/build.ts';
import type { MachineConfigPool, MachineOSBuild, MachineOSConfig } from '../api/index.ts';
import type { Layering } from './layering.ts';
import {
  BUILD_START_GRACE_MS,
  layeringInForce,
  unattendedCondition,
  unattendedConfig,
} from './unattended-config.ts';

const API_VERSION = 'machineconfiguration.openshift.io/v1';

const config: MachineOSConfig = {
  apiVersion: API_VERSION,
  kind: 'MachineOSConfig',
  metadata: { name: 'infra' },
  spec: {
    machineConfigPool: { name: 'infra' },
    imageBuilder: { imageBuilderType: 'Job' },
    renderedImagePushSecret: { name: 's' },
    renderedImagePushSpec: 'r/i:t',
  },
};
const build: MachineOSBuild = {
  apiVersion: API_VERSION,
  kind: 'MachineOSBuild',
  metadata: { name: 'infra-1' },
  spec: { machineConfig: { name: 'v1' }, machineOSConfig: { name: 'infra' }, renderedImagePushSpec: 'r/i:t' },
};
const unbuilt: Layering = { config, hasStaleBuild: false };
const built: Layering = { ...unbuilt, build };

const pool = aPool('infra');
const reported: MachineConfigPool = {
  ...pool,
  status: { conditions: [{ type: 'BuildPending', status: 'True', reason: 'NoBuilder', message: 'x' }] },
};
const others: MachineConfigPool = {
  ...pool,
  status: { conditions: [{ type: 'BuildPending', status: 'True', reason: 'Queued', message: 'x' }] },
};

describe('unattendedConfig', () => {
  it.each<[string, boolean, MachineConfigPool, Layering | undefined, number]>([
    ['is undefined without a MachineOSConfig', false, reported, undefined, BUILD_START_GRACE_MS],
    ['is undefined where a build exists', false, reported, built, BUILD_START_GRACE_MS],
    ['is undefined while a build may still be started', false, pool, unbuilt, BUILD_START_GRACE_MS - 1],
    ['is the MachineOSConfig after a while without a build', true, pool, unbuilt, BUILD_START_GRACE_MS],
    ['is the MachineOSConfig where the pool has reported it', true, reported, unbuilt, 0],
    ['does not take the condition of another writer for a report', false, others, unbuilt, 0],
  ])('%s', (_, isUnattended, given, layering, waitedMs) => {
    const found = unattendedConfig(given, layering, { waitedMs, hasImages: false });
    expect(found).toEqual(isUnattended ? { config, hasImages: false } : undefined);
  });
});

describe('layeringInForce', () => {
  it('is what the MachineOSConfig declares while a builder is expected', () => {
    expect(layeringInForce(unbuilt, undefined)).toBe(unbuilt);
  });

  it('is none where no node has a built image and no builder takes the MachineOSConfig up', () => {
    expect(layeringInForce(unbuilt, { config, hasImages: false })).toBeUndefined();
  });

  it('stays where a node has a built image', () => {
    expect(layeringInForce(unbuilt, { config, hasImages: true })).toBe(unbuilt);
  });
});

describe('unattendedCondition', () => {
  it('is none for a pool that never had it', () => {
    expect(unattendedCondition(pool, undefined)).toBeUndefined();
    expect(unattendedCondition(others, undefined)).toBeUndefined();
  });

  it('becomes False once a build is started', () => {
    expect(unattendedCondition(reported, undefined)).toMatchObject({ type: 'BuildPending', status: 'False' });
  });

  it.each([
    [true, 'nodes keep the OS image that they have, and the pool waits for the build'],
    [false, 'the pool goes on with the OS image of its MachineConfig'],
  ])('says what happens to the nodes where hasImages is %s', (hasImages, text) => {
    expect(unattendedCondition(pool, { config, hasImages })).toMatchObject({
      type: 'BuildPending',
      status: 'True',
      reason: 'NoBuilder',
      message: expect.stringContaining(text),
    });
  });
});
