import { describe, expect, it } from 'vitest';
import { type AMachine, aChange, filesOf, judged } from '../../../test/support/a-preflight.ts';

/** As the packages of Kubernetes install it. */
const KUBEADM_UNIT = `[Unit]
Description=kubelet: The Kubernetes Node Agent
Wants=network-online.target

[Service]
ExecStart=/usr/bin/kubelet
Restart=always

[Install]
WantedBy=multi-user.target
`;
const kubeadmDropin = (extra: string) => `# Note: This dropin only works with kubeadm and kubelet v1.11+
[Service]
Environment="KUBELET_KUBECONFIG_ARGS=--bootstrap-kubeconfig=/etc/kubernetes/bootstrap-kubelet.conf --kubeconfig=/etc/kubernetes/kubelet.conf"
Environment="KUBELET_CONFIG_ARGS=--config=/var/lib/kubelet/config.yaml"
EnvironmentFile=-/var/lib/kubelet/kubeadm-flags.env
EnvironmentFile=-${extra}
ExecStart=
ExecStart=/usr/bin/kubelet $KUBELET_KUBECONFIG_ARGS $KUBELET_CONFIG_ARGS $KUBELET_KUBEADM_ARGS $KUBELET_EXTRA_ARGS
`;
const HEAD = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';
const SOCKET = '/run/containerd/containerd.sock';
const FLAGS = '/var/lib/kubelet/kubeadm-flags.env';
const flagsFile = (endpoint: string) =>
  `KUBELET_KUBEADM_ARGS="--container-runtime-endpoint=${endpoint} --pod-infra-container-image=registry.example.com/pause:3.10"\n`;

const kubeadm = (extra: string): AMachine => ({
  runtime: 'containerd',
  units: ['containerd.service', 'kubelet.service'],
  paths: [SOCKET],
  files: {
    '/usr/lib/systemd/system/kubelet.service': KUBEADM_UNIT,
    '/usr/lib/systemd/system/kubelet.service.d/10-kubeadm.conf': kubeadmDropin(extra),
    [FLAGS]: flagsFile(`unix://${SOCKET}`),
    '/var/lib/kubelet/config.yaml': `${HEAD}containerRuntimeEndpoint: ""\nmaxPods: 110\n`,
  },
});
const DEBIAN = kubeadm('/etc/default/kubelet');
const RHEL = kubeadm('/etc/sysconfig/kubelet');
const K3S: AMachine = {
  units: ['k3s.service'],
  paths: ['/run/k3s/containerd/containerd.sock'],
  files: {
    '/etc/systemd/system/k3s.service':
      "[Service]\nEnvironmentFile=-/etc/default/%N\nEnvironmentFile=-/etc/systemd/system/k3s.service.env\nExecStartPre=-/sbin/modprobe br_netfilter\nExecStart=/usr/local/bin/k3s \\\n    server \\\n\t'--disable' \\\n\t'traefik' $K3S_ARGS\n",
  },
};

const judge = (files: { readonly [path: string]: string }, machine: AMachine) =>
  judged(aChange({}, filesOf(files)), machine);

