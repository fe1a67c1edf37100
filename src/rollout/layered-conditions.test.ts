import { describe, expect, it } from 'vitest';
import { aPool } from '../../test/support/build.ts';
import {
  annotations,
  type MachineConfigPool,
  type MachineOSBuild,
  type MachineOSConfig,
} from '../api/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import type { Layering } from './layering.ts';
import { poolStatus } from './pool-status.ts';
import { tallyOf } from './pool-tally.ts';
import { targetOf } from './pool-target.ts';

const API_VERSION = 'machineconfiguration.openshift.io/v1';

const config: MachineOSConfig = {
  apiVersion: API_VERSION,
  kind: 'MachineOSConfig',
  metadata: { name: 'C' },
  spec: {
    machineConfigPool: { name: 'infra' },
    imageBuilder: { imageBuilderType: 'Job' },
    renderedImagePushSecret: { name: 's' },
    renderedImagePushSpec: 'r/i:t',
  },
  status: { currentImagePullSpec: 'i' },
};

function aBuild(state: string): MachineOSBuild {
  const condition = {
    type: state,
    status: 'True' as const,
    reason: 'R',
    message: 'no space',
    lastTransitionTime: '',
  };
  return {
    apiVersion: API_VERSION,
    kind: 'MachineOSBuild',
    metadata: { name: 'B' },
    spec: { machineConfig: { name: 'v1' }, machineOSConfig: { name: 'C' }, renderedImagePushSpec: 'r/i:t' },
    status: { conditions: state === '' ? [] : [condition], digestedImagePushSpec: 'i' },
  };
}

function aNode(image: string, state = 'Done'): Node {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: 'n',
      annotations: {
        [annotations.currentConfig]: 'v1',
        [annotations.desiredConfig]: 'v1',
        [annotations.currentImage]: image,
        [annotations.desiredImage]: image,
        [annotations.state]: state,
      },
    },
    spec: {},
  };
}

type Given = {
  /** `null`: there is no build. */
  readonly state: string | null;
  readonly paused?: boolean;
  readonly node?: Node;
  readonly metadata?: Partial<MachineConfigPool['metadata']>;
  readonly wasDegraded?: boolean;
  readonly isLayered?: boolean;
};

function conditionsOf({
  state,
  paused = false,
  node = aNode('h'),
  metadata,
  wasDegraded = false,
  isLayered = true,
}: Given) {
  const made = aPool('infra', { configuration: { name: 'v1' }, paused }, metadata);
  const degraded = {
    type: 'ImageBuildDegraded',
    status: 'True',
    reason: 'BuildFailed',
    message: 'before',
    lastTransitionTime: 'then',
  };
  const pool = wasDegraded ? { ...made, status: { conditions: [degraded] } } : made;
  const layering: Layering = {
    config,
    ...(state === null ? {} : { build: aBuild(state) }),
    hasStaleBuild: false,
  };
  const given = isLayered ? { layering } : {};
  const sum = tallyOf(targetOf(pool, given.layering), [node]);
  const { conditions = [] } = poolStatus({ pool, sum, nowMs: 0, ...given });
  return Object.fromEntries(
    conditions.map((one) => [
      one.type,
      [one.status, one.reason, one.message].filter((text) => text !== '').join(' | '),
    ]),
  );
}

describe('a pool that builds images', () => {
  it.each<[string | null, string, string]>([
    [
      null,
      'True | Pool is waiting for a new OS image build to start (mosc: C)',
      'True | Pool is paused; waiting for a new OS image build to start (mosc: C)',
    ],
    [
      '',
      'True | Pool is waiting for OS image build to start (mosb: B)',
      'True | Pool is paused; OS image build has been created but not yet started (mosb: B)',
    ],
    [
      'Prepared',
      'True | Pool is waiting for OS image build to start (mosb: B)',
      'True | Pool is paused; OS image build has been prepared but will not rollout (mosb: B)',
    ],
    [
      'Building',
      'True | Pool is waiting for OS image build to complete (mosb: B)',
      'True | Pool is paused; OS image build in progress (mosb: B)',
    ],
    [
      'Succeeded',
      'True | Pool is waiting for nodes to apply OS image (mosb: B)',
      'False | Pool is paused; OS image build completed successfully (mosb: B)',
    ],
    [
      'Failed',
      'False | Pool update stopped due to OS image build failure (mosb: B)',
      'False | Pool is paused; OS image build failed (mosb: B)',
    ],
    [
      'Interrupted',
      'False | Pool update stopped due to OS image build being interrupted (mosb: B)',
      'False | Pool is paused; OS image build was interrupted (mosb: B)',
    ],
  ])('reports what it waits for while the build is %j', (state, rolling, paused) => {
    expect(conditionsOf({ state }).Updating).toBe(rolling);
    expect(conditionsOf({ state, paused: true }).Updating).toBe(paused);
  });

  it('names the image once every node has it', () => {
    expect(conditionsOf({ state: 'Succeeded', node: aNode('i') })).toMatchObject({
      Updated: 'True | All nodes are updated with MachineConfig v1 / Image i',
      Updating: 'False',
    });
  });

  it.each(['Prepared', 'Building', 'Failed'])(
    'is not updated while the build is %j, whatever its nodes have',
    (state) => {
      expect(conditionsOf({ state, node: aNode('i') }).Updated).toBe('False');
    },
  );

  it.each<[string, Given]>([
    ['a node fails', { state: 'Succeeded', node: aNode('h', 'Degraded') }],
    [
      'it cannot be rendered',
      { state: 'Succeeded', metadata: { annotations: { [annotations.renderProblem]: 'no' } } },
    ],
  ])('reports that the update is paused if %s', (_, given) => {
    expect(conditionsOf(given).Updating).toBe('False | Pool update paused due to degraded condition');
  });
});

describe('a build that fails', () => {
  it('degrades the pool, with the message of the build', () => {
    expect(conditionsOf({ state: 'Failed' })).toMatchObject({
      ImageBuildDegraded:
        'True | BuildFailed | Failed to build OS image for pool infra (MachineOSBuild: B): no space',
      Degraded: 'True | Custom OS image build failed',
    });
  });

  it.each<[string, Given, string | undefined]>([
    ['is still failing', { state: 'Failed', wasDegraded: true }, 'True | BuildFailed | before'],
    [
      'is followed by another',
      { state: 'Building', wasDegraded: true },
      'False | Building | New build started',
    ],
    [
      'is followed by a good one',
      { state: 'Succeeded', wasDegraded: true },
      'False | BuildSuccess | Build completed successfully',
    ],
    [
      'is taken back',
      { state: null, wasDegraded: true },
      'False | BuildPending | MachineOSConfig updated/created, waiting for MachineOSBuild',
    ],
    [
      'is no longer wanted',
      { state: null, wasDegraded: true, isLayered: false },
      'False | NoLayeredObjects | No layered pool objects found, clearing stale build degraded condition',
    ],
    ['does not exist', { state: null }, undefined],
    ['is not configured', { state: null, isLayered: false }, undefined],
  ])('%s', (_, given, expected) => {
    expect(conditionsOf(given).ImageBuildDegraded).toBe(expected);
  });
});
