import { describe, expect, it } from 'vitest';
import { aNodeConfig, type NodeConfigParts } from '../../../test/support/a-node-config.ts';
import { type AMachine, aChange, aFile, filesOf, judged } from '../../../test/support/a-preflight.ts';
import { baseCoreos } from '../../../test/support/base-coreos.ts';

const UNIT = '/usr/lib/systemd/system/kubelet.service';
const EXTRA = '/etc/default/kubelet';
const CONFIG = '/etc/kubernetes/config.yaml';
const KUBECONFIG = '/etc/kubernetes/kubeconfig';
const HEAD = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';
const unit = (more = '') =>
  `[Service]\nEnvironmentFile=-${EXTRA}\n${more}ExecStart=/usr/bin/kubelet --config=${CONFIG} --kubeconfig=${KUBECONFIG} $ARGS\n`;
const NODE: AMachine = {
  paths: ['/usr/bin', '/usr/bin/kubelet', KUBECONFIG, CONFIG],
  files: { [UNIT]: unit(), [CONFIG]: HEAD },
};
const args = (flags: string) => ({ [EXTRA]: `ARGS="${flags}"\n` });
const judge = (files: { readonly [path: string]: string }, machine: AMachine = NODE) =>
  judged(aChange({}, filesOf(files)), machine);

describe('a file that the kubelet is started with', () => {
  it.each([
    [
      'its configuration',
      '--config=/etc/none.yaml',
      'its --config is /etc/none.yaml, which neither the node nor the config has, so the kubelet would not start (write the file, or name the one that the node has)',
    ],
    [
      'the folder of its drop-ins',
      '--config-dir=/etc/none.d/',
      'its --config-dir is /etc/none.d, which neither the node nor the config has, so the kubelet would not start (write a drop-in there, remove the flag, or create the folder: ExecStartPre=/usr/bin/mkdir --parents /etc/none.d)',
    ],
    [
      'its credentials',
      '--kubeconfig=/etc/none.conf',
      'its --kubeconfig is /etc/none.conf, which neither the node nor the config has, so the kubelet would not start (name the one that the node has: --kubeconfig=/etc/kubernetes/kubeconfig)',
    ],
    [
      'both its credentials and those to get some with',
      '--kubeconfig=/etc/none.conf --bootstrap-kubeconfig=/etc/none2.conf',
      'its --kubeconfig is /etc/none.conf and its --bootstrap-kubeconfig is /etc/none2.conf, which neither the node nor the config has',
    ],
  ])('is refused where it does not exist: %s', (_, flags, why) => {
    expect(judge(args(flags)).refusals).toEqual([expect.stringContaining(`kubelet.service: ${why}`)]);
  });

  it.each<[string, { readonly [path: string]: string }, AMachine]>([
    ['the config writes it', { ...args('--config=/etc/none.yaml'), '/etc/none.yaml': HEAD }, NODE],
    [
      'the config writes into the folder',
      { ...args('--config-dir=/etc/none.d'), '/etc/none.d/a.conf': HEAD },
      NODE,
    ],
    [
      'the folder is there',
      args('--config-dir=/etc/some.d'),
      { ...NODE, paths: [...(NODE.paths ?? []), '/etc/some.d'] },
    ],
    [
      'the unit makes the folder',
      args('--config-dir=/etc/none.d'),
      { ...NODE, files: { ...NODE.files, [UNIT]: unit('ExecStartPre=/usr/bin/mkdir -p /etc/none.d\n') } },
    ],
    [
      'systemd makes folders for the unit',
      args('--config-dir=/etc/none.d'),
      { ...NODE, files: { ...NODE.files, [UNIT]: unit('ConfigurationDirectory=none.d\n') } },
    ],
    [
      'the credentials to get others with are there',
      args('--kubeconfig=/etc/none.conf --bootstrap-kubeconfig=/etc/b.conf'),
      { ...NODE, paths: [...(NODE.paths ?? []), '/etc/b.conf'] },
    ],
    [
      'only the credentials to get others with are missing',
      args('--bootstrap-kubeconfig=/etc/none.conf'),
      NODE,
    ],
    ['the machine is not seen', args('--config=/etc/none.yaml'), { ...NODE, paths: [] }],
    ['it comes with another OS', args('--config=/etc/none.yaml'), { ...NODE, nextOs: 'unknown' }],
    [
      'the kubelet runs without it now',
      { ...args('--config=/etc/none.yaml --v=2') },
      { ...NODE, files: { ...NODE.files, ...args('--config=/etc/none.yaml') } },
    ],
    [
      'the kubelet has had no credentials',
      args('--kubeconfig=/etc/none.conf'),
      { ...NODE, files: { ...NODE.files, [UNIT]: unit().replace(/ --kubeconfig=\S+/, '') } },
    ],
    [
      'a file of variables is not known',
      args('--config=/etc/none.yaml'),
      {
        ...NODE,
        paths: [...(NODE.paths ?? []), '/etc/more'],
        files: { ...NODE.files, [UNIT]: unit('EnvironmentFile=/etc/more\n') },
      },
    ],
  ])('is accepted where %s', (_, files, machine) => {
    const { refusals, warnings } = judge(files, machine);
    expect(refusals).toEqual([]);
    expect(warnings.filter((text) => text.includes('which neither'))).toEqual([]);
  });

  it('is a warning where a unit or a list of temporary files of the update may make it', () => {
    const to = (more: NodeConfigParts): NodeConfigParts => ({
      ...filesOf(args('--config-dir=/etc/none.d')),
      ...more,
    });
    const units = [{ name: 'a.service', contents: '[Service]\nExecStart=/usr/bin/mkdir /etc/none.d\n' }];
    const files = [
      aFile('/etc/tmpfiles.d/a.conf', 'd /etc/none.d 0755\n'),
      aFile(EXTRA, args('--config-dir=/etc/none.d')[EXTRA] ?? ''),
    ];
    for (const parts of [{ systemd: { units } }, { storage: { files } }]) {
      const found = judged(aChange({}, to(parts)), NODE);
      expect(found.refusals).toEqual([]);
      expect(found.warnings).toContainEqual(
        expect.stringContaining('its --config-dir is /etc/none.d, which neither'),
      );
    }
  });
});

