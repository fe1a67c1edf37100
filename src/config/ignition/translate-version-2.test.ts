import { describe, expect, it } from 'vitest';
import { parseIgnition } from './parse-ignition.ts';

const parse = (sections: object, version = '2.2.0') => parseIgnition({ ignition: { version }, ...sections });
const root = { filesystem: 'root' };
const file = (path: string, extra: object = {}) => ({
  ...root,
  path,
  contents: { source: 'data:,x' },
  ...extra,
});
const files = (...items: object[]) => ({ storage: { files: items } });
const units = (...items: object[]) => ({ systemd: { units: items } });

describe('parseIgnition rejects a version 2 config', () => {
  const table: readonly [string, object, string, string][] = [
    [
      'with networkd units',
      { networkd: { units: [{ name: 'a.network' }] } },
      'networkd.units',
      'config includes deprecated networkd section - use Files instead',
    ],
    [
      'with a user other than core',
      { passwd: { users: [{ name: 'core' }, { name: 'bob' }] } },
      'passwd.users[1].name',
      'unexpected user with name: bob. Only core user is supported',
    ],
    [
      'with another file system',
      { storage: { filesystems: [{ name: 'data', path: '/data' }] } },
      'storage.filesystems[0].name',
      'Config defined filesystem "data" but no mapping was defined. Please specify a path to be used as the filesystem mountpoint.',
    ],
    [
      'with a file on another file system',
      files({ ...file('/a'), filesystem: 'data' }),
      'storage.files[0].filesystem',
      'Config defined filesystem "data" but no mapping was defined. Please specify a path to be used as the filesystem mountpoint.',
    ],
    ['with a file on none', files({ path: '/a' }), 'storage.files[0].filesystem', 'no filesystem specified'],
    [
      'with partitions in sectors',
      { storage: { disks: [{ device: '/dev/a', partitions: [{ number: 1 }] }] } },
      'storage.disks[0].partitions',
      'size is deprecated; use sizeMiB in a version 3 config: version 2 counts partitions in sectors',
    ],
    [
      'with special mode bits',
      files(file('/a', { mode: 0o4755 })),
      'storage.files[0].mode',
      'invalid mode 04755 for /a, cannot exceed 0777',
    ],
    [
      'with a file that is appended and overwritten',
      files(file('/a', { append: true, overwrite: true })),
      'storage.files[0].append',
      'cannot set both append and overwrite to true',
    ],
    ['with a relative path', files(file('/a'), file('b')), 'storage.files[1].path', 'path not absolute'],
    [
      'with a bad unit, named where it was given',
      units({ name: 'a.service' }, { name: 'x' }, { name: 'c.service' }),
      'systemd.units[1].name',
      'invalid systemd unit extension',
    ],
    [
      'with a file and a link at one path',
      { storage: { files: [file('/a')], links: [{ ...root, path: '/a', target: '/b' }] } },
      'storage.links[0]',
      'duplicate entry defined',
    ],
  ];
  it.each(table)('%s', (_, sections, path, message) => {
    expect(parse(sections)).toEqual({
      kind: 'invalid',
      problems: [{ path, message, reason: 'FieldValueInvalid' }],
    });
  });
});

