import { describe, expect, it } from 'vitest';
import { aNodeConfig, type NodeConfigParts } from '../../../test/support/a-node-config.ts';
import { type AMachine, aChange, filesOf, judged } from '../../../test/support/a-preflight.ts';
import { baseCoreos } from '../../../test/support/base-coreos.ts';

const UNIT = '[Unit]\nRequires=crio.service\n[Service]\nExecStart=/usr/bin/kubelet\n';
const unit = (contents: string, more: object = {}): NodeConfigParts => ({
  systemd: { units: [{ name: 'kubelet.service', contents, ...more }] },
});
const dropin = (contents: string): NodeConfigParts => ({
  systemd: { units: [{ name: 'kubelet.service', dropins: [{ name: '10-a.conf', contents }] }] },
});
const CRIO_SOCKET = '/var/run/crio/crio.sock';
const withEndpoint = (endpoint: string) =>
  `[Service]\nExecStart=/usr/bin/kubelet \\\n  --container-runtime-endpoint=${endpoint} --v=2\n`;

function refusals(to: NodeConfigParts, machine: AMachine = {}, from: NodeConfigParts = {}) {
  return judged(aChange(from, to), machine).refusals;
}

describe('base coreos on a node with containerd', () => {
  it('is refused for its kubelet, with the runtime that the node has', () => {
    const { refusals, error } = judged(aChange(aNodeConfig('mco-empty-mc'), baseCoreos()), {
      runtime: 'containerd',
      units: ['containerd.service', 'kubelet.service', 'sshd.service'],
      paths: ['/run/containerd/containerd.sock'],
    });
    expect(refusals).toEqual([
      'kubelet.service: it requires crio.service, which neither the node, its OS nor the config has, so the kubelet would not start (this node runs containerd) (install what brings crio.service, or remove the requirement from the config)',
      'kubelet.service: its --container-runtime-endpoint is /var/run/crio/crio.sock, which does not exist on the node, and neither the node, its OS nor the config has crio.service or cri-o.service (this node runs containerd) (name the socket of the runtime that the node has)',
    ]);
    expect(error).toMatch(
      /^pre-flight refuses this config, and the node is not drained: .*; to update anyway, annotate a MachineConfig of the pool with millwright\.dev\/skip-preflight=kubelet-unit$/,
    );
  });

  it('is accepted where the node has CRI-O', () => {
    const machine = { runtime: 'cri-o', units: ['crio.service'] };
    expect(judged(aChange(aNodeConfig('mco-empty-mc'), baseCoreos()), machine).refusals).toEqual([]);
  });
});

describe('a unit that the kubelet requires', () => {
  it.each<[string, NodeConfigParts]>([
    ['by its unit', unit(UNIT)],
    ['by a drop-in', dropin('[Unit]\nBindsTo=crio.service\n')],
    [
      'by a drop-in that is a file',
      filesOf({ '/etc/systemd/system/kubelet.service.d/a.conf': '[Unit]\nRequisite=crio.service\n' }),
    ],
  ])('is missing, and that is refused: %s', (_, to) => {
    expect(refusals(to)).toEqual([
      expect.stringMatching(/^kubelet\.service: it requires crio\.service, which neither/),
    ]);
    expect(refusals(to, { units: ['crio.service'] })).toEqual([]);
  });

  it.each<[string, AMachine, boolean]>([
    ['is not known yet in the next OS', { nextOs: 'unknown' }, false],
    ['is in the next OS', { nextOs: 'known', unitFacts: { 'crio.service': { isInImage: true } } }, false],
    [
      'is only in the booted OS',
      { nextOs: 'known', units: ['crio.service'], unitFacts: { 'crio.service': { isInImage: false } } },
      true,
    ],
    [
      'is below /etc',
      { nextOs: 'known', unitFacts: { 'crio.service': { isInEtc: true, isInImage: false } } },
      false,
    ],
    [
      'may come with a layered package',
      { nextOs: 'known', hasLayeredPackages: true, unitFacts: { 'crio.service': { isInImage: false } } },
      false,
    ],
    [
      'is masked on the node',
      { units: ['crio.service'], unitFacts: { 'crio.service': { isMasked: true } } },
      true,
    ],
  ])('%s', (_, machine, isRefused) => {
    expect(refusals(unit(UNIT), machine).length > 0).toBe(isRefused);
  });

  it('is masked by the config, and that is refused', () => {
    const units = [
      { name: 'kubelet.service', contents: UNIT },
      { name: 'crio.service', mask: true },
    ];
    expect(refusals({ systemd: { units } }, { units: ['crio.service'] })).toEqual([
      expect.stringContaining('it requires crio.service, which is masked, so the kubelet would not start'),
    ]);
  });

  it('comes with the config', () => {
    const units = [
      { name: 'kubelet.service', contents: UNIT },
      { name: 'crio.service', contents: '[Service]\nExecStart=/usr/bin/crio\n' },
    ];
    expect(refusals({ systemd: { units } })).toEqual([]);
  });

  it('is missing behind another unit of the config, and that is refused', () => {
    const units = [
      {
        name: 'kubelet.service',
        contents: '[Unit]\nRequires=a.target\n[Service]\nExecStart=/usr/bin/kubelet\n',
      },
      { name: 'a.target', contents: '[Unit]\nRequires=b.service\n' },
    ];
    expect(refusals({ systemd: { units } })).toEqual([
      expect.stringContaining('kubelet.service (through a.target): it requires b.service'),
    ]);
  });

  it('is not asked for by others than the kubelet', () => {
    const units = [{ name: 'a.service', contents: UNIT.replace('kubelet', 'a') }];
    expect(refusals({ systemd: { units } })).toEqual([]);
  });

  it('is not asked for where the update changes neither', () => {
    const other = filesOf({ '/etc/motd': 'hello' });
    expect(refusals({ ...unit(UNIT), ...other }, {}, unit(UNIT))).toEqual([]);
  });
});

