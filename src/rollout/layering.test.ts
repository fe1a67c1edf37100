import { describe, expect, it } from 'vitest';
import { aPool } from '../../test/support/build.ts';
import { annotations, type MachineOSBuild, type MachineOSConfig } from '../api/index.ts';
import { buildStateOf, imageReadiness, isObserved, type Layering, layeringOf } from './layering.ts';

const API_VERSION = 'machineconfiguration.openshift.io/v1';

function aConfig(
  name: string,
  { image, build }: { readonly image?: string; readonly build?: string } = {},
): MachineOSConfig {
  return {
    apiVersion: API_VERSION,
    kind: 'MachineOSConfig',
    metadata: {
      name,
      annotations: build === undefined ? {} : { [annotations.currentMachineOSBuild]: build },
    },
    spec: {
      machineConfigPool: { name: 'worker' },
      imageBuilder: { imageBuilderType: 'Job' },
      renderedImagePushSecret: { name: 's' },
      renderedImagePushSpec: 'r/i:t',
    },
    status: image === undefined ? {} : { currentImagePullSpec: image },
  };
}

function aBuild(
  name: string,
  state = '',
  { pushed = '', config = 'v1', of = 'worker' } = {},
): MachineOSBuild {
  return {
    apiVersion: API_VERSION,
    kind: 'MachineOSBuild',
    metadata: { name },
    spec: { machineConfig: { name: config }, machineOSConfig: { name: of }, renderedImagePushSpec: 'r/i:t' },
    status: {
      conditions:
        state === ''
          ? []
          : [{ type: state, status: 'True', reason: 'R', message: '', lastTransitionTime: '' }],
      ...(pushed === '' ? {} : { digestedImagePushSpec: pushed }),
    },
  };
}

function deleted(build: MachineOSBuild): MachineOSBuild {
  return { ...build, metadata: { ...build.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
}

const pool = aPool('worker', { configuration: { name: 'v1' } });

describe('the build of a pool', () => {
  const of = (configs: readonly MachineOSConfig[], builds: readonly MachineOSBuild[]) => {
    const layering = layeringOf(pool, configs, builds);
    return layering && [layering.config.metadata.name, layering.build?.metadata.name];
  };

  it('does not exist without a MachineOSConfig, whatever builds are left over', () => {
    expect(of([], [aBuild('b')])).toBeUndefined();
    expect(layeringOf(aPool('infra'), [aConfig('worker')], [])).toBeUndefined();
  });

  it.each<[string, readonly MachineOSConfig[], readonly MachineOSBuild[], readonly unknown[]]>([
    ['does not exist yet', [aConfig('worker')], [], ['worker', undefined]],
    [
      'is the one of the configuration',
      [aConfig('worker')],
      [aBuild('a', '', { config: 'v0' }), aBuild('b')],
      ['worker', 'b'],
    ],
    [
      'is the one that is named',
      [aConfig('worker', { build: 'c' })],
      [aBuild('b'), aBuild('c')],
      ['worker', 'c'],
    ],
    ['is not a deleted one', [aConfig('worker', { build: 'x' })], [aBuild('b')], ['worker', 'b']],
    [
      'is not one of another configuration',
      [aConfig('worker', { build: 'a' })],
      [aBuild('a', '', { config: 'v0' })],
      ['worker', undefined],
    ],
    [
      'is not one that is being deleted, whose image may go with it',
      [aConfig('worker', { build: 'b' })],
      [deleted(aBuild('b', 'Succeeded', { pushed: 'i' }))],
      ['worker', undefined],
    ],
    [
      'is not one of another config object',
      [aConfig('worker')],
      [aBuild('b', '', { of: 'infra' })],
      ['worker', undefined],
    ],
    [
      'is the first by name, of the first by name',
      [aConfig('y'), aConfig('x')],
      [aBuild('b', '', { of: 'x' }), aBuild('a', '', { of: 'x' })],
      ['x', 'a'],
    ],
  ])('%s', (_, configs, builds, expected) => {
    expect(of(configs, builds)).toEqual(expected);
  });
});

describe('nodes may be sent to the image', () => {
  const layering = (image: string | undefined, build: MachineOSBuild | undefined): Layering => ({
    config: aConfig('worker', image === undefined ? {} : { image }),
    ...(build === undefined ? {} : { build }),
  });

  it.each<[string, Layering, boolean, string]>([
    [
      'not without a build',
      layering('i', undefined),
      false,
      'No MachineOSConfig or MachineOSBuild for this pool',
    ],
    [
      'not without an image',
      layering(undefined, aBuild('b', 'Succeeded', { pushed: 'i' })),
      false,
      'Desired image not set in MachineOSConfig',
    ],
    ['not while it is prepared', layering('i', aBuild('b', 'Prepared')), false, 'Image is not ready yet'],
    ['not while it is built', layering('i', aBuild('b', 'Building')), false, 'Image build pending'],
    ['not before the build has conditions', layering('i', aBuild('b')), false, 'Image is not ready yet'],
    [
      'not when it was interrupted',
      layering('i', aBuild('b', 'Interrupted')),
      false,
      'Image is not ready yet',
    ],
    ['not when it failed', layering('i', aBuild('b', 'Failed')), false, 'Image build failed'],
    [
      'not while the MachineOSConfig names the previous image',
      layering('h', aBuild('b', 'Succeeded', { pushed: 'i' })),
      false,
      'Image built successfully, pullspec: i, but MachineOSConfig "worker" has not updated yet',
    ],
    [
      'once both name the same',
      layering('i', aBuild('b', 'Succeeded', { pushed: 'i' })),
      true,
      'Image built successfully, pullspec: i',
    ],
  ])('%s', (_, given, isReady, message) => {
    expect(imageReadiness(given)).toEqual({ isReady, hasFailed: message === 'Image build failed', message });
  });

  it.each([
    [undefined, undefined, true],
    [2, undefined, false],
    [2, 1, false],
    [2, 2, true],
  ])(
    'knows whether the builder has seen generation %j by observedGeneration %j',
    (generation, observed, expected) => {
      const config = aConfig('worker');
      const seen = {
        ...config,
        metadata: { ...config.metadata, ...(generation === undefined ? {} : { generation }) },
        status: observed === undefined ? {} : { observedGeneration: observed },
      };
      expect(isObserved({ config: seen })).toBe(expected);
    },
  );

  it('prefers a final state of the build over earlier ones', () => {
    const build = aBuild('b', 'Building');
    const ended = {
      ...build,
      status: {
        conditions: [
          ...(build.status?.conditions ?? []),
          ...(aBuild('b', 'Failed').status?.conditions ?? []),
        ],
      },
    };
    expect(buildStateOf(ended)).toBe('Failed');
  });
});
