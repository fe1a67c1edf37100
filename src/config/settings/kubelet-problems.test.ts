/** Invalid KubeletConfigs and the messages of their conditions. */
import { describe, expect, test } from 'vitest';
import { aPool } from '../../../test/support/build.ts';
import type { KubeletConfigSpec } from '../../api/index.ts';
import { kubeletConfigProblems, staticPodProblem } from './kubelet-problems.ts';

const config = (kubeletConfig: object, more: Partial<KubeletConfigSpec> = {}): KubeletConfigSpec => ({
  // The tests hand in what the server would keep as it is.
  kubeletConfig: kubeletConfig as NonNullable<KubeletConfigSpec['kubeletConfig']>,
  ...more,
});
const messages = (spec: KubeletConfigSpec) => kubeletConfigProblems(spec).map(({ message }) => message);

describe('kubeletConfigProblems rejects', () => {
  // biome-ignore format: a table.
  test.each<[string, KubeletConfigSpec, string]>([
    ['for a log level below', { logLevel: -1 }, "KubeletConfig's LogLevel is not valid [0,10]: -1"],
    ['for a log level above', { logLevel: 11 }, "KubeletConfig's LogLevel is not valid [0,10]: 11"],
    ['for the driver of cgroups', config({ cgroupDriver: 'cgroupfs' }), 'KubeletConfiguration: cgroupDriver is not allowed to be set, but contains: cgroupfs'],
    ['for the DNS', config({ clusterDNS: ['10.0.0.10', 'fd00::a'] }), 'KubeletConfiguration: clusterDNS is not allowed to be set, but contains: [10.0.0.10 fd00::a]'],
    ['for the domain', config({ clusterDomain: 'x.local' }), 'KubeletConfiguration: clusterDomain is not allowed to be set, but contains: x.local'],
    ['for feature gates', config({ featureGates: { B: false, A: true } }), 'KubeletConfiguration: featureGates is not allowed to be set, but contains: map[A:true B:false]'],
    ['for swap on', config({ failSwapOn: false }), 'KubeletConfiguration: failSwapOn is not allowed to be set, but contains: false'],
    ['for the use of swap', config({ memorySwap: { swapBehavior: 'LimitedSwap' } }), 'KubeletConfiguration: swapBehavior is not allowed to be set, but contains: LimitedSwap'],
    ['for two ways to reserve', config({ systemReserved: { cpu: '1' } }, { autoSizingReserved: true }), 'KubeletConfiguration: autoSizingReserved and systemdReserved cannot be set together'],
    ['for cgroups that differ', config({ systemReservedCgroup: '/a', systemCgroups: '/b' }), 'KubeletConfiguration: systemReservedCgroup (/a) must match systemCgroups (/b)'],
    ['for a text where a number is', config({ maxPods: 'many' }), 'KubeletConfig could not be unmarshalled, err: maxPods: must be a whole number of 32 bits (given: "many")'],
    ['for a fraction', config({ maxPods: 1.5 }), 'KubeletConfig could not be unmarshalled, err: maxPods: must be a whole number of 32 bits (given: 1.5)'],
    ['for a number beyond 32 bits', config({ maxPods: 2 ** 31 }), 'KubeletConfig could not be unmarshalled, err: maxPods: must be a whole number of 32 bits (given: 2147483648)'],
    ['for a number where a text is', config({ evictionHard: { 'memory.available': 5 } }), 'KubeletConfig could not be unmarshalled, err: evictionHard.memory.available: must be a text (given: 5)'],
    ['for a list where a map is', config({ evictionHard: [] }), 'KubeletConfig could not be unmarshalled, err: evictionHard: must be an object (given: a list)'],
    ['for a text deep inside', config({ authentication: { anonymous: { enabled: 'no' } } }), 'KubeletConfig could not be unmarshalled, err: authentication.anonymous.enabled: must be true or false (given: "no")'],
    ['for a time without a unit', config({ nodeStatusUpdateFrequency: '10' }), 'KubeletConfig could not be unmarshalled, err: nodeStatusUpdateFrequency: must be a duration such as 10s (given: "10")'],
    ['for a number as a time', config({ nodeStatusUpdateFrequency: 10 }), 'KubeletConfig could not be unmarshalled, err: nodeStatusUpdateFrequency: must be a duration such as 10s (given: 10)'],
    ['for another version', config({ apiVersion: 'kubelet.config.k8s.io/v1' }), 'KubeletConfig could not be unmarshalled, err: no kind "KubeletConfiguration" is registered for version "kubelet.config.k8s.io/v1"'],
    ['for another kind', config({ kind: 'Pod' }), 'KubeletConfig could not be unmarshalled, err: no kind "Pod" is registered for version "kubelet.config.k8s.io/v1beta1"'],
    ['for an amount that is a command', config({ systemReserved: { memory: '1Gi\nEVIL=1' } }), 'KubeletConfig could not be unmarshalled, err: systemReserved.memory: must be a quantity such as 500Mi (given: "1Gi\\nEVIL=1")'],
    ['for a cipher suite that no kubelet knows', config({ tlsCipherSuites: ['FOO'] }), 'KubeletConfiguration: tlsCipherSuites has "FOO", which is no cipher suite that a kubelet knows'],
    ['for a number that no kubelet accepts', config({ maxPods: -5 }), 'KubeletConfiguration: maxPods must not be negative, but is -5'],
    ['for a threshold that is no quantity', config({ evictionHard: { 'memory.available': 'foo' } }), 'KubeletConfiguration: evictionHard[memory.available] is "foo", which is no quantity, as 500Mi is'],
    ['for values that do not fit together', config({ imageGCHighThresholdPercent: 60, imageGCLowThresholdPercent: 70 }), 'KubeletConfiguration: imageGCLowThresholdPercent must be less than imageGCHighThresholdPercent, but they are 70 and 60'],
  ])('%s', (_, spec, expected) => {
    expect(messages(spec)).toEqual([expected]);
  });

  test('kubeletConfigProblems returns all problems, upstream’s first', () => {
    expect(messages(config({ failSwapOn: true, clusterDomain: 'x' }, { logLevel: 12 }))).toEqual([
      "KubeletConfig's LogLevel is not valid [0,10]: 12",
      'KubeletConfiguration: clusterDomain is not allowed to be set, but contains: x',
      'KubeletConfiguration: failSwapOn is not allowed to be set, but contains: true',
    ]);
  });
});

