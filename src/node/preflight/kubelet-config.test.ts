import { describe, expect, it } from 'vitest';
import { type AMachine, aChange, filesOf, judged } from '../../../test/support/a-preflight.ts';

const CONFIG = '/etc/kubernetes/kubelet.conf';
const HEAD = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';
const refusals = (path: string, text: string, machine: AMachine = {}) =>
  judged(aChange({}, filesOf({ [path]: text })), machine).refusals;
const RUNNING = {
  commandLines: {
    'kubelet.service':
      '/usr/bin/kubelet --config=/var/lib/kubelet/config.yaml --kubeconfig=/etc/kubernetes/kubelet.conf',
  },
};

describe('the configuration of the kubelet', () => {
  it.each([
    ['is correct', CONFIG, `${HEAD}maxPods: 10\n`],
    ['is JSON', CONFIG, '{"apiVersion":"kubelet.config.k8s.io/v1beta1","kind":"KubeletConfiguration"}'],
    ['has a key twice, which the kubelet accepts', CONFIG, `${HEAD}maxPods: 10\nmaxPods: 11\n`],
    ['is credentials, as those of kubeadm', CONFIG, 'apiVersion: v1\nkind: Config\n'],
    ['is a drop-in that the kubelet does not read', '/etc/openshift/kubelet.conf.d/a.txt', 'a: ['],
    ['is a file in another folder of that name', '/etc/openshift/other/kubelet.conf.d/a.conf', 'a: ['],
  ])('is accepted where it %s', (_, path, text) => {
    expect(refusals(path, text)).toEqual([]);
  });

  it.each([
    ['is no YAML', CONFIG, 'maxPods: [1\n', 'it is not YAML: line '],
    ['is no YAML, at another place', '/var/lib/kubelet/config.yaml', 'a: b: c\n', 'it is not YAML: line '],
    [
      'is no YAML, in a drop-in',
      '/etc/openshift/kubelet.conf.d/a.conf',
      '\tmaxPods: 1\n',
      'it is not YAML: line ',
    ],
    [
      'is no YAML, in a folder below that of drop-ins, and hidden',
      '/etc/openshift/kubelet.conf.d/team/.a.conf',
      '\tmaxPods: 1\n',
      'it is not YAML: line ',
    ],
    [
      'has a key twice, in a drop-in',
      '/etc/openshift/kubelet.conf.d/team/a.conf',
      `${HEAD}maxPods: 10\nmaxPods: 11\n`,
      'it has maxPods twice, which a kubelet does not accept in a drop-in',
    ],
    [
      'has no kind',
      CONFIG,
      'maxPods: 1\n',
      'it is no KubeletConfiguration of kubelet.config.k8s.io (kind missing)',
    ],
    ['has another kind', CONFIG, 'apiVersion: v1\nkind: Pod\n', '(kind Pod), so the kubelet would not start'],
    ['is empty', CONFIG, '', '(kind missing)'],
  ])('is refused where it %s', (_, path, text, why) => {
    expect(refusals(path, text)).toEqual([expect.stringContaining(`${path}: `)]);
    expect(refusals(path, text)[0]).toContain(why);
  });

  it('is not judged where the update does not change it', () => {
    const broken = { [CONFIG]: 'maxPods: [1\n' };
    expect(judged(aChange(filesOf(broken), filesOf({ ...broken, '/etc/motd': 'x' }))).refusals).toEqual([]);
  });

  it('is refused where the kubelet has its credentials at that path', () => {
    expect(refusals(CONFIG, HEAD, RUNNING)).toEqual([
      `${CONFIG}: the kubelet of this node has its credentials there (--kubeconfig), and would lose them (write the file that its --config names instead)`,
    ]);
    expect(refusals('/var/lib/kubelet/config.yaml', HEAD, RUNNING)).toEqual([]);
  });

  it('is refused where a drop-in of kubeadm keeps the credentials there, although the config brings a unit', () => {
    const unit =
      '[Service]\nExecStart=/usr/bin/kubelet --config=/etc/kubernetes/kubelet.conf --kubeconfig=/var/lib/kubelet/kubeconfig\n';
    const kubeadm =
      '[Service]\nEnvironment="KUBELET_KUBECONFIG_ARGS=--bootstrap-kubeconfig=/etc/kubernetes/b.conf --kubeconfig=/etc/kubernetes/kubelet.conf"\nExecStart=\nExecStart=/usr/bin/kubelet $KUBELET_KUBECONFIG_ARGS $KUBELET_EXTRA_ARGS\n';
    const to = {
      ...filesOf({ [CONFIG]: HEAD }),
      systemd: { units: [{ name: 'kubelet.service', contents: unit }] },
    };
    const files = { '/usr/lib/systemd/system/kubelet.service.d/10-kubeadm.conf': kubeadm };
    expect(judged(aChange({}, to), { ...RUNNING, files }).refusals).toEqual([
      expect.stringContaining('has its credentials there (--kubeconfig), and would lose them'),
    ]);
    // Without the drop-in the new unit counts.
    expect(judged(aChange({}, to), RUNNING).refusals).toEqual([]);
  });

  it('is refused with a path that is not absolute in a drop-in, and accepted in the file of --config', () => {
    const dropIn = '/etc/openshift/kubelet.conf.d/a.conf';
    const unit = `[Service]\nExecStart=/usr/bin/kubelet --config=${CONFIG} --config-dir=/etc/openshift/kubelet.conf.d\n`;
    const machine: AMachine = {
      files: { '/usr/lib/systemd/system/kubelet.service': unit, [CONFIG]: HEAD },
    };
    const text = `${HEAD}podLogsDir: logs\n`;
    expect(refusals(dropIn, text, machine)).toEqual([
      `${dropIn}: with it, the kubelet would not start: podLogsDir must be an absolute path in a drop-in, but is "logs" (correct the value)`,
    ]);
    expect(refusals(CONFIG, text, machine)).toEqual([]);
    expect(refusals(dropIn, `${HEAD}podLogsDir: /var/log/pods\n`, machine)).toEqual([]);
  });

  it('is judged with drop-ins in the order of a walk through their folder', () => {
    const folder = '/etc/openshift/kubelet.conf.d';
    const unit = `[Service]\nExecStart=/usr/bin/kubelet --config=${CONFIG} --config-dir=${folder}\n`;
    const machine: AMachine = {
      files: { '/usr/lib/systemd/system/kubelet.service': unit, [CONFIG]: HEAD },
    };
    const judge = (inFolder: number, beside: number) =>
      judged(
        aChange(
          {},
          filesOf({
            [`${folder}/a/z.conf`]: `${HEAD}maxPods: ${inFolder}\n`,
            [`${folder}/a-b.conf`]: `${HEAD}maxPods: ${beside}\n`,
          }),
        ),
        machine,
      ).refusals;
    expect(judge(-5, 6)).toEqual([]);
    expect(judge(6, -5)).toEqual([expect.stringContaining('maxPods must not be negative, but is -5')]);
  });

  it('is refused with the socket of a runtime that the node does not have', () => {
    const text = `${HEAD}containerRuntimeEndpoint: unix:///run/crio/crio.sock\n`;
    expect(refusals(CONFIG, text, { runtime: 'containerd' })).toEqual([
      `${CONFIG}: its containerRuntimeEndpoint is /run/crio/crio.sock, which does not exist on the node, and neither the node, its OS nor the config has crio.service or cri-o.service (this node runs containerd) (name the socket of the runtime that the node has)`,
    ]);
    expect(refusals(CONFIG, text, { units: ['crio.service'] })).toEqual([]);
  });
});