describe('base coreos on a node whose kubelet has its credentials elsewhere', () => {
  const machine: AMachine = {
    ...NODE,
    runtime: 'cri-o',
    units: ['crio.service'],
    files: { ...NODE.files, '/etc/os-release': 'ID=fedora\n' },
  };
  const judgeBase = (more: readonly string[]) =>
    judged(aChange(aNodeConfig('mco-empty-mc'), baseCoreos()), {
      ...machine,
      paths: [...(NODE.paths ?? []).filter((path) => path !== KUBECONFIG), '/etc/other', ...more],
      files: { ...machine.files, [UNIT]: unit().replace(KUBECONFIG, '/etc/other') },
    });

  it('is refused, although it brings units of its own, and is accepted where they are at their place', () => {
    expect(judgeBase([]).refusals).toEqual([
      'kubelet.service: its --kubeconfig is /var/lib/kubelet/kubeconfig and its --bootstrap-kubeconfig is /etc/kubernetes/kubeconfig, which neither the node nor the config has, so the kubelet would not start (name the one that the node has: --kubeconfig=/etc/other)',
    ]);
    for (const path of ['/var/lib/kubelet/kubeconfig', '/etc/kubernetes/kubeconfig']) {
      expect(judgeBase([path]).refusals).toEqual([]);
      expect(judgeBase([path]).warnings.filter((text) => text.includes('which neither'))).toEqual([]);
    }
  });
});

describe('a certificate that the configuration of the kubelet names', () => {
  const x509 = (path: string) => `${HEAD}authentication:\n  x509:\n    clientCAFile: ${path}\n`;

  it.each([
    ['authentication.x509.clientCAFile', x509('/etc/none.crt')],
    ['tlsCertFile', `${HEAD}tlsCertFile: /etc/none.crt\n`],
    ['tlsPrivateKeyFile', `${HEAD}tlsPrivateKeyFile: /etc/none.crt\n`],
  ])('is refused where it does not exist: %s', (name, text) => {
    expect(judge({ [CONFIG]: text }).refusals).toEqual([
      `${CONFIG}: with it, the kubelet would not start: ${name} is /etc/none.crt, which neither the node nor the config has (write the file, or name the one that the node has)`,
    ]);
  });

  it('is accepted where it is there, in the config, there already in the file before, or synced by the daemon', () => {
    const paths = [...(NODE.paths ?? []), '/etc/some.crt'];
    expect(judge({ [CONFIG]: x509('/etc/some.crt') }, { ...NODE, paths }).refusals).toEqual([]);
    expect(judge({ [CONFIG]: x509('/etc/none.crt'), '/etc/none.crt': 'x' }).refusals).toEqual([]);
    const before = { ...NODE.files, [CONFIG]: x509('/etc/none.crt') };
    expect(
      judge({ [CONFIG]: `${x509('/etc/none.crt')}maxPods: 5\n` }, { ...NODE, files: before }).refusals,
    ).toEqual([]);
    expect(judge({ [CONFIG]: x509('/etc/kubernetes/kubelet-ca.crt') }).refusals).toEqual([]);
    expect(judge({ [CONFIG]: x509('ca.crt') }).refusals).toEqual([]);
  });
});
