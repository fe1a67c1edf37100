import { describe, expect, it } from 'vitest';
import { aConfig, aFile, aMachineConfig, aPool, someSettings } from '../../../test/support/build.ts';
import type { IgnitionConfig } from '../ignition/index.ts';
import { render } from './render.ts';
import type { RenderSettings } from './rendering.ts';

type Sections = Omit<IgnitionConfig, 'ignition'>;

/** Renders a base and a change over a pool that runs the base with `before`. */
function change(before: Sections, after: Sections, settings: Partial<RenderSettings> = {}) {
  const base = aMachineConfig('00-base', { kernelArguments: ['x'] });
  const make = (sections: Sections, current?: ReturnType<typeof aMachineConfig>) =>
    render({
      pool: aPool(),
      machineConfigs: [base, aMachineConfig('50-mine', { config: aConfig(sections) })],
      settings: { ...someSettings, ...settings },
      ...(current && { current }),
    });
  const current = make(before);
  if (current.kind !== 'rendered') throw new Error(JSON.stringify(current));
  return { current: current.machineConfig.metadata.name, result: make(after, current.machineConfig) };
}

const core = (fields: object) => ({ passwd: { users: [{ name: 'core', ...fields }] } }) as Sections;
const disk = (device: string): Sections => ({ storage: { disks: [{ device, wipeTable: true }] } });
const link = (path: string): Sections => ({ storage: { links: [{ path, target: '/x' }] } });

describe('render rejects an irreconcilable change and names its source', () => {
  const table: readonly [string, Sections, Sections, string][] = [
    [
      'groups',
      {},
      { passwd: { groups: [{ name: 'x' }] } },
      'invalid passwd change(s): ignition Passwd Groups section contains changes',
    ],
    [
      'users other than core',
      {},
      { passwd: { users: [{ name: 'bob', sshAuthorizedKeys: ['x'] }] } },
      'invalid passwd change(s): ignition passwd user section contains unsupported changes: non-core user',
    ],
    [
      'a core user without keys or password',
      core({ sshAuthorizedKeys: ['x'] }),
      core({}),
      'invalid passwd change(s): ignition passwd user section contains unsupported changes: user must be core and have 1 or more sshKeys',
    ],
    [
      'other fields of core',
      {},
      core({ sshAuthorizedKeys: ['x'], shell: '/bin/sh' }),
      'invalid passwd change(s): SSH keys and password hash are not reconcilable',
    ],
    ['disks', disk('/dev/a'), disk('/dev/b'), 'ignition disks section contains changes'],
    [
      'filesystems',
      {},
      { storage: { filesystems: [{ device: '/dev/a', format: 'xfs' }] } },
      'ignition filesystems section contains changes',
    ],
    [
      'raid',
      {},
      { storage: { raid: [{ name: 'r', level: 'raid1', devices: ['/dev/a'] }] } },
      'ignition raid section contains changes',
    ],
    [
      'directories',
      {},
      { storage: { directories: [{ path: '/x' }] } },
      'ignition directories section contains changes',
    ],
    ['links', {}, link('/x'), 'ignition links section contains changes'],
    [
      'appending',
      {},
      { storage: { files: [{ path: '/x', append: [{ source: 'data:,x' }] }] } },
      'ignition file /x includes append',
    ],
    [
      'the force file',
      {},
      { storage: { files: [aFile('/run/machine-config-daemon-force', '')] } },
      'cannot create /run/machine-config-daemon-force via Ignition',
    ],
  ];
  it.each(table)('%s', (_, before, after, reason) => {
    const { current, result } = change(before, after);
    const message = `reconciliation failed between current config "${current}" and base config "50-mine": ${reason}`;
    expect(result).toMatchObject({
      kind: 'refused',
      message: `could not generate rendered MachineConfig: ${message}`,
      problems: [{ message, source: '50-mine' }],
    });
  });

  it('of Ignition kernel arguments', () => {
    const { result } = change({}, { kernelArguments: { shouldExist: ['x'] } });
    expect(result).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('ignition kargs section contains changes'),
    });
  });

  it('FIPS', () => {
    const current = aMachineConfig('rendered-worker-0', { config: aConfig() });
    const result = render({
      pool: aPool(),
      machineConfigs: [aMachineConfig('a', { fips: true })],
      settings: someSettings,
      current,
    });
    expect(result).toMatchObject({
      kind: 'refused',
      problems: [
        {
          source: 'a',
          message:
            'reconciliation failed between current config "rendered-worker-0" and base config "a": detected change to FIPS flag; refusing to modify FIPS on a running cluster',
        },
      ],
    });
  });

  it('and names the item if it was removed, which has no source', () => {
    const { current, result } = change(disk('/dev/a'), {});
    expect(result).toMatchObject({
      kind: 'refused',
      problems: [
        {
          message: `render reconciliation error: ignition disks section contains changes; component errors: disk /dev/a is part of "${current}" and of no MachineConfig any more`,
        },
      ],
    });
  });

  it('and names the source that changed, not one that merely lacks the section', () => {
    const sources = (device: string) => [
      aMachineConfig('00-lacks', { config: aConfig({ storage: { files: [aFile('/etc/x', '')] } }) }),
      aMachineConfig('50-keeps', { config: aConfig(disk('/dev/same')) }),
      aMachineConfig('90-changes', { config: aConfig(disk(device)) }),
    ];
    const input = { pool: aPool(), settings: someSettings };
    const current = render({ ...input, machineConfigs: sources('/dev/a') });
    if (current.kind !== 'rendered') throw new Error(JSON.stringify(current));
    const result = render({ ...input, machineConfigs: sources('/dev/b'), current: current.machineConfig });
    expect(result).toMatchObject({ kind: 'refused', problems: [{ source: '90-changes' }] });
  });
});

