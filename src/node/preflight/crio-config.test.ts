import { describe, expect, it } from 'vitest';
import { aNodeConfig, type NodeConfigParts } from '../../../test/support/a-node-config.ts';
import { type AMachine, aChange, aFile, filesOf, judged } from '../../../test/support/a-preflight.ts';
import { baseCoreos } from '../../../test/support/base-coreos.ts';

const UNIT = '/usr/lib/systemd/system/crio.service';
const service = (command: string, more = '') =>
  `[Service]\nEnvironmentFile=-/etc/sysconfig/crio\n${more}ExecStart=${command}\n`;
const DROPIN = '/etc/crio/crio.conf.d/00-default';
const OTHER = '/etc/crio/crio.conf.d/99-x';
const RUNC = `[crio.runtime]
default_runtime = "runc"
[crio.runtime.runtimes.runc]
runtime_path = "/usr/libexec/runc"
monitor_path = "/usr/libexec/conmon"
`;

/** It runs `runc`, has no `crun`, and its monitor is in no folder of PATH. */
const NODE: AMachine = {
  runtime: 'cri-o',
  runtimeVersion: '1.34.0',
  units: ['crio.service'],
  paths: ['/usr/bin', '/usr/bin/crio', '/usr/bin/pinns', '/usr/libexec/runc', '/usr/libexec/conmon'],
  files: { [UNIT]: service('/usr/bin/crio $CRIO_CONFIG_OPTIONS'), [DROPIN]: RUNC },
};
const withPaths = (...paths: readonly string[]): AMachine => ({
  ...NODE,
  paths: [...(NODE.paths ?? []), ...paths],
});
const judge = (files: { readonly [path: string]: string }, machine: AMachine = NODE) =>
  judged(aChange({}, filesOf(files)), machine);
const refusals = (files: { readonly [path: string]: string }, machine: AMachine = NODE) =>
  judge(files, machine).refusals;

const NO_CRUN =
  "no file sets default_runtime, so it is crun, which is in no folder of CRI-O's PATH, so cri-o would not run pods (install crun, or set default_runtime and its runtime_path to a program that the node has)";

describe('base coreos on a node with CRI-O', () => {
  const judgeBase = (machine: AMachine) =>
    judged(aChange(aNodeConfig('mco-empty-mc'), baseCoreos()), machine);

  it('is refused where it replaces the file that names the runtime, and the node has no crun', () => {
    const { refusals: found } = judgeBase(NODE);
    expect(found).toEqual([`${DROPIN}: ${NO_CRUN}`]);
  });

  it.each<[string, AMachine]>([
    ['crun and conmon are in PATH', withPaths('/usr/bin/crun', '/usr/bin/conmon')],
    [
      'another file of the node names the runtime',
      { ...NODE, files: { ...NODE.files, '/etc/crio/crio.conf.d/10-crio.conf': RUNC } },
    ],
    [
      'CRI-O is of a version that has runc itself',
      { ...withPaths('/usr/sbin/runc', '/usr/bin/conmon'), runtimeVersion: '1.30.4' },
    ],
    ['another OS comes with it', { ...NODE, nextOs: 'unknown' }],
    ['the programs of the machine are not seen', { ...NODE, paths: [] }],
  ])('is accepted where %s', (_, machine) => {
    const { refusals: found, warnings } = judgeBase(machine);
    expect(found).toEqual([]);
    expect(warnings.filter((text) => text.includes('neither the node'))).toEqual([]);
  });
});

