import { describe, expect, it } from 'vitest';
import type { NodeConfigParts } from '../../../test/support/a-node-config.ts';
import { type AMachine, aChange, aFile, judged } from '../../../test/support/a-preflight.ts';

const service = (command: string) => `[Service]\nExecStart=${command}\n`;
const unit = (name: string, command: string): NodeConfigParts => ({
  systemd: { units: [{ name, enabled: true, contents: service(command) }] },
});
const dropin = (command: string): NodeConfigParts => ({
  systemd: {
    units: [
      {
        name: 'kubelet.service',
        dropins: [{ name: 'a.conf', contents: `[Service]\nExecStart=\nExecStart=${command}\n` }],
      },
    ],
  },
});
const KUBELET = '/usr/lib/systemd/system/kubelet.service';
const judge = (to: NodeConfigParts, machine: AMachine = {}) => judged(aChange({}, to), machine);

describe('a program that does not exist on the node', () => {
  const machine: AMachine = {
    runtime: 'containerd',
    units: ['kubelet.service'],
    paths: ['/usr/bin', '/usr/bin/kubelet', '/usr/bin/containerd'],
    files: {
      [KUBELET]: service('/usr/bin/kubelet'),
      '/lib/systemd/system/containerd.service': service('/usr/bin/containerd'),
      '/lib/systemd/system/crio.service': service('/usr/bin/crio'),
    },
  };

  it.each<[string, NodeConfigParts, string]>([
    [
      'of the unit of the kubelet',
      unit('kubelet.service', '/usr/bin/gone'),
      'kubelet.service: its program /usr/bin/gone does not exist on the node, so the kubelet would not start',
    ],
    [
      'of a drop-in of the kubelet, in a folder that is missing too',
      dropin('/opt/none/kubelet --v=2'),
      'kubelet.service: its program /opt/none/kubelet does not exist on the node, so the kubelet would not start',
    ],
    [
      'of the container runtime of the node',
      unit('containerd.service', '/usr/bin/gone'),
      'containerd.service: its program /usr/bin/gone does not exist on the node, so the container runtime would not start',
    ],
  ])('is refused: %s', (_, to, text) => {
    expect(judge(to, machine)).toMatchObject({
      refusals: [`${text} (correct ExecStart, or have the config write the program)`],
      warnings: [],
    });
  });

  it('is a warning for a unit that is new on the node, and for a runtime that the node does not run', () => {
    const warnings = [expect.stringContaining('its program /usr/bin/gone does not exist on the node')];
    expect(judge(unit('k3s.service', '/usr/bin/gone'), machine)).toEqual({ refusals: [], warnings });
    expect(judge(unit('crio.service', '/usr/bin/gone'), machine)).toEqual({ refusals: [], warnings });
  });

  it('is a warning where another unit of the update may bring it', () => {
    const units = [
      { name: 'kubelet.service', contents: service('/usr/bin/gone') },
      { name: 'fetch.service', contents: service('/usr/bin/containerd') },
    ];
    expect(judge({ systemd: { units } }, machine)).toEqual({
      refusals: [],
      warnings: ['kubelet.service: its program /usr/bin/gone does not exist on the node'],
    });
  });

  it('is no news where the unit had it before', () => {
    const without = { ...machine, paths: ['/usr/bin'] };
    expect(judge(unit('kubelet.service', '/usr/bin/kubelet --v=2'), without)).toEqual({
      refusals: [],
      warnings: [],
    });
  });

  it('is accepted with another OS, and where the config writes it', () => {
    const to = unit('kubelet.service', '/usr/bin/gone');
    const accepted = { refusals: [], warnings: [] };
    expect(judge(to, { ...machine, nextOs: 'unknown' })).toEqual(accepted);
    const file = { ...aFile('/usr/bin/gone', '#!/bin/sh\n'), mode: 0o755 };
    expect(judge({ ...to, storage: { files: [file] } }, machine)).toEqual(accepted);
  });

  it('is refused where it has to succeed before the kubelet starts', () => {
    const prepared = (line: string) => judge(dropin(`/usr/bin/kubelet --v=2\nExecStartPre=${line}`), machine);
    expect(prepared('/usr/bin/gone --now').refusals).toEqual([
      'kubelet.service: its program /usr/bin/gone does not exist on the node, so the kubelet would not start (correct ExecStartPre, or have the config write the program)',
    ]);
    expect(prepared('-/usr/bin/gone').refusals).toEqual([]);
    expect(prepared('/usr/bin/kubelet --version').refusals).toEqual([]);
    const unseen = { ...machine, paths: ['/usr/bin'] };
    expect(judge(dropin('/usr/bin/kubelet\nExecStartPre=/usr/bin/gone'), unseen).refusals).toEqual([]);
    const before = {
      ...machine.files,
      [KUBELET]: `${service('/usr/bin/kubelet')}ExecStartPre=/usr/bin/gone\n`,
    };
    expect(judge(dropin('/usr/bin/kubelet --v=2'), { ...machine, files: before }).refusals).toEqual([]);
  });

  const withUnit = (more: NodeConfigParts['systemd'] & object, files: readonly object[] = []) =>
    judge(
      {
        systemd: {
          units: [
            { name: 'kubelet.service', contents: service('/usr/local/bin/gone') },
            ...(more.units ?? []),
          ],
        },
        storage: { files: [...files] },
      } as NodeConfigParts,
      machine,
    );
  const script = (text: string) => ({ ...aFile('/usr/local/bin/set-up', text), mode: 0o755 });
  const run = (command: string) => ({ units: [{ name: 'a.service', contents: service(command) }] });

  it.each<[string, ReturnType<typeof withUnit>]>([
    ['names it', withUnit(run('/usr/bin/cp /var/gone /usr/local/bin/gone'))],
    ['fills its folder', withUnit(run('/usr/bin/cp /var/programs/a /usr/local/bin/'))],
    ['installs packages', withUnit(run('/bin/sh -c "dnf install --assumeyes all"'))],
    ['starts a program of which nothing is known', withUnit(run('/bin/sh -c "/opt/set-up"'))],
    [
      'runs a script that downloads',
      withUnit(run('/usr/local/bin/set-up'), [script('curl https://a | tar x')]),
    ],
    ['runs a script that starts such a program', withUnit(run('/usr/local/bin/set-up'), [script('/opt/a')])],
    ['starts another one', withUnit(run('/usr/bin/systemctl start b.service'))],
    ['is one that the node has', withUnit({ units: [{ name: 'a.service', enabled: true }] })],
    ['mounts something', withUnit({ units: [{ name: 'usr-local.mount', contents: '[Mount]\nWhat=/a\n' }] })],
  ])('is a warning where another unit %s', (_, { refusals, warnings }) => {
    expect(refusals).toEqual([]);
    expect(warnings).toContain('kubelet.service: its program /usr/local/bin/gone does not exist on the node');
  });

  it('is a warning where the update changes a script that a unit of the node runs already', () => {
    const units = [{ name: 'a.service', contents: service('/usr/local/bin/set-up') }];
    const before = { systemd: { units }, storage: { files: [script('true')] } };
    const after = (text: string) => ({
      systemd: { units: [...units, { name: 'kubelet.service', contents: service('/usr/local/bin/gone') }] },
      storage: { files: [script(text)] },
    });
    const judgeFrom = (text: string) => judged(aChange(before, after(text)), machine);
    expect(judgeFrom('wget https://a').refusals).toEqual([]);
    expect(judgeFrom('rm /etc/a').refusals).toHaveLength(1);
    // It did not bring the program before.
    expect(judgeFrom('true').refusals).toHaveLength(1);
  });

  it.each<[string, ReturnType<typeof withUnit>]>([
    ['only removes files', withUnit(run('/usr/bin/rm --force /var/lib/kubelet/cpu_manager_state'))],
    [
      'only waits for a name, in a shell',
      withUnit(run(`/bin/sh -c 'until name="$$(cat /proc/sys/kernel/hostname)"; do sleep 1; done'`)),
    ],
    [
      'runs a script that does something else',
      withUnit(run('/usr/local/bin/set-up'), [
        script('#!/bin/sh\nmkdir -p /etc/a\nmv /etc/a.new /etc/a/b\n'),
      ]),
    ],
    [
      'is a drop-in',
      withUnit({ units: [{ name: 'a.service', dropins: [{ name: 'b.conf', contents: '[Unit]\n' }] }] }),
    ],
  ])('is refused also where another unit %s', (_, { refusals }) => {
    expect(refusals).toEqual([
      'kubelet.service: its program /usr/local/bin/gone does not exist on the node, so the kubelet would not start (correct ExecStart, or have the config write the program)',
    ]);
  });
});

