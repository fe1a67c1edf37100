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
    reason: state,
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

function withProblem([reason, message]: readonly [string, string]): MachineOSConfig {
  const condition = { type: 'Degraded', status: 'True' as const, reason, message, lastTransitionTime: '' };
  return { ...config, status: { ...config.status, conditions: [condition] } };
}

type Given = {
  /** `null`: there is no build. */
  readonly state: string | null;
  readonly paused?: boolean;
  readonly node?: Node;
  readonly metadata?: Partial<MachineConfigPool['metadata']>;
  readonly wasDegraded?: boolean;
  readonly isLayered?: boolean;
  /** Reason and message of the condition `Degraded` of the MachineOSConfig. */
  readonly problem?: readonly [reason: string, message: string];
};

function conditionsOf({
  state,
  paused = false,
  node = aNode('h'),
  metadata,
  wasDegraded = false,
  isLayered = true,
  problem,
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
    config: problem === undefined ? config : withProblem(problem),
    ...(state === null ? {} : { build: aBuild(state) }),
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

  it.each([null, '', 'Prepared', 'Building', 'Failed', 'Interrupted'])(
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

const MISSING = ['SecretNotFound', 'secret push is not found'] as const;
const MISSING_IN_POOL =
  'True | SecretNotFound | Failed to build OS image for pool infra (MachineOSConfig: C): secret push is not found';
const FAILED = ['BuildFailed', 'MachineOSBuild B: Build Failed: no space'] as const;

describe('ImageBuildDegraded of a pool', () => {
  it.each<[string, Given, string | undefined]>([
    ['is absent without a MachineOSConfig', { state: null, isLayered: false }, undefined],
    ['is absent before the first build', { state: null }, undefined],
    ['is absent while the first build is not started', { state: '' }, undefined],
    ['is False while the build is prepared', { state: 'Prepared' }, 'False | Building | New build started'],
    ['is False while the image is built', { state: 'Building' }, 'False | Building | New build started'],
    ['is False after a build', { state: 'Succeeded' }, 'False | BuildSuccess | Build completed successfully'],
    [
      'has the cause of a failed build after the text of upstream',
      { state: 'Failed' },
      'True | BuildFailed | Failed to build OS image for pool infra (MachineOSBuild: B): Failed: no space',
    ],
    [
      'has the cause of the newest failure, not of an earlier one',
      { state: 'Failed', wasDegraded: true },
      'True | BuildFailed | Failed to build OS image for pool infra (MachineOSBuild: B): Failed: no space',
    ],
    ['is absent where a build was interrupted, which Updating says', { state: 'Interrupted' }, undefined],
    [
      'has the problem of a MachineOSConfig without a build',
      { state: null, problem: MISSING },
      MISSING_IN_POOL,
    ],
    [
      'has the problem of a MachineOSConfig whose build waits',
      { state: '', problem: MISSING },
      MISSING_IN_POOL,
    ],
    [
      'has the problem of a MachineOSConfig although it has an image: the next build would fail',
      { state: 'Succeeded', node: aNode('i'), problem: MISSING },
      MISSING_IN_POOL,
    ],
    [
      'has the problem of a MachineOSConfig rather than the failure that came before',
      { state: 'Failed', problem: MISSING },
      MISSING_IN_POOL,
    ],
    [
      'has the failure of the build where the MachineOSConfig repeats it',
      { state: 'Failed', problem: FAILED },
      'True | BuildFailed | Failed to build OS image for pool infra (MachineOSBuild: B): Failed: no space',
    ],
    [
      'has the last failure while there is no build to retry it',
      { state: null, problem: FAILED },
      'True | BuildFailed | Failed to build OS image for pool infra (MachineOSConfig: C): MachineOSBuild B: Build Failed: no space',
    ],
    [
      'is False as soon as the retry is running',
      { state: 'Building', wasDegraded: true, problem: FAILED },
      'False | Building | New build started',
    ],
    [
      'is False once the MachineOSConfig has changed and no build exists yet',
      { state: null, wasDegraded: true },
      'False | BuildPending | MachineOSConfig updated/created, waiting for MachineOSBuild',
    ],
    [
      'is False once a good build followed',
      { state: 'Succeeded', wasDegraded: true },
      'False | BuildSuccess | Build completed successfully',
    ],
    [
      'is False once the MachineOSConfig is deleted',
      { state: null, wasDegraded: true, isLayered: false },
      'False | NoLayeredObjects | No layered pool objects found, clearing stale build degraded condition',
    ],
  ])('%s', (_, given, expected) => {
    expect(conditionsOf(given).ImageBuildDegraded).toBe(expected);
    const isDegraded = expected?.startsWith('True') === true;
    expect(conditionsOf(given).Degraded).toBe(isDegraded ? 'True | Custom OS image build failed' : 'False');
  });
});