describe('a default runtime of CRI-O', () => {
  const named = (name: string, lines = '') =>
    `[crio.runtime]\ndefault_runtime = "${name}"\n[crio.runtime.runtimes.${name}]\n${lines}\n`;

  it.each<[string, { readonly [path: string]: string }, string]>([
    [
      'without its program',
      { [OTHER]: named('kata', 'runtime_path = "/opt/kata"\nmonitor_path = "/usr/libexec/conmon"') },
      'the default runtime kata has the runtime_path /opt/kata, which neither the node nor the config has, so cri-o would not run pods (install it, or name a program that the node has)',
    ],
    [
      'that is in no folder of PATH',
      { [OTHER]: named('kata') },
      "the default runtime kata has no runtime_path, and is in no folder of CRI-O's PATH, so cri-o would not run pods (install kata, or set default_runtime and its runtime_path to a program that the node has)",
    ],
    [
      'without a table',
      { [OTHER]: '[crio.runtime]\ndefault_runtime = "kata"\n' },
      'default_runtime is "kata", and no file has a table [crio.runtime.runtimes.kata], so cri-o would not run pods (correct it)',
    ],
    [
      'whose table loses its path',
      { [OTHER]: '[crio.runtime.runtimes.runc]\nmonitor_path = "/usr/libexec/conmon"\n' },
      "the default runtime runc has no runtime_path, and is in no folder of CRI-O's PATH",
    ],
    [
      'without its monitor',
      { [OTHER]: named('runc', 'runtime_path = "/usr/libexec/runc"\nmonitor_path = "/none/conmon"') },
      'monitor_path of the runtime runc is /none/conmon, which neither the node nor the config has, so cri-o would not run pods (install it, or name the place of conmon on the node)',
    ],
    [
      'whose monitor is in no folder of PATH',
      { [OTHER]: named('runc', 'runtime_path = "/usr/libexec/runc"') },
      "monitor_path of the runtime runc is not set, and no folder of CRI-O's PATH has conmon, so cri-o would not run pods (set it to the place of conmon, or install conmon)",
    ],
    [
      'with a monitor that is no absolute path',
      { [OTHER]: named('runc', 'runtime_path = "/usr/libexec/runc"\nmonitor_path = "conmon"') },
      'monitor_path of the runtime runc is conmon, and must be an absolute path',
    ],
    [
      'with a conmon that is missing',
      { [OTHER]: '[crio.runtime]\nconmon = "/none/conmon"\n' },
      'conmon is /none/conmon, which neither the node nor the config has',
    ],
    [
      'with a pinns that is missing',
      { [OTHER]: '[crio.runtime]\npinns_path = "/none/pinns"\n' },
      'pinns_path is /none/pinns, which neither the node nor the config has',
    ],
  ])('is refused %s', (_, files, why) => {
    expect(refusals(files)).toEqual([expect.stringContaining(`${OTHER}: ${why}`)]);
  });

  it.each<[string, { readonly [path: string]: string }, AMachine]>([
    [
      'whose program is there',
      { [OTHER]: named('kata', 'runtime_path = "/opt/kata"\nmonitor_path = "/usr/libexec/conmon"') },
      withPaths('/opt/kata'),
    ],
    [
      'that is in PATH',
      { [OTHER]: named('kata', 'monitor_path = "/usr/libexec/conmon"') },
      withPaths('/usr/local/bin/kata'),
    ],
    [
      'whose monitor is in PATH',
      { [OTHER]: named('runc', 'runtime_path = "/usr/libexec/runc"') },
      withPaths('/usr/bin/conmon'),
    ],
    [
      'that another file names later',
      { [OTHER]: named('kata'), '/etc/crio/crio.conf.d/99-y': '[crio.runtime]\ndefault_runtime = "runc"\n' },
      NODE,
    ],
    ['that stays', { [OTHER]: '[crio.runtime]\npids_limit = 5\n' }, NODE],
    [
      'beside one without its program and monitor',
      { [OTHER]: '[crio.runtime.runtimes.kata]\nruntime_path = "/opt/kata"\nmonitor_path = "/none"\n' },
      NODE,
    ],
    [
      'of a VM, which needs no monitor',
      { [OTHER]: named('kata', 'runtime_path = "/opt/kata"\nruntime_type = "vm"') },
      withPaths('/opt/kata'),
    ],
    [
      'by a relative path, of which nothing is known',
      { [OTHER]: named('kata', 'runtime_path = "kata"') },
      NODE,
    ],
  ])('is accepted %s', (_, files, machine) => {
    expect(refusals(files, machine)).toEqual([]);
  });

  it('is refused by another runtime that has its program, but not its monitor', () => {
    const files = {
      [OTHER]: '[crio.runtime.runtimes.kata]\nruntime_path = "/opt/kata"\nmonitor_path = "/none"\n',
    };
    expect(refusals(files, withPaths('/opt/kata'))).toEqual([
      expect.stringContaining('monitor_path of the runtime kata is /none, which neither'),
    ]);
  });

  it('is accepted with its program in the config, and refused where nobody can execute that', () => {
    const text = named('kata', 'runtime_path = "/opt/kata"\nmonitor_path = "/usr/libexec/conmon"');
    const to = (mode: number): NodeConfigParts => ({
      storage: { files: [aFile(OTHER, text), { ...aFile('/opt/kata', '#!/bin/sh\n'), mode }] },
    });
    expect(judged(aChange({}, to(0o755)), NODE).refusals).toEqual([]);
    expect(judged(aChange({}, to(0o644)), NODE).refusals).toEqual([
      `${OTHER}: the config writes /opt/kata with mode 0644, with which nobody can execute it, so cri-o would not run pods (set mode 0755)`,
    ]);
    // The file may be written by itself, and others in PATH do.
    const alone = (path: string) => ({
      storage: { files: [{ ...aFile(path, '#!/bin/sh\n'), mode: 0o644 }] },
    });
    expect(judged(aChange({}, alone('/usr/libexec/runc')), NODE).refusals).toEqual([
      expect.stringContaining('crio.service: the config writes /usr/libexec/runc with mode 0644'),
    ]);
    expect(judged(aChange({}, alone('/usr/local/bin/pinns')), NODE).refusals).toEqual([]);
  });

  it('is a warning where a unit of the update may install it', () => {
    const units = [
      { name: 'kata.service', contents: '[Service]\nExecStart=/bin/sh -c "curl https://a | tar x"\n' },
    ];
    const found = judged(aChange({}, { ...filesOf({ [OTHER]: named('kata') }), systemd: { units } }), NODE);
    expect(found.refusals).toEqual([]);
    expect(found.warnings).toContainEqual(
      expect.stringContaining(`${OTHER}: the default runtime kata has no runtime_path`),
    );
  });

  it('is named on one line, whatever its name is', () => {
    const text = '[crio.runtime]\ndefault_runtime = "a\\nb"\n';
    expect(refusals({ [OTHER]: text })).toEqual([
      expect.stringContaining(
        'default_runtime is "a\\nb", and no file has a table [crio.runtime.runtimes.a\\x0ab]',
      ),
    ]);
  });

  it('is no news where the node runs with it already', () => {
    const files = { ...NODE.files, [OTHER]: named('kata') };
    expect(refusals({ [DROPIN]: '[crio.image]\n' }, { ...NODE, files })).toEqual([]);
    expect(refusals({ '/etc/motd': 'x' }, { ...NODE, files })).toEqual([]);
  });

  it('is not judged where a file leaves the config, from before which another may come back', () => {
    const change = aChange(filesOf({ [OTHER]: RUNC }), filesOf({ [DROPIN]: '[crio.image]\n' }));
    expect(judged(change, NODE).refusals).toEqual([]);
  });
});

