import { describe, expect, test } from 'vitest';
import { aPool } from '../../../test/support/build.ts';
import type { ControllerConfig, OSImageStream } from '../../api/index.ts';
import { type SettingsObjects, settingsFor } from './settings.ts';

const worker = aPool('worker');
const infra = aPool('infra');
const tenth = { osImageStream: { name: 'ten' } };

const osImageStream: OSImageStream = {
  apiVersion: 'machineconfiguration.openshift.io/v1',
  kind: 'OSImageStream',
  metadata: { name: 'cluster' },
  spec: { defaultStream: 'nine' },
  status: {
    defaultStream: 'nine',
    availableStreams: [
      { name: 'nine', osImage: 'os-nine', osExtensionsImage: 'extensions-nine' },
      { name: 'ten', osImage: 'os-ten', osExtensionsImage: 'extensions-ten' },
    ],
  },
};

// Only what settings are read from; the rest of its spec plays no part here.
const controllerConfig = {
  apiVersion: 'machineconfiguration.openshift.io/v1',
  kind: 'ControllerConfig',
  metadata: {
    name: 'machine-config-controller',
    annotations: { 'machineconfiguration.openshift.io/release-image-version': '4.20.1' },
  },
  spec: {
    baseOSContainerImage: 'os-controller',
    baseOSExtensionsContainerImage: 'extensions-controller',
    osImageURL: 'os-old-format',
  },
} as unknown as ControllerConfig;

const baseMap = {
  data: { baseOSContainerImage: 'os-map', baseOSExtensionsContainerImage: 'extensions-map', osImageURL: '' },
};
const patchedMap = { data: { osImageURL: 'os-patched', releaseVersion: '4.6.0' } };

function imagesOf(pool = worker, objects: Partial<SettingsObjects> = {}) {
  const outcome = settingsFor(pool, { pools: [worker, infra], ...objects });
  if (outcome.kind === 'invalid') return outcome.problems;
  return [outcome.value.osImageURL, outcome.value.baseOSExtensionsContainerImage];
}

describe('an unavailable stream', () => {
  const problem = (message: string) => [{ path: 'spec.osImageStream.name', message }];

  test('is rejected with the list of available ones', () => {
    const pool = aPool('worker', { osImageStream: { name: 'eleven' } });
    expect(imagesOf(pool, { osImageStream })).toEqual(
      problem(
        'could not get OSImageStreamSet for pool worker: stream "eleven" not found: OSImageStream "cluster" offers nine, ten',
      ),
    );
  });

  test('is rejected if there are no streams or no OSImageStream', () => {
    const message =
      'could not get OSImageStreamSet for pool infra: stream "ten" not found: there is no OSImageStream "cluster" with a status';
    const pool = aPool('infra', tenth);
    const { status: _, ...withoutStatus } = osImageStream;
    expect(imagesOf(pool)).toEqual(problem(message));
    expect(imagesOf(pool, { osImageStream: withoutStatus })).toEqual(problem(message));
  });
});

describe('the OS image of a cluster that is not ours', () => {
  const all = { controllerConfig, osImageConfigMap: patchedMap, osImageStream, onlyDeclaredImages: true };

  test('is none, whatever the cluster offers to all pools', () => {
    expect(imagesOf(worker, all)).toEqual(['', '']);
    expect(imagesOf(worker, { ...all, osImageConfigMap: baseMap })).toEqual(['', '']);
  });

  test('is that of the stream which its pool declares, or inherits from the pool worker', () => {
    const images = ['os-ten', 'extensions-ten'];
    expect(imagesOf(aPool('worker', tenth), all)).toEqual(images);
    expect(imagesOf(infra, { ...all, pools: [aPool('worker', tenth), infra] })).toEqual(images);
  });
});

describe('the OS image', () => {
  test.each<[string, Partial<SettingsObjects>, readonly string[]]>([
    ['nothing', {}, ['', '']],
    ['the ControllerConfig', { controllerConfig }, ['os-controller', 'extensions-controller']],
    ['the ConfigMap', { controllerConfig, osImageConfigMap: baseMap }, ['os-map', 'extensions-map']],
    [
      'osImageURL of the ConfigMap',
      { controllerConfig, osImageConfigMap: { data: { ...baseMap.data, ...patchedMap.data } } },
      ['os-patched', 'extensions-map'],
    ],
    [
      'osImageURL alone, with what the ControllerConfig has for extensions',
      { controllerConfig, osImageConfigMap: patchedMap },
      ['os-patched', 'extensions-controller'],
    ],
    [
      'a ConfigMap without data',
      { controllerConfig, osImageConfigMap: {} },
      ['os-controller', 'extensions-controller'],
    ],
    [
      'the default stream',
      { controllerConfig, osImageConfigMap: baseMap, osImageStream },
      ['os-nine', 'extensions-nine'],
    ],
    [
      'osImageURL of the ConfigMap over the default stream',
      { osImageConfigMap: patchedMap, osImageStream },
      ['os-patched', 'extensions-nine'],
    ],
    [
      "the user's default stream, once the cluster offers it",
      { osImageStream: { ...osImageStream, spec: { defaultStream: 'ten' } } },
      ['os-ten', 'extensions-ten'],
    ],
    [
      'the default stream so far, while the cluster does not offer the new one',
      { osImageStream: { ...osImageStream, spec: { defaultStream: 'eleven' } } },
      ['os-nine', 'extensions-nine'],
    ],
  ])('comes from %s', (_, objects, images) => {
    expect(imagesOf(worker, objects)).toEqual(images);
  });

  test('comes from the stream of the pool before all else', () => {
    const objects = { controllerConfig, osImageConfigMap: patchedMap, osImageStream };
    expect(imagesOf(aPool('master', tenth), objects)).toEqual(['os-ten', 'extensions-ten']);
  });

  test('of a custom pool, but not of a built-in one, comes from the stream of the worker pool', () => {
    const pools = [aPool('worker', tenth), infra, aPool('master')];
    expect(imagesOf(infra, { osImageStream, pools })).toEqual(['os-ten', 'extensions-ten']);
    expect(imagesOf(aPool('master'), { osImageStream, pools })).toEqual(['os-nine', 'extensions-nine']);
    expect(imagesOf(infra, { osImageStream, pools: [infra] })).toEqual(['os-nine', 'extensions-nine']);
    const own = aPool('infra', { osImageStream: { name: 'nine' } });
    expect(imagesOf(own, { osImageStream, pools })).toEqual(['os-nine', 'extensions-nine']);
  });
});

test('settingsFor passes on the release and the allowed changes', () => {
  const machineConfiguration = {
    apiVersion: 'operator.openshift.io/v1',
    kind: 'MachineConfiguration',
    metadata: { name: 'cluster' },
    spec: { irreconcilableValidationOverrides: { storage: ['Disks', 'Raid'] as const } },
  };
  expect(settingsFor(worker, { pools: [], controllerConfig, machineConfiguration })).toMatchObject({
    kind: 'ok',
    value: { releaseVersion: '4.20.1', allowIrreconcilable: ['Disks', 'Raid'] },
  });
});
