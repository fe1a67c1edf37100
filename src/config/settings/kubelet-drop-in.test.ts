import { describe, expect, it } from 'vitest';
import type { KubeletConfig, KubeletConfigSpec } from '../../api/index.ts';
import { formatProblem } from '../../base/errors.ts';
import { fileContents } from '../ignition/index.ts';
import { kubeletDropIn } from './kubelet-drop-in.ts';

const HEAD = 'apiVersion: kubelet.config.k8s.io/v1beta1\n';
const KIND = 'kind: KubeletConfiguration\n';

function aKubeletConfig(spec: KubeletConfigSpec): KubeletConfig {
  return {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'KubeletConfig',
    metadata: { name: 'set-by-us' },
    spec,
  };
}

function dropIn(spec: KubeletConfigSpec) {
  const outcome = kubeletDropIn(aKubeletConfig(spec));
  if (outcome.kind === 'invalid') throw new Error(JSON.stringify(outcome.problems));
  const files = outcome.value.map(({ path, contents }) => {
    const bytes = fileContents(contents);
    return [path, bytes.kind === 'ok' ? new TextDecoder().decode(bytes.value) : ''];
  });
  return { files: Object.fromEntries(files), warnings: outcome.warnings.map(formatProblem) };
}

const PATH = '/etc/kubernetes/kubelet.conf.d/set-by-us.conf';

describe('the drop-in of a KubeletConfig without base configs', () => {
  it.each<[string, KubeletConfigSpec, string]>([
    ['a field', { kubeletConfig: { maxPods: 300 } }, `${HEAD}${KIND}maxPods: 300\n`],
    [
      'fields in canonical order, and none of apiVersion and kind twice',
      {
        kubeletConfig: {
          podPidsLimit: 9,
          apiVersion: 'kubelet.config.k8s.io/v1beta1',
          kind: 'KubeletConfiguration',
          maxPods: 3,
          containerLogMaxFiles: null,
        },
      },
      `${HEAD}${KIND}maxPods: 3\npodPidsLimit: 9\n`,
    ],
    [
      'reservations, which no unit of a base computes',
      { kubeletConfig: { systemReserved: { cpu: '1', memory: '2Gi' } } },
      `${HEAD}${KIND}systemReserved:\n  cpu: "1"\n  memory: 2Gi\n`,
    ],
    [
      'the log level as verbosity, beside other settings of logging',
      { logLevel: 4, kubeletConfig: { logging: { format: 'json' } } },
      `${HEAD}${KIND}logging:\n  format: json\n  verbosity: 4\n`,
    ],
    [
      'a TLS profile',
      { tlsSecurityProfile: { type: 'Modern', modern: {} } },
      `${HEAD}${KIND}tlsMinVersion: VersionTLS13\n`,
    ],
  ])('has %s', (_, spec, expected) => {
    expect(dropIn(spec)).toEqual({ files: { [PATH]: expected }, warnings: [] });
  });

  it('is not written where nothing is declared', () => {
    expect(dropIn({})).toEqual({ files: {}, warnings: [] });
  });

  it('warns that nodes do not compute reservations', () => {
    expect(dropIn({ autoSizingReserved: true })).toEqual({
      files: {},
      warnings: [
        'spec.autoSizingReserved: has no effect with the base none, whose nodes do not compute reservations: set kubeletConfig.systemReserved',
      ],
    });
  });

  it.each<[string, KubeletConfigSpec, string]>([
    [
      'a field of the cluster',
      { kubeletConfig: { clusterDomain: 'x' } },
      'clusterDomain is not allowed to be set',
    ],
    [
      'cgroups that contradict each other',
      { kubeletConfig: { systemReservedCgroup: '/a', systemCgroups: '/b' } },
      'systemReservedCgroup (/a) must match systemCgroups (/b)',
    ],
  ])('is refused as with a base: %s', (_, spec, expected) => {
    const outcome = kubeletDropIn(aKubeletConfig(spec));
    expect(outcome.kind === 'invalid' ? outcome.problems[0]?.message : '').toContain(expected);
  });

  it('is refused with a path that is not absolute, which only the file of --config may have', () => {
    const outcome = kubeletDropIn(aKubeletConfig({ kubeletConfig: { podLogsDir: 'logs' } }));
    expect(outcome.kind === 'invalid' ? outcome.problems : []).toEqual([
      {
        path: 'spec.kubeletConfig.podLogsDir',
        message: 'KubeletConfiguration: podLogsDir must be an absolute path in a drop-in, but is "logs"',
      },
    ]);
    expect(dropIn({ kubeletConfig: { podLogsDir: '/var/log/pods' } }).warnings).toEqual([]);
  });
});