describe('the command of CRI-O', () => {
  const started = (
    command: string,
    more = '',
    files: { readonly [path: string]: string } = {},
  ): AMachine => ({
    ...NODE,
    files: { ...NODE.files, [UNIT]: service(command, more), ...files },
  });
  const EMPTY = { [DROPIN]: '[crio.image]\n' };

  it.each<[string, AMachine]>([
    ['is started by another program', started('/usr/local/bin/kubenswrapper /usr/bin/crio')],
    [
      'has flags that say nothing of runtimes',
      started('/usr/bin/crio $OPTIONS', 'Environment="OPTIONS=--log-level debug"\n'),
    ],
    ['has a PATH of its own', started('/usr/bin/crio', 'Environment=PATH=/opt/bin:/usr/bin\n')],
  ])('is known where it %s', (_, machine) => {
    expect(refusals(EMPTY, machine)).toEqual([expect.stringContaining('no file sets default_runtime')]);
  });

  it.each<[string, AMachine]>([
    ['names the runtime', started('/usr/bin/crio --default-runtime=runc')],
    ['names runtimes in a variable', started('/usr/bin/crio', 'Environment=CONTAINER_RUNTIMES=crun:/a:/b\n')],
    [
      'gets flags from a file that names the runtime',
      started('/usr/bin/crio $O', '', { '/etc/sysconfig/crio': 'O="--default-runtime runc"\n' }),
    ],
    [
      'gets flags from a file that cannot be read',
      { ...started('/usr/bin/crio $O'), paths: [...(NODE.paths ?? []), '/etc/sysconfig/crio'] },
    ],
    ['reads another folder', started('/usr/bin/crio --config-dir=/opt/crio.d')],
    ['looks for programs elsewhere', started('/usr/bin/crio', 'ExecSearchPath=/opt/bin\n')],
    ['is a script', started('/opt/start-crio')],
  ])('is not judged where it %s', (_, machine) => {
    expect(refusals(EMPTY, machine)).toEqual([]);
  });

  it('is followed to its own PATH and to its own folder', () => {
    const machine = started('/usr/bin/crio -d /opt/crio.d', 'Environment=PATH=/opt/bin\n');
    const paths = [...(NODE.paths ?? []), '/opt/bin/crun', '/opt/bin/conmon', '/opt/bin/pinns'];
    const file = {
      '/opt/crio.d/a': '[crio.runtime]\ndefault_runtime = "kata"\n[crio.runtime.runtimes.kata]\n',
    };
    expect(refusals(file, { ...machine, paths })).toEqual([
      expect.stringContaining('/opt/crio.d/a: the default runtime kata has no runtime_path'),
    ]);
    expect(refusals({ '/opt/crio.d/a': '[crio.runtime]\npids_limit = 5\n' }, { ...machine, paths })).toEqual(
      [],
    );
  });

  it('is refused with a file that does not exist, where a flag names it', () => {
    const units = [
      {
        name: 'crio.service',
        dropins: [
          { name: 'a.conf', contents: '[Service]\nExecStart=\nExecStart=/usr/bin/crio -c /etc/none.conf\n' },
        ],
      },
    ];
    expect(judged(aChange({}, { systemd: { units } }), NODE).refusals).toEqual([
      'crio.service: its --config is /etc/none.conf, which neither the node nor the config has, so cri-o would not run pods (write the file, or remove the flag)',
    ]);
    expect(
      judged(aChange({}, { systemd: { units }, ...filesOf({ '/etc/none.conf': '' }) }), NODE).refusals,
    ).toEqual([]);
  });
});