describe('render accepts a reconcilable change', () => {
  const table: readonly [string, Sections, Sections][] = [
    ['SSH keys of core', core({ sshAuthorizedKeys: ['x'] }), core({ sshAuthorizedKeys: ['y'] })],
    ['the password of core', {}, core({ passwordHash: '$6$x' })],
    ['no users any more', core({ sshAuthorizedKeys: ['x'] }), {}],
    ['no links any more', link('/x'), {}],
    [
      'files',
      { storage: { files: [aFile('/etc/x', '1')] } },
      { storage: { files: [aFile('/etc/x', '2'), aFile('/etc/y', '')] } },
    ],
    ['units', {}, { systemd: { units: [{ name: 'a.service', mask: true }] } }],
    ['luks', {}, { storage: { luks: [{ name: 'x', device: '/dev/a' }] } }],
    [
      'the same directories in another order',
      { storage: { directories: [{ path: '/a' }, { path: '/b' }] } },
      { storage: { directories: [{ path: '/b' }, { path: '/a' }] } },
    ],
  ];
  it.each(table)('%s', (_, before, after) => {
    expect(change(before, after).result).toMatchObject({ kind: 'rendered' });
  });

  it.each([
    ['Disks', disk('/dev/a')],
    ['FileSystems', { storage: { filesystems: [{ device: '/dev/a', format: 'xfs' }] } }],
    ['Raid', { storage: { raid: [{ name: 'r', level: 'raid1', devices: ['/dev/a'] }] } }],
  ] as const)('%s, if the cluster allows it', (section, after) => {
    expect(change({}, after, { allowIrreconcilable: [section] }).result).toMatchObject({ kind: 'rendered' });
  });

  it('of any kind if the current config is unreadable', () => {
    const current = aMachineConfig('rendered-worker-0', { config: { nonsense: true } });
    const input = {
      pool: aPool(),
      machineConfigs: [aMachineConfig('a', { config: aConfig(disk('/dev/a')) })],
      settings: someSettings,
    };
    expect(render({ ...input, current })).toMatchObject({ kind: 'rendered' });
  });
});
