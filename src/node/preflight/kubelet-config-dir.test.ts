import { describe, expect, it } from 'vitest';
import { type AMachine, aChange, filesOf, judged } from '../../../test/support/a-preflight.ts';

const DROPIN = '/etc/kubernetes/kubelet.conf.d/50-pods.conf';
const TEXT = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nmaxPods: 10\n';
const FLAG = '--config-dir=/etc/kubernetes/kubelet.conf.d';
const KUBEADM = { 'kubelet.service': '/usr/bin/kubelet --config=/var/lib/kubelet/config.yaml' };
const judge = (machine: AMachine, more: { readonly [path: string]: string } = {}) =>
  judged(aChange({}, filesOf({ [DROPIN]: TEXT, ...more })), machine);

describe('a drop-in of the kubelet', () => {
  it('is refused where the kubelet does not read the folder, with the line to add', () => {
    expect(judge({ commandLines: KUBEADM }).refusals).toEqual([
      `${DROPIN}: the kubelet does not run with ${FLAG}, so the file would have no effect (add KUBELET_EXTRA_ARGS=${FLAG} to /etc/default/kubelet and restart the kubelet)`,
    ]);
    expect(judge({ commandLines: KUBEADM, paths: ['/etc/sysconfig'] }).refusals).toEqual([
      expect.stringContaining(`add KUBELET_EXTRA_ARGS=${FLAG} to /etc/sysconfig/kubelet`),
    ]);
    const k3s = { 'k3s-agent.service': '/usr/local/bin/k3s agent' };
    expect(judge({ commandLines: k3s }).refusals).toEqual([
      expect.stringContaining(
        '(add "kubelet-arg: [config-dir=/etc/kubernetes/kubelet.conf.d]" to /etc/rancher/k3s/config.yaml and restart k3s-agent.service)',
      ),
    ]);
  });

  it.each<[string, AMachine, { readonly [path: string]: string }]>([
    ['runs with the flag', { commandLines: { 'kubelet.service': `/usr/bin/kubelet ${FLAG}` } }, {}],
    [
      'runs with the flag in two words',
      { commandLines: { 'kubelet.service': `kubelet ${FLAG.replace('=', ' ')}` } },
      {},
    ],
    [
      'gets it with its next start',
      { commandLines: KUBEADM, files: { '/etc/default/kubelet': `KUBELET_EXTRA_ARGS=${FLAG}\n` } },
      {},
    ],
    [
      'gets it from the config',
      { commandLines: KUBEADM },
      { '/etc/sysconfig/kubelet': `KUBELET_EXTRA_ARGS="--v=2 ${FLAG}"\n` },
    ],
    [
      'gets it from a drop-in of its unit',
      { commandLines: KUBEADM },
      {
        '/etc/systemd/system/kubelet.service.d/20-dir.conf': `[Service]\nEnvironment="KUBELET_EXTRA_ARGS=${FLAG}"\n`,
      },
    ],
    [
      'is part of k3s',
      {
        commandLines: { 'k3s.service': 'k3s server' },
        files: {
          '/etc/rancher/k3s/config.yaml': 'kubelet-arg:\n  - "config-dir=/etc/kubernetes/kubelet.conf.d"\n',
        },
      },
      {},
    ],
  ])('is accepted where the kubelet %s', (_, machine, more) => {
    expect(judge(machine, more)).toEqual({ refusals: [], warnings: [] });
  });

  it('is accepted in a folder of the folder, and where a slash ends the flag', () => {
    const path = '/etc/kubernetes/kubelet.conf.d/team/.a.conf';
    expect(judged(aChange({}, filesOf({ [path]: TEXT })), { commandLines: KUBEADM }).refusals).toEqual([
      expect.stringContaining(`${path}: the kubelet does not run with ${FLAG}`),
    ]);
    expect(judge({ commandLines: { 'kubelet.service': `/usr/bin/kubelet ${FLAG}/` } }).refusals).toEqual([]);
  });

  it('is refused where the kubelet reads another folder', () => {
    const commandLines = { 'kubelet.service': '/usr/bin/kubelet --config-dir=/etc/openshift/kubelet.conf.d' };
    expect(judge({ commandLines }).refusals).toHaveLength(1);
  });

  it('is a warning where no kubelet is seen to run', () => {
    expect(judge({}).warnings).toEqual([
      `${DROPIN}: it has an effect only where the kubelet runs with ${FLAG}`,
    ]);
  });

  it('is not judged where the update does not change it', () => {
    const change = aChange(filesOf({ [DROPIN]: TEXT }), filesOf({ [DROPIN]: TEXT, '/etc/motd': 'x' }));
    expect(judged(change, { commandLines: KUBEADM }).refusals).toEqual([]);
  });
});

