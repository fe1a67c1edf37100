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
    ['for a text where a number is', config({ maxPods: 'many' }), 'KubeletConfig could not be unmarshalled, err: json: cannot unmarshal string into Go struct field KubeletConfiguration.maxPods of type int32'],
    ['for a fraction', config({ maxPods: 1.5 }), 'KubeletConfig could not be unmarshalled, err: json: cannot unmarshal number 1.5 into Go struct field KubeletConfiguration.maxPods of type int32'],
    ['for a number beyond 32 bits', config({ maxPods: 2 ** 31 }), 'KubeletConfig could not be unmarshalled, err: json: cannot unmarshal number 2147483648 into Go struct field KubeletConfiguration.maxPods of type int32'],
    ['for a number where a text is', config({ evictionHard: { 'memory.available': 5 } }), 'KubeletConfig could not be unmarshalled, err: json: cannot unmarshal number into Go struct field KubeletConfiguration.evictionHard of type string'],
    ['for a list where a map is', config({ evictionHard: [] }), 'KubeletConfig could not be unmarshalled, err: json: cannot unmarshal array into Go struct field KubeletConfiguration.evictionHard of type map[string]string'],
    ['for a text deep inside', config({ authentication: { anonymous: { enabled: 'no' } } }), 'KubeletConfig could not be unmarshalled, err: json: cannot unmarshal string into Go struct field KubeletConfiguration.authentication.anonymous.enabled of type bool'],
    ['for a time without a unit', config({ nodeStatusUpdateFrequency: '10' }), 'KubeletConfig could not be unmarshalled, err: time: invalid duration "10"'],
    ['for a number as a time', config({ nodeStatusUpdateFrequency: 10 }), 'KubeletConfig could not be unmarshalled, err: json: cannot unmarshal number into Go value of type string'],
    ['for another version', config({ apiVersion: 'kubelet.config.k8s.io/v1' }), 'KubeletConfig could not be unmarshalled, err: no kind "KubeletConfiguration" is registered for version "kubelet.config.k8s.io/v1"'],
    ['for another kind', config({ kind: 'Pod' }), 'KubeletConfig could not be unmarshalled, err: no kind "Pod" is registered for version "kubelet.config.k8s.io/v1beta1"'],
    ['for an amount that is a command', config({ systemReserved: { memory: '1Gi\nEVIL=1' } }), "KubeletConfig could not be unmarshalled, err: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
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
