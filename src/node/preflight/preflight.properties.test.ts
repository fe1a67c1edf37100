import fc from 'fast-check';
import { expect, it } from 'vitest';
import { aNodeConfig } from '../../../test/support/a-node-config.ts';
import { aChange, filesOf, judged } from '../../../test/support/a-preflight.ts';
import { preflightNeeds } from './preflight.ts';

const PATHS = [
  '/etc/kubernetes/kubelet.conf',
  '/etc/kubernetes/kubelet.conf.d/a.conf',
  '/etc/systemd/system/kubelet.service',
  '/etc/systemd/system/kubelet.service.d/a.conf',
  '/etc/systemd/system/crio.service.d/a.conf',
  '/etc/default/kubelet',
  '/etc/crio/crio.conf',
  '/etc/crio/crio.conf.d/a',
  '/etc/crio/crio.conf.d/b/a',
  '/etc/containerd/config.toml',
  '/etc/containers/registries.conf',
  '/etc/containers/policy.json',
  '/etc/ssh/sshd_config',
  '/etc/NetworkManager/system-connections/a',
  '/etc/netplan/a.yaml',
  '/etc/motd',
];
const texts = fc.oneof(
  fc.string(),
  fc.constantFrom(
    '[Unit]\nRequires=a.service b.service %i.service\n',
    '[Service]\nExecStart=\n',
    '[',
    'a: [',
    '{"a":',
    'ARGS="--config=/none/a --config-dir=/none/b --kubeconfig=/none/c"\n',
    '[Service]\nExecStart=\nExecStart=/none/a\\nb --config-dir /none\\n\nExecStartPre=/none/c\n',
    '[crio.runtime]\ndefault_runtime = "a\\nb"\n[crio.runtime.runtimes."a\\nb"]\nruntime_path = "/c\\nd"\n',
    '[crio.runtime]\ndefault_runtime = "a"\nconmon = "/x"\ncgroup_manager = "\\n"\n',
    'disabled_plugins = ["cri"]\n[plugins.cri.containerd]\ndefault_runtime_name = "a\\nb"\n',
  ),
);
const files = fc.dictionary(fc.constantFrom(...PATHS), texts);
const machines = fc.record({
  runtime: fc.constantFrom('cri-o', 'containerd'),
  nextOs: fc.constantFrom('booted' as const, 'known' as const, 'unknown' as const),
  units: fc.subarray(['a.service', 'crio.service']),
  runtimeVersion: fc.constantFrom('1.34.0', '1.29.1', ''),
  paths: fc.subarray(['/usr/bin/crio', '/usr/bin/kubelet', '/usr/bin/runc', '/none/c', '/x']),
  files: fc.constantFrom<{ readonly [path: string]: string }>(
    {},
    {
      '/usr/lib/systemd/system/crio.service': '[Service]\nExecStart=/usr/bin/crio\n',
      '/usr/lib/systemd/system/containerd.service': '[Service]\nExecStart=/usr/bin/containerd\n',
      '/usr/lib/systemd/system/kubelet.service':
        '[Service]\nEnvironmentFile=-/etc/default/kubelet\nExecStart=/usr/bin/kubelet --kubeconfig=/none/c $ARGS\n',
    },
  ),
  commandLines: fc.dictionary(fc.constantFrom('kubelet.service', 'k3s.service'), fc.string()),
});

it('refuses nothing and reads nothing for a change of nothing, whatever the config and the machine are', () => {
  fc.assert(
    fc.property(files, machines, (given, machine) => {
      const change = aChange(filesOf(given), filesOf(given));
      expect(judged(change, machine)).toEqual({ refusals: [], warnings: [] });
      expect(Object.values(preflightNeeds(change)).flat()).toEqual([]);
    }),
  );
});

it('judges any config without throwing, and asks for a bounded number of facts', () => {
  fc.assert(
    fc.property(files, machines, (given, machine) => {
      const change = aChange({}, filesOf(given));
      const { refusals, error } = judged(change, machine);
      expect(error === undefined).toBe(refusals.length === 0);
      expect(error ?? '').not.toContain('\n');
      expect(Object.values(preflightNeeds(change)).flat().length).toBeLessThan(1000);
    }),
  );
});

it('passes everything with the annotation, as warnings', () => {
  fc.assert(
    fc.property(files, machines, (given, machine) => {
      const to = aNodeConfig('after', filesOf(given));
      const metadata = {
        ...to.machineConfig.metadata,
        annotations: { 'millwright.dev/skip-preflight': 'true' },
      };
      const skipping = { ...to, machineConfig: { ...to.machineConfig, metadata } };
      const before = judged(aChange({}, to), machine);
      const after = judged(aChange({}, skipping), machine);
      expect(after.refusals).toEqual([]);
      expect([...after.warnings].sort()).toEqual([...before.refusals, ...before.warnings].sort());
    }),
  );
});