describe('values of CRI-O', () => {
  it.each([
    ['log_level = "loud"', 'log_level is "loud", and must be one of fatal, panic'],
    ['cgroup_manager = "x"', 'cgroup_manager is "x", and must be one of systemd, cgroupfs'],
  ])('are refused: %s', (line, why) => {
    expect(refusals({ [OTHER]: `[crio.runtime]\n${line}\n` })).toEqual([
      expect.stringMatching(new RegExp(`^${OTHER}: ${why}.*, so cri-o would not run pods \\(correct it\\)$`)),
    ]);
  });

  it('are refused by their types in each file, also on a node of which nothing else is known', () => {
    expect(refusals({ [OTHER]: '[crio.api]\nstream_port = 0\n' }, {})).toEqual([
      `${OTHER}: crio.api.stream_port must be a text in quotes, so cri-o would not run pods (correct it)`,
    ]);
    expect(refusals({ [OTHER]: '[crio.api]\nstream_port = 0\n' }, { runtime: 'containerd' })).toEqual([]);
  });

  it('are no matter on a node that runs containerd', () => {
    expect(
      refusals({ [OTHER]: '[crio.runtime]\nlog_level = "loud"\n' }, { ...NODE, runtime: 'containerd' }),
    ).toEqual([]);
  });

  it('are not judged where a flag sets them', () => {
    const files = { ...NODE.files, [UNIT]: service('/usr/bin/crio -l debug') };
    expect(refusals({ [OTHER]: '[crio.runtime]\nlog_level = "loud"\n' }, { ...NODE, files })).toEqual([]);
  });
});
