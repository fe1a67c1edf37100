import { describe, expect, it } from 'vitest';
import { type AMachine, aChange, filesOf, judged } from '../../../test/support/a-preflight.ts';

const CONFIG = '/etc/containerd/config.toml';
const UNIT = '/lib/systemd/system/containerd.service';
const NODE: AMachine = {
  runtime: 'containerd',
  files: { [UNIT]: '[Service]\nExecStart=/usr/bin/containerd\n', [CONFIG]: 'version = 2\n' },
};
const refusals = (text: string, machine: AMachine = NODE) =>
  judged(aChange({}, filesOf({ [CONFIG]: text })), machine).refusals;
const inCri = (lines: string, plugin = 'io.containerd.grpc.v1.cri') =>
  `version = 2\n[plugins."${plugin}".containerd]\n${lines}\n`;
const DISABLED = 'disabled_plugins = ["cri"]\n';

describe('a configuration of containerd without its CRI plugin', () => {
  it.each([
    [DISABLED, 'disabled_plugins has cri, without which no kubelet works with containerd'],
    [
      'version = 2\ndisabled_plugins = ["io.containerd.grpc.v1.cri"]\n',
      'disabled_plugins has io.containerd.grpc.v1.cri, without which no kubelet works with containerd',
    ],
    [
      inCri('default_runtime_name = "kata"'),
      'default_runtime_name is "kata", and there is no table of that name in its runtimes',
    ],
    [
      inCri('default_runtime_name = "kata"', 'io.containerd.cri.v1.runtime'),
      'default_runtime_name is "kata", and there is no table of that name in its runtimes',
    ],
    [inCri('default_runtime_name = ""'), 'default_runtime_name is empty'],
  ])('is refused: %j', (text, why) => {
    expect(refusals(text)).toEqual([`${CONFIG}: ${why}, so containerd would not run pods (correct it)`]);
  });

  it.each([
    'version = 2\n',
    'version = 2\ndisabled_plugins = ["io.containerd.snapshotter.v1.aufs"]\n',
    inCri('default_runtime_name = "runc"'),
    `${inCri('default_runtime_name = "runc"')}[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.kata]\n`,
    `${inCri('default_runtime_name = "kata"')}[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.kata]\n`,
    `imports = ["/etc/containerd/conf.d/*.toml"]\n${inCri('default_runtime_name = "kata"')}`,
  ])('is another one: %j', (text) => {
    expect(refusals(text)).toEqual([]);
  });

  it.each<[string, AMachine]>([
    ['the node runs CRI-O', { ...NODE, runtime: 'cri-o' }],
    ['the unit is not known, as that of k3s', { ...NODE, files: {} }],
    [
      'the unit names another file',
      { ...NODE, files: { [UNIT]: '[Service]\nExecStart=/usr/bin/containerd -c /a\n' } },
    ],
    ['the node runs with it', { ...NODE, files: { ...NODE.files, [CONFIG]: `# Before.\n${DISABLED}` } }],
  ])('is not judged where %s', (_, machine) => {
    expect(refusals(DISABLED, machine)).toEqual([]);
  });
});