describe('parseIgnition translates a version 2 config', () => {
  const table: readonly [string, object, object][] = [
    [
      'the last of several files wins, in reversed order',
      files(file('/a', { mode: 1 }), file('/b'), file('/a', { mode: 2 })),
      {
        storage: {
          files: [
            { path: '/a', overwrite: true, contents: { source: 'data:,x' }, mode: 2 },
            { path: '/b', overwrite: true, contents: { source: 'data:,x' } },
          ],
        },
      },
    ],
    [
      'untidy paths are tidied',
      files(file('/etc//x/../y/')),
      { storage: { files: [{ path: '/etc/y', overwrite: true, contents: { source: 'data:,x' } }] } },
    ],
    [
      'contents that are appended move',
      files(file('/a', { append: true, contents: { source: 'data:,x', compression: '' } })),
      { storage: { files: [{ path: '/a', overwrite: false, append: [{ source: 'data:,x' }] }] } },
    ],
    [
      'a file without contents is an empty one',
      files({ ...root, path: '/a' }),
      { storage: { files: [{ path: '/a', overwrite: true, contents: { source: '' } }] } },
    ],
    [
      'overwrite and hash are kept',
      files(
        file('/a', {
          overwrite: false,
          contents: { source: 'data:,x', verification: { hash: `sha512-${'0'.repeat(128)}` } },
        }),
      ),
      {
        storage: {
          files: [
            {
              path: '/a',
              overwrite: false,
              contents: { source: 'data:,x', verification: { hash: `sha512-${'0'.repeat(128)}` } },
            },
          ],
        },
      },
    ],
    [
      'drop-ins of earlier units are kept',
      units(
        {
          name: 'a.service',
          contents: '[Unit]\n',
          dropins: [{ name: '1.conf', contents: '[Unit]' }, { name: '2.conf' }],
        },
        { name: 'a.service', enable: true, dropins: [{ name: '2.conf', contents: '[Install]' }] },
      ),
      {
        systemd: {
          units: [
            {
              name: 'a.service',
              enabled: true,
              dropins: [
                { name: '2.conf', contents: '[Install]' },
                { name: '1.conf', contents: '[Unit]' },
              ],
            },
          ],
        },
      },
    ],
    [
      'enabled: false wins over the old enable, and false booleans are unset',
      units({ name: 'a.service', enabled: false, enable: true, mask: false }),
      { systemd: { units: [{ name: 'a.service', enabled: false }] } },
    ],
    [
      'the keys of all entries for core are kept once',
      {
        passwd: {
          users: [
            { name: 'core', sshAuthorizedKeys: ['x', 'y'], shell: '/bin/sh' },
            { name: 'core', sshAuthorizedKeys: ['y', 'z'], gecos: '', system: false },
          ],
        },
      },
      { passwd: { users: [{ name: 'core', sshAuthorizedKeys: ['y', 'z', 'x'] }] } },
    ],
    [
      'references become resources',
      {
        ignition: {
          version: '2.2.0',
          config: { append: [{ source: 'https://a' }], replace: { source: 'https://b' } },
          timeouts: { httpTotal: 5 },
          security: { tls: { certificateAuthorities: [{ source: 'data:,x' }] } },
        },
      },
      {
        ignition: {
          version: '3.5.0',
          config: { merge: [{ source: 'https://a' }], replace: { source: 'https://b' } },
          timeouts: { httpTotal: 5 },
          security: { tls: { certificateAuthorities: [{ source: 'data:,x' }] } },
        },
      },
    ],
    [
      'the root file system itself, directories and links',
      {
        storage: {
          filesystems: [{ name: 'root', mount: { device: '/dev/a', format: 'xfs' } }],
          directories: [{ ...root, path: '/d/', mode: 0o755 }],
          links: [{ ...root, path: '/l', target: '/d', hard: false }],
          raid: [{ name: 'r', level: 'raid1', devices: ['/dev/a'], spares: 0 }],
          disks: [{ device: '/dev/b', wipeTable: true }],
        },
      },
      {
        storage: {
          directories: [{ path: '/d', mode: 0o755 }],
          links: [{ path: '/l', target: '/d' }],
          raid: [{ name: 'r', level: 'raid1', devices: ['/dev/a'] }],
          disks: [{ device: '/dev/b', wipeTable: true }],
        },
      },
    ],
  ];
  it.each(table)('%s', (_, sections, expected) => {
    const outcome = parse(sections);
    expect(outcome).toMatchObject({ kind: 'ok' });
    expect(outcome.kind === 'ok' && outcome.value).toEqual({ ignition: { version: '3.5.0' }, ...expected });
  });

  it.each(['2.0.0', '2.1.0', '2.2.0'])('from %s', (version) => {
    expect(parse(files(file('/a')), version)).toMatchObject({
      kind: 'ok',
      value: { storage: { files: [{ path: '/a' }] } },
    });
  });

  const later: readonly [name: string, since: string, sections: object][] = [
    ['timeouts', '2.1.0', { ignition: { version: '', timeouts: { httpTotal: 5 } } }],
    ['directories', '2.1.0', { storage: { directories: [{ filesystem: 'root', path: '/d' }] } }],
    ['links', '2.1.0', { storage: { links: [{ filesystem: 'root', path: '/l', target: '/d' }] } }],
    ['name', '2.1.0', files({ ...file('/a'), user: { name: 'core' } })],
    ['enabled', '2.1.0', { systemd: { units: [{ name: 'a.service', enabled: true }] } }],
    ['shell', '2.1.0', { passwd: { users: [{ name: 'core', shell: '/bin/sh' }] } }],
    ['overwrite', '2.2.0', files({ ...file('/a'), overwrite: false })],
    ['append', '2.2.0', files({ ...file('/a'), append: true })],
    [
      'options',
      '2.2.0',
      { storage: { raid: [{ name: 'r', level: 'raid1', devices: ['/dev/a'], options: ['o'] }] } },
    ],
    [
      'security',
      '2.2.0',
      { ignition: { version: '', security: { tls: { certificateAuthorities: [{ source: 'https://a' }] } } } },
    ],
  ];
  it.each(later)('without %s, which exists since %s, from older versions', (name, since, sections) => {
    for (const version of ['2.0.0', '2.1.0', '2.2.0']) {
      const outcome = parseIgnition({
        ...sections,
        ignition: { ...('ignition' in sections && (sections.ignition as object)), version },
      });
      expect(outcome).toMatchObject({ kind: 'ok' });
      const warnings = outcome.kind === 'ok' ? outcome.warnings.map(({ message }) => message) : [];
      const expected = `${name} exists since Ignition ${since} and is ignored in ${version}; raise ignition.version to use it`;
      expect(warnings).toEqual(version < since ? [expected] : []);
    }
  });

  it('with a warning for unknown fields', () => {
    expect(parse({ storage: { colour: 1 } })).toMatchObject({
      warnings: [{ path: 'storage.colour', message: 'unknown key "colour" is ignored' }],
    });
  });
});