describe('a file with variables of the kubelet’s unit', () => {
  it.each<[string, AMachine, { readonly [path: string]: string }, string]>([
    [
      'kubeadm’s flags name a socket that is not there',
      DEBIAN,
      { [FLAGS]: flagsFile('unix:///run/nothere.sock') },
      'its --container-runtime-endpoint is /run/nothere.sock, which does not exist on the node, and nothing of the config creates it (this node runs containerd)',
    ],
    [
      'the extra flags of Debian do',
      DEBIAN,
      {
        '/etc/default/kubelet': 'KUBELET_EXTRA_ARGS=--container-runtime-endpoint=unix:///run/nothere.sock\n',
      },
      'its --container-runtime-endpoint is /run/nothere.sock',
    ],
    [
      'the extra flags of RHEL do',
      RHEL,
      {
        '/etc/sysconfig/kubelet':
          "KUBELET_EXTRA_ARGS='--v=2 --container-runtime-endpoint /var/run/crio/crio.sock'\n",
      },
      'its --container-runtime-endpoint is /var/run/crio/crio.sock',
    ],
    [
      'k3s gets one',
      K3S,
      { '/etc/default/k3s': 'K3S_ARGS=--container-runtime-endpoint=/run/nothere.sock\n' },
      'k3s.service: its --container-runtime-endpoint is /run/nothere.sock',
    ],
    [
      'a number is none',
      DEBIAN,
      { '/etc/default/kubelet': 'KUBELET_EXTRA_ARGS=--max-pods=abc\n' },
      'in its command, --max-pods must be a number, but is "abc", so the kubelet would not start',
    ],
    [
      'a number is impossible',
      DEBIAN,
      { '/etc/default/kubelet': 'KUBELET_EXTRA_ARGS=--max-pods=-5\n' },
      'kubelet.service: with it, the kubelet would not start: maxPods must not be negative, but is -5',
    ],
    [
      'a label is not the kubelet’s to set',
      RHEL,
      { '/etc/sysconfig/kubelet': 'KUBELET_EXTRA_ARGS=--node-labels=node-role.kubernetes.io/infra=\n' },
      '--node-labels has node-role.kubernetes.io/infra, which a kubelet must not set on its node',
    ],
    [
      'an open quote swallows the next line',
      DEBIAN,
      { '/etc/default/kubelet': 'KUBELET_EXTRA_ARGS="--v=2\nOTHER=1\n' },
      'in its command, "OTHER=1" belongs to no flag of the kubelet',
    ],
    [
      'k3s hands on a bad flag',
      K3S,
      { '/etc/default/k3s': 'K3S_ARGS=--kubelet-arg=max-pods=many\n' },
      'k3s.service: in its command, --max-pods must be a number, but is "many"',
    ],
  ])('is refused where %s', (_, machine, files, why) => {
    expect(judge(files, machine).refusals).toEqual([expect.stringContaining(why)]);
  });

  it.each<[string, AMachine, { readonly [path: string]: string }]>([
    ['names the socket of the node', DEBIAN, { [FLAGS]: flagsFile(`unix://${SOCKET}`) }],
    [
      'has other flags',
      RHEL,
      {
        '/etc/sysconfig/kubelet':
          'KUBELET_EXTRA_ARGS="--node-labels=a/b=c,node.kubernetes.io/x=y --max-pods=50"\n',
      },
    ],
    [
      'is not one of this unit',
      DEBIAN,
      { '/etc/sysconfig/kubelet': 'KUBELET_EXTRA_ARGS=--container-runtime-endpoint=/run/nothere.sock\n' },
    ],
    [
      'has the variable commented out',
      DEBIAN,
      { '/etc/default/kubelet': '#KUBELET_EXTRA_ARGS=--max-pods=abc\n' },
    ],
    ['is for k3s', K3S, { '/etc/default/k3s': 'K3S_ARGS="--kubelet-arg=max-pods=50 --node-name a"\n' }],
  ])('is accepted where it %s', (_, machine, files) => {
    expect(judge(files, machine).refusals).toEqual([]);
  });

  it('is judged behind a program that starts the kubelet, and not where the command is a script', () => {
    const started = (command: string): AMachine => ({
      paths: [SOCKET, '/usr/bin/kubelet', '/usr/local/bin/kubenswrapper', '/bin/bash', '/opt/start'],
      files: {
        '/usr/lib/systemd/system/kubelet.service': `[Service]\nEnvironmentFile=-/etc/default/kubelet\nExecStart=${command} $KUBELET_EXTRA_ARGS\n`,
      },
    });
    const wrapped = started('/usr/local/bin/kubenswrapper /usr/bin/kubelet --v=2');
    const extra = (flags: string) => ({ '/etc/default/kubelet': `KUBELET_EXTRA_ARGS=${flags}\n` });
    expect(judge(extra('--max-pods=50'), wrapped).refusals).toEqual([]);
    expect(judge(extra('--max-pods=abc'), wrapped).refusals).toEqual([
      expect.stringContaining('kubelet.service: in its command, --max-pods must be a number, but is "abc"'),
    ]);
    for (const script of ['/bin/bash /opt/start', '/opt/start', '/opt/start --root-dir /var/lib/kubelet']) {
      expect(judge(extra('--max-pods=abc word'), started(script))).toEqual({ refusals: [], warnings: [] });
    }
  });

  it('is a warning with a flag that is not known here', () => {
    const files = { '/etc/default/kubelet': 'KUBELET_EXTRA_ARGS=--brand-new=1\n' };
    expect(judge(files, DEBIAN).warnings).toContain(
      'kubelet.service: in its command, --brand-new is no flag of a kubelet that is known here',
    );
    expect(judge(files, DEBIAN).refusals).toEqual([]);
  });

  it('is missing although the unit needs it, and that is refused', () => {
    const path = '/etc/systemd/system/kubelet.service.d/20-more.conf';
    expect(judge({ [path]: '[Service]\nEnvironmentFile=/etc/kubelet.env\n' }, DEBIAN).refusals).toEqual([
      'kubelet.service: its EnvironmentFile /etc/kubelet.env is neither on the node nor in the config, so systemd does not start it (write the file, or make it optional: EnvironmentFile=-/etc/kubelet.env)',
    ]);
    const both = { [path]: '[Service]\nEnvironmentFile=/etc/kubelet.env\n', '/etc/kubelet.env': 'A=1\n' };
    expect(judge(both, DEBIAN).refusals).toEqual([]);
  });

  it('is judged by what the node runs with: a problem that it has already is not the update’s', () => {
    const files = { '/etc/default/kubelet': 'KUBELET_EXTRA_ARGS="--max-pods=-5 --v=2"\n' };
    const machine = {
      ...DEBIAN,
      files: { ...DEBIAN.files, '/etc/default/kubelet': 'KUBELET_EXTRA_ARGS=--max-pods=-5\n' },
    };
    expect(judge(files, machine).refusals).toEqual([]);
  });
});