/** As kubeadm and its packages for Debian set it up. */
const UNIT = '/usr/lib/systemd/system/kubelet.service';
const EXTRA = '/etc/default/kubelet';
const aUnit = (command: string) => `[Service]\nEnvironmentFile=-${EXTRA}\nExecStart=${command}\n`;
const ofUnit = (command: string, files: { readonly [path: string]: string } = {}): AMachine => ({
  commandLines: KUBEADM,
  files: { [UNIT]: aUnit(command), ...files },
});

describe('a drop-in of a kubelet whose unit is known', () => {
  it.each<[string, AMachine, { readonly [path: string]: string }]>([
    ['in its command', ofUnit(`/usr/bin/kubelet ${FLAG}`), {}],
    ['in a variable', ofUnit('/usr/bin/kubelet $ARGS', { [EXTRA]: `ARGS="--v=2 ${FLAG}"\n` }), {}],
    ['in a variable that the config sets', ofUnit('/usr/bin/kubelet $ARGS'), { [EXTRA]: `ARGS=${FLAG}\n` }],
    ['as the last of two', ofUnit(`/usr/bin/kubelet --config-dir=/etc/other ${FLAG}`), {}],
    [
      'behind a script that adds flags to what it is given, as it runs',
      { ...ofUnit('/opt/start'), commandLines: { 'kubelet.service': `/usr/bin/kubelet ${FLAG}` } },
      {},
    ],
  ])('is accepted where it has the flag %s', (_, machine, more) => {
    expect(judge(machine, more)).toMatchObject({ refusals: [] });
  });

  it.each<[string, AMachine, { readonly [path: string]: string }]>([
    ['only in a comment', ofUnit('/usr/bin/kubelet $ARGS', { [EXTRA]: `# ARGS=${FLAG}\n` }), {}],
    [
      'only in a variable that it does not use',
      ofUnit('/usr/bin/kubelet', { [EXTRA]: `ARGS=${FLAG}\n` }),
      {},
    ],
    [
      'only in a file that its unit does not read',
      ofUnit('/usr/bin/kubelet $ARGS', { '/etc/sysconfig/kubelet': `ARGS=${FLAG}\n` }),
      {},
    ],
    ['as the first of two', ofUnit(`/usr/bin/kubelet ${FLAG} --config-dir=/etc/other`), {}],
    ['as the beginning of another folder', ofUnit(`/usr/bin/kubelet ${FLAG}.more`), {}],
    [
      'until the update replaces the variable',
      ofUnit('/usr/bin/kubelet $ARGS', { [EXTRA]: `ARGS=${FLAG}\n` }),
      { [EXTRA]: 'ARGS=--v=2\n' },
    ],
    [
      'until its next start',
      { ...ofUnit('/usr/bin/kubelet'), commandLines: { 'kubelet.service': `/usr/bin/kubelet ${FLAG}` } },
      {},
    ],
  ])('is refused where it has the flag %s', (_, machine, more) => {
    expect(judge(machine, more).refusals).toEqual([
      `${DROPIN}: the kubelet does not run with ${FLAG}, so the file would have no effect (add KUBELET_EXTRA_ARGS=${FLAG} to /etc/default/kubelet and restart the kubelet)`,
    ]);
  });
});