describe('a program that the config writes so that nobody can execute it', () => {
  const unitFile = { [KUBELET]: service('/usr/local/bin/kubelet') };
  const written = (mode: number | undefined, path = '/usr/local/bin/kubelet'): NodeConfigParts => ({
    storage: { files: [{ path, contents: { source: 'data:,x' }, ...(mode === undefined ? {} : { mode }) }] },
  });
  const machine: AMachine = {
    runtime: 'cri-o',
    paths: ['/usr/local/bin', '/usr/local/bin/kubelet', '/usr/bin', '/usr/bin/crio'],
    files: { ...unitFile, '/lib/systemd/system/crio.service': service('/usr/bin/crio') },
  };
  const text = (mode: string, path = '/usr/local/bin/kubelet') =>
    `kubelet.service: the config writes its program ${path} with mode ${mode}, so that nobody can execute it and the kubelet would not start (set mode 0755)`;

  it('is refused for the kubelet of the node, also without a mode', () => {
    expect(judge(written(0o644), machine).refusals).toEqual([text('0644')]);
    expect(judge(written(undefined), machine).refusals).toEqual([text('0644')]);
  });

  it('is refused for a kubelet that the unit of the config starts, although the file is there already', () => {
    const file = written(0o640, '/opt/kubelet');
    const to = { ...file, ...dropin('/opt/kubelet --v=2') };
    expect(judged(aChange(file, to), machine).refusals).toEqual([text('0640', '/opt/kubelet')]);
  });

  it('is refused for what runs before the kubelet, and for the container runtime', () => {
    const to = {
      ...written(0o644, '/opt/prepare'),
      ...dropin('/usr/local/bin/kubelet\nExecStartPre=/opt/prepare'),
    };
    expect(judge(to, machine).refusals).toEqual([text('0644', '/opt/prepare')]);
    expect(judge(written(0o644, '/usr/bin/crio'), machine).refusals).toEqual([
      'crio.service: the config writes its program /usr/bin/crio with mode 0644, so that nobody can execute it and the container runtime would not start (set mode 0755)',
    ]);
  });

  it('is a warning for the program of another enabled unit', () => {
    const units = [{ name: 'a.service', enabled: true, contents: service('/opt/a') }];
    expect(judge({ ...written(0o644, '/opt/a'), systemd: { units } }, machine)).toEqual({
      refusals: [],
      warnings: [
        'a.service: the config writes its program /opt/a with mode 0644, so that nobody can execute it (set mode 0755)',
      ],
    });
  });

  it('is another than one that root, its group or others can execute', () => {
    for (const mode of [0o755, 0o700, 0o100, 0o544])
      expect(judge(written(mode), machine).refusals).toEqual([]);
  });

  it('is not judged where another program reads it, where nobody starts it, and where nothing changes', () => {
    const shell = dropin('/bin/bash /opt/start');
    const paths = [...(machine.paths ?? []), '/bin/bash', '/bin'];
    expect(judge({ ...written(0o644, '/opt/start'), ...shell }, { ...machine, paths }).refusals).toEqual([]);
    expect(judge(written(0o644, '/opt/other'), machine).refusals).toEqual([]);
    const same = { ...written(0o644), ...dropin('/usr/local/bin/kubelet') };
    expect(judged(aChange(same, same), { ...machine, files: {} }).refusals).toEqual([]);
  });
});