describe('the configuration that a kubelet of kubeadm will have', () => {
  const DIR = '/etc/kubernetes/kubelet.conf.d';
  const withDropIns = (files: { readonly [path: string]: string } = {}): AMachine => ({
    ...DEBIAN,
    files: { ...DEBIAN.files, '/etc/default/kubelet': `KUBELET_EXTRA_ARGS=--config-dir=${DIR}\n`, ...files },
  });

  it.each<[string, { readonly [path: string]: string }, string]>([
    [
      'an impossible number in its file',
      { '/var/lib/kubelet/config.yaml': `${HEAD}maxPods: -5\n` },
      '/var/lib/kubelet/config.yaml: with it, the kubelet would not start: maxPods must not be negative, but is -5 (correct the value)',
    ],
    [
      'an impossible threshold in a drop-in',
      { [`${DIR}/a.conf`]: `${HEAD}evictionHard:\n  memory.available: foo\n` },
      `${DIR}/a.conf: with it, the kubelet would not start: evictionHard[memory.available] is "foo", which is no quantity, as 500Mi is (correct the value)`,
    ],
    [
      'a value of the wrong type',
      { [`${DIR}/a.conf`]: `${HEAD}maxPods: many\n` },
      'maxPods: must be a whole number of 32 bits (given: "many"), so the kubelet would not start',
    ],
    [
      'parallel pulls in a drop-in, which are serial by default',
      { [`${DIR}/a.conf`]: `${HEAD}maxParallelImagePulls: 5\n` },
      'maxParallelImagePulls must not be larger than 1, but is 5, unless serializeImagePulls is false',
    ],
    [
      'a key twice in a drop-in',
      { [`${DIR}/a.conf`]: `${HEAD}maxPods: 5\nmaxPods: 6\n` },
      'it has maxPods twice, which a kubelet does not accept in a drop-in',
    ],
    [
      'a threshold that fits only to another one',
      { [`${DIR}/a.conf`]: `${HEAD}imageGCHighThresholdPercent: 70\n` },
      'imageGCLowThresholdPercent must be less than imageGCHighThresholdPercent, but they are 80 and 70',
    ],
  ])('is refused with %s', (_, files, why) => {
    expect(judge(files, withDropIns()).refusals).toEqual([expect.stringContaining(why)]);
  });

  it('is accepted where another file of the node fits to the drop-in', () => {
    const files = { [`${DIR}/a.conf`]: `${HEAD}imageGCHighThresholdPercent: 70\n` };
    const machine = withDropIns({ [`${DIR}/0.conf`]: `${HEAD}imageGCLowThresholdPercent: 60\n` });
    expect(judge(files, machine).refusals).toEqual([]);
  });

  it('is a warning with a field that is not known here', () => {
    const files = { [`${DIR}/a.conf`]: `${HEAD}maxPodz: 70\n` };
    expect(judge(files, withDropIns())).toMatchObject({
      refusals: [],
      warnings: [
        `${DIR}/a.conf: maxPodz is no field that is known here; kubelets pass over what they do not know`,
      ],
    });
  });
});
