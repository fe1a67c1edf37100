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
  '/etc/crio/crio.conf.d/a',
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
  ),
);
const files = fc.dictionary(fc.constantFrom(...PATHS), texts);
const machines = fc.record({
  runtime: fc.constantFrom('cri-o', 'containerd'),
  nextOs: fc.constantFrom('booted' as const, 'known' as const, 'unknown' as const),
  units: fc.subarray(['a.service', 'crio.service']),
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