describe('the container runtime of the kubelet', () => {
  it.each<[string, string, AMachine, boolean]>([
    ['neither has a socket nor a unit', `unix://${CRIO_SOCKET}`, {}, true],
    ['has its socket', `unix://${CRIO_SOCKET}`, { paths: [CRIO_SOCKET] }, false],
    ['has its unit', CRIO_SOCKET, { units: ['crio.service'] }, false],
    ['may be in the next OS', CRIO_SOCKET, { nextOs: 'unknown' }, false],
    ['comes from a variable', '$SOCKET', {}, false],
    ['is one that nobody knows', 'unix:///run/mine.sock', {}, true],
    ['is none of Linux', 'tcp://127.0.0.1:3735', {}, true],
  ])('%s', (_, endpoint, machine, isRefused) => {
    expect(refusals(unit(withEndpoint(endpoint)), machine).length > 0).toBe(isRefused);
  });

  it('is a warning where it is unknown, and the update brings another unit that may serve it', () => {
    const units = [
      { name: 'kubelet.service', contents: withEndpoint('/run/mine.sock') },
      { name: 'mine.service', contents: '[Service]\nExecStart=/usr/bin/mine\n' },
    ];
    expect(judged(aChange({}, { systemd: { units } })).warnings).toContain(
      'kubelet.service: its --container-runtime-endpoint is /run/mine.sock, which does not exist on the node',
    );
  });

  it('is the one of a later drop-in of the node', () => {
    const files = {
      '/usr/lib/systemd/system/kubelet.service.d/10-kubeadm.conf':
        '[Service]\nExecStart=\nExecStart=/usr/bin/kubelet --config=/var/lib/kubelet/config.yaml\n',
    };
    expect(refusals(unit(withEndpoint(CRIO_SOCKET)), { files })).toEqual([]);
  });
});

describe('the unit file of the kubelet', () => {
  it('is refused with a section header that systemd cannot read', () => {
    expect(
      refusals(filesOf({ '/etc/systemd/system/kubelet.service.d/a.conf': '# a\n[Service\nNice=1\n' })),
    ).toEqual([
      '/etc/systemd/system/kubelet.service.d/a.conf: line 2 is no valid section header, so systemd does not load kubelet.service and the kubelet does not start (close the header with ])',
    ]);
  });

  it('is refused without a command', () => {
    expect(refusals(unit('[Service]\nType=notify\n'))).toEqual([
      expect.stringContaining('it has no ExecStart'),
    ]);
    const files = { '/usr/lib/systemd/system/kubelet.service': '[Service]\nExecStart=/usr/bin/kubelet\n' };
    expect(refusals(dropin('[Service]\nExecStart=\n'), { files })).toEqual([
      expect.stringContaining('it has no ExecStart'),
    ]);
    expect(refusals(dropin('[Service]\nNice=1\n'), { files })).toEqual([]);
  });
});