describe('a kubelet that would run without the cluster', () => {
  const connected: AMachine = {
    paths: ['/usr/bin', '/usr/bin/kubelet'],
    files: { [KUBELET]: service('/usr/bin/kubelet --kubeconfig=/etc/a.conf') },
  };
  const refusals = (command: string, machine: AMachine = connected) =>
    judge(dropin(command), machine).refusals;

  it('is refused where it belongs to the cluster now', () => {
    expect(refusals('/usr/bin/kubelet --v=2')).toEqual([
      'kubelet.service: its command has neither --kubeconfig nor --bootstrap-kubeconfig, which it has now, so the kubelet would run without the cluster (add --kubeconfig to the command, or to the variables that it uses)',
    ]);
    expect(refusals('/usr/bin/kubelet --kubeconfig=')).toHaveLength(1);
  });

  it.each([
    '/usr/bin/kubelet --bootstrap-kubeconfig /etc/b.conf',
    '/usr/bin/kubelet --kubeconfig=/etc/c.conf',
  ])('is another than %s', (command) => {
    expect(refusals(command)).toEqual([]);
  });

  it('is not refused where its flags are not known: they come from a script, or from a file that is not read', () => {
    const paths = [...(connected.paths ?? []), '/usr/bin/start', '/etc/flags'];
    expect(refusals('/usr/bin/start', { ...connected, paths })).toEqual([]);
    const environment = { name: 'kubelet.service', dropins: [{ name: 'a.conf', contents: FLAGS }] };
    expect(judge({ systemd: { units: [environment] } }, { ...connected, paths }).refusals).toEqual([]);
  });

  it('is not refused where its unit had no such flag before, whatever its program adds', () => {
    const machine: AMachine = {
      ...connected,
      files: { [KUBELET]: service('/usr/bin/kubelet') },
      commandLines: { 'kubelet.service': '/opt/kubelet --kubeconfig=/etc/a.conf' },
    };
    expect(refusals('/usr/bin/kubelet --v=2', machine)).toEqual([]);
  });

  it('is refused by its running process where its unit is not known', () => {
    const commandLines = { 'kubelet.service': '/usr/bin/kubelet --kubeconfig=/etc/a.conf' };
    const to = unit('kubelet.service', '/usr/bin/kubelet --v=2');
    expect(judge(to, { commandLines }).refusals).toHaveLength(1);
    expect(judge(to).refusals).toEqual([]);
  });
});

const FLAGS = '[Service]\nEnvironmentFile=/etc/flags\nExecStart=\nExecStart=/usr/bin/kubelet $FLAGS\n';