test.each<[string, KubeletConfigSpec]>([
  ['nothing at all', {}],
  ['an empty configuration', config({})],
  [
    'forbidden fields with empty values',
    config({ cgroupDriver: '', clusterDNS: [], featureGates: {}, failSwapOn: null }),
  ],
  [
    'sizes computed or stated, one of them',
    config({ systemReserved: { cpu: '1' } }, { autoSizingReserved: false }),
  ],
  ['one cgroup alone', config({ systemReservedCgroup: '/a' })],
  ['an unknown field', config({ maxPod: 5 })],
  ['a value that may fit to those of the node', config({ imageGCHighThresholdPercent: 70 })],
  [
    'its own kind',
    config({ apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration', maxPods: 5 }),
  ],
])('%s is valid', (_, spec) => {
  expect(messages(spec)).toEqual([]);
});

describe('staticPodProblem', () => {
  const spec = config({ staticPodPath: '/etc/x' });
  const of = (role: string) => ({
    nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${role}`]: '' } },
  });
  const forbidden = (name: string) =>
    `KubeletConfiguration: staticPodPath is not allowed to be set for control plane pool "${name}"`;

  test.each([
    [aPool('master'), spec, forbidden('master')],
    [aPool('arbiter'), config({ staticPodPath: '' }), forbidden('arbiter')],
    [aPool('first', of('master')), spec, forbidden('first')],
    [aPool('second', of('control-plane')), spec, forbidden('second')],
    [
      aPool('worker'),
      spec,
      'KubeletConfiguration: staticPodPath must be empty for pool "worker", but contains: /etc/x',
    ],
    [aPool('worker'), config({ staticPodPath: '' }), undefined],
    [aPool('master'), config({}), undefined],
  ])('%#', (pool, given, expected) => {
    expect(staticPodProblem(given, pool)?.message).toBe(expected);
  });
});
