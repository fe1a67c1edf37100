import { describe, expect, it } from 'vitest';
import { parseIgnition } from './parse-ignition.ts';

const data = { source: 'data:,' };
const guid = '01234567-89AB-CDEF-EDCB-A98765432101';
const disk = (...partitions: object[]) => ({ storage: { disks: [{ device: '/dev/a', partitions }] } });
const file = (extra: object) => ({ storage: { files: [{ path: '/a', contents: data, ...extra }] } });
const contents = (resource: object) => ({ storage: { files: [{ path: '/a', contents: resource }] } });
const filesystem = (extra: object) => ({ storage: { filesystems: [{ device: '/dev/a', ...extra }] } });
const luks = (extra: object) => ({ storage: { luks: [{ name: 'x', device: '/dev/a', ...extra }] } });
const raid = (extra: object) => ({
  storage: { raid: [{ name: 'x', level: 'raid1', devices: ['/dev/a'], ...extra }] },
});
const unit = (extra: object) => ({ systemd: { units: [{ name: 'a.service', ...extra }] } });
const ignition = (extra: object) => ({ ignition: { version: '3.5.0', ...extra } });

/** Each row: the problem, its path, and its message. */
const errors: readonly [object, string, string][] = [
  [{ storage: { files: [{ contents: data }] } }, 'storage.files[0].path', 'path not specified'],
  [{ storage: { directories: [{ path: 'a' }] } }, 'storage.directories[0].path', 'path not absolute'],
  [{ storage: { files: [{ path: '/a/../b' }] } }, 'storage.files[0].path', 'path is not fully simplified'],
  [{ storage: { files: [{ path: '/a/' }] } }, 'storage.files[0].path', 'path is not fully simplified'],
  [file({ mode: 0o10000 }), 'storage.files[0].mode', 'illegal file mode'],
  [file({ mode: -1 }), 'storage.files[0].mode', 'illegal file mode'],
  [
    { storage: { directories: [{ path: '/a', mode: 99999 }] } },
    'storage.directories[0].mode',
    'illegal file mode',
  ],
  [
    { storage: { files: [{ path: '/a', overwrite: true }] } },
    'storage.files[0].overwrite',
    'overwrite must be false if source is unspecified',
  ],
  [file({ user: { id: 0, name: 'root' } }), 'storage.files[0].user', 'cannot set both id and name'],
  [file({ group: { id: 0, name: 'root' } }), 'storage.files[0].group', 'cannot set both id and name'],
  [contents({ source: 'ftp://x' }), 'storage.files[0].contents.source', 'invalid url scheme'],
  [contents({ source: 'no scheme' }), 'storage.files[0].contents.source', 'invalid url scheme'],
  [contents({ source: 'http://x/%zz' }), 'storage.files[0].contents.source', 'unable to parse url'],
  [contents({ source: 'data:oops' }), 'storage.files[0].contents.source', 'missing comma before data'],
  [
    contents({ source: 's3://b/k?versionId=' }),
    'storage.files[0].contents.source',
    'invalid S3 object VersionId',
  ],
  [contents({ source: 'arn:aws:iam::x/y' }), 'storage.files[0].contents.source', 'invalid S3 ARN format'],
  [
    contents({ ...data, compression: 'xz' }),
    'storage.files[0].contents.compression',
    'invalid compression method',
  ],
  [
    contents({ ...data, verification: { hash: 'x' } }),
    'storage.files[0].contents.verification.hash',
    'malformed hash specifier',
  ],
  [
    contents({ ...data, verification: { hash: 'md5-x' } }),
    'storage.files[0].contents.verification.hash',
    'unrecognized hash function',
  ],
  [
    contents({ ...data, verification: { hash: 'sha512-x' } }),
    'storage.files[0].contents.verification.hash',
    'incorrect size for hash sum',
  ],
  [
    contents({ verification: { hash: `sha256-${'0'.repeat(64)}` } }),
    'storage.files[0].contents.verification.hash',
    'source must be specified if verification is specified',
  ],
  [
    contents({ ...data, httpHeaders: [{ name: 'A', value: 'b' }] }),
    'storage.files[0].contents.httpHeaders',
    'cannot use HTTP headers with this source scheme',
  ],
  [
    contents({ source: 'http://x', httpHeaders: [{ name: '', value: 'b' }] }),
    'storage.files[0].contents.httpHeaders[0].name',
    "HTTP header name can't be empty",
  ],
  [
    contents({ source: 'http://x', httpHeaders: [{ name: 'A', value: '' }] }),
    'storage.files[0].contents.httpHeaders[0].value',
    'unable to parse HTTP header',
  ],
  [
    { storage: { files: [{ path: '/a', append: [{ source: 'x:' }] }] } },
    'storage.files[0].append[0].source',
    'invalid url scheme',
  ],
  [{ storage: { links: [{ path: '/a' }] } }, 'storage.links[0].target', 'link target is required'],
  [
    { storage: { links: [{ path: '/a', target: '/x' }], files: [{ path: '/a/b/c' }] } },
    'storage.files[0]',
    'file path includes link in config',
  ],
  [
    { storage: { links: [{ path: '/a', target: '/x' }], directories: [{ path: '/a/b' }] } },
    'storage.directories[0]',
    'directory path includes link in config',
  ],
  [
    {
      storage: {
        links: [
          { path: '/a', target: '/x' },
          { path: '/a/b', target: '/x' },
        ],
      },
    },
    'storage.links[1]',
    'link path includes link in config',
  ],
  [
    { storage: { links: [{ path: '/a', target: '/d', hard: true }], directories: [{ path: '/d' }] } },
    'storage.links[0]',
    'hard link target is a directory',
  ],
  [{ storage: { files: [{ path: '/a' }, { path: '/a' }] } }, 'storage.files[1]', 'duplicate entry defined'],
  [
    { storage: { directories: [{ path: '/a' }], files: [{ path: '/a' }] } },
    'storage.files[0]',
    'duplicate entry defined',
  ],
  [
    { passwd: { users: [{ name: 'core', sshAuthorizedKeys: ['x', 'x'] }] } },
    'passwd.users[0].sshAuthorizedKeys[1]',
    'duplicate entry defined',
  ],
  [
    { kernelArguments: { shouldExist: ['a'], shouldNotExist: ['a'] } },
    'kernelArguments.shouldNotExist[0]',
    'duplicate entry defined',
  ],
  [
    unit({ dropins: [{ name: 'x.conf' }, { name: 'x.conf' }] }),
    'systemd.units[0].dropins[1]',
    'duplicate entry defined',
  ],
  [{ systemd: { units: [{ name: 'a' }] } }, 'systemd.units[0].name', 'invalid systemd unit extension'],
  [
    unit({ dropins: [{ name: 'a.txt' }] }),
    'systemd.units[0].dropins[0].name',
    'invalid systemd drop-in extension',
  ],
  [
    { ...file({ path: '/etc/systemd/system/a.service' }), ...unit({ contents: '[Unit]\n' }) },
    'storage.files[0].path',
    'path conflicts with systemd unit or dropin',
  ],
  [
    {
      ...file({ path: '/etc/systemd/system/a.service.d/x.conf' }),
      ...unit({ dropins: [{ name: 'x.conf', contents: '[Unit]\n' }] }),
    },
    'storage.files[0].path',
    'path conflicts with systemd unit or dropin',
  ],
  [{ storage: { disks: [{}] } }, 'storage.disks[0].device', 'disk device is required'],
  [disk({ number: 1 }, { number: 1 }), 'storage.disks[0].partitions[1]', 'partition numbers collide'],
  [
    disk({ number: 1, startMiB: 30, sizeMiB: 21 }, { number: 2, startMiB: 100, sizeMiB: -60 }),
    'storage.disks[0].partitions[1]',
    'partitions overlap',
  ],
  [
    disk({ number: 1, startMiB: 1, sizeMiB: 10 }, { number: 2, startMiB: 5, sizeMiB: 10 }),
    'storage.disks[0].partitions[1]',
    'partitions overlap',
  ],
  [
    disk({ number: 1, shouldExist: false }, { label: 'x' }),
    'storage.disks[0].partitions',
    'shouldExist is false for a partition and other partition(s) has start or size 0',
  ],
  [
    disk({ number: 1, label: 'x' }, { number: 2, label: 'x' }),
    'storage.disks[0].partitions[1]',
    'cannot use the same partition label twice',
  ],
  [
    disk({ number: 1, label: 'x', shouldExist: false }),
    'storage.disks[0].partitions[0]',
    'shouldExist specified false with other options also specified',
  ],
  [disk({ guid }), 'storage.disks[0].partitions[0]', 'a partition number >= 1 or a label must be specified'],
  [
    disk({ label: 'x'.repeat(37) }),
    'storage.disks[0].partitions[0].label',
    'partition labels may not exceed 36 characters',
  ],
  [
    disk({ label: 'a:b' }),
    'storage.disks[0].partitions[0].label',
    'partition label will be truncated to text before the colon',
  ],
  [disk({ number: 1, guid: 'x' }), 'storage.disks[0].partitions[0].guid', `doesn't match the form "${guid}"`],
  [raid({ level: undefined }), 'storage.raid[0].level', 'raid level is required'],
  [raid({ level: 'raid9' }), 'storage.raid[0].level', 'unrecognized raid level'],
  [
    raid({ level: 'raid0', spares: 1 }),
    'storage.raid[0].level',
    'spares unsupported for linear and raid0 arrays',
  ],
  [raid({ devices: undefined }), 'storage.raid[0].devices', 'raid devices required'],
  [raid({ devices: ['a'] }), 'storage.raid[0].devices[0]', 'path not absolute'],
  [filesystem({ format: 'ntfs' }), 'storage.filesystems[0].format', 'invalid filesystem format'],
  [
    filesystem({ path: '/a' }),
    'storage.filesystems[0].format',
    'format cannot be empty when path, label, uuid, wipeFilesystem, options, or mountOptions is specified',
  ],
  [
    filesystem({ label: 'x' }),
    'storage.filesystems[0].label',
    'filesystem must specify format if label is specified',
  ],
  [
    filesystem({ format: 'xfs', label: 'x'.repeat(13) }),
    'storage.filesystems[0].label',
    'filesystem labels cannot be longer than 12 characters when using xfs',
  ],
  [filesystem({ format: 'xfs', path: 'a' }), 'storage.filesystems[0].path', 'path not absolute'],
  [luks({ name: 'a/b' }), 'storage.luks[0].name', 'device names cannot contain slashes'],
  [
    luks({ label: 'x'.repeat(48) }),
    'storage.luks[0].label',
    'luks device labels cannot be longer than 47 characters',
  ],
  [luks({ device: '' }), 'storage.luks[0].device', 'disk device is required'],
  [
    luks({ clevis: { tpm2: true, custom: { pin: 'sss', config: 'x' } } }),
    'storage.luks[0].clevis',
    'cannot use custom clevis config with tpm2, tang, or threshold',
  ],
  [
    luks({ cex: { enabled: true }, clevis: { tpm2: true } }),
    'storage.luks[0].cex',
    'cannot use cex with clevis',
  ],
  [luks({ cex: { enabled: true }, keyFile: data }), 'storage.luks[0].cex', 'cannot use key file with cex'],
  [
    luks({ clevis: { custom: { config: 'x' } } }),
    'storage.luks[0].clevis.custom.pin',
    'missing required custom clevis pin',
  ],
  [
    luks({ clevis: { custom: { pin: 'x', config: 'x' } } }),
    'storage.luks[0].clevis.custom.pin',
    'unsupported clevis pin',
  ],
  [
    luks({ clevis: { custom: { pin: 'sss' } } }),
    'storage.luks[0].clevis.custom.config',
    'missing required custom clevis config',
  ],
  [
    luks({ clevis: { tang: [{ url: 'http://x' }] } }),
    'storage.luks[0].clevis.tang[0].thumbprint',
    'thumbprint is required',
  ],
  [
    luks({ clevis: { tang: [{ url: 'x', thumbprint: 'y' }] } }),
    'storage.luks[0].clevis.tang[0].url',
    'invalid url scheme',
  ],
  [
    luks({ clevis: { tang: [{ url: 'http://x', thumbprint: 'y', advertisement: '{' }] } }),
    'storage.luks[0].clevis.tang[0].advertisement',
    'advertisement is not valid JSON',
  ],
  [ignition({ config: { merge: [{}] } }), 'ignition.config.merge[0]', 'source is required'],
  [
    ignition({ config: { replace: { source: 'x' } } }),
    'ignition.config.replace.source',
    'invalid url scheme',
  ],
  [
    ignition({ security: { tls: { certificateAuthorities: [{}] } } }),
    'ignition.security.tls.certificateAuthorities[0]',
    'source is required',
  ],
  [ignition({ proxy: { httpProxy: 'ftp://x' } }), 'ignition.proxy.httpProxy', 'proxies must be http(s)'],
];

const warnings: readonly [object, string, string][] = [
  [
    unit({ enabled: true, contents: '[Service]\nType=oneshot\n' }),
    'systemd.units[0].contents',
    'unit "a.service" is enabled, but has no install section so enable does nothing',
  ],
  [
    { storage: { links: [{ path: '/a', target: '/x', hard: true, user: { id: 1 } }] } },
    'storage.links[0].user',
    'user/group ignored for hard link',
  ],
  [
    ignition({ proxy: { httpsProxy: 'http://x' } }),
    'ignition.proxy.httpsProxy',
    'insecure plaintext HTTP proxy specified for HTTPS resources',
  ],
  [
    {
      storage: {
        disks: [{ device: '/dev/a', wipeTable: true }],
        filesystems: [{ device: '/dev/a', format: 'xfs' }],
      },
    },
    'storage.filesystems[0].device',
    'device matches disk with wipeTable enabled; filesystem will be wiped',
  ],
];

describe('parseIgnition rejects a config', () => {
  it.each(errors)('%j at %s: %s', (sections, path, message) => {
    const outcome = parseIgnition({ ignition: { version: '3.5.0' }, ...sections });
    expect(outcome).toMatchObject({ kind: 'invalid' });
    expect(outcome.kind === 'invalid' && outcome.problems).toContainEqual({
      path,
      message,
      reason: 'FieldValueInvalid',
    });
  });

  it.each([
    ['[Unit', 'unable to find end of section'],
    ['[Unit] x', 'found garbage after section name'],
    ['[Unit]\nDescription', 'EOF (line 2)'],
    ['[Unit]\nDescription\n', 'unexpected newline encountered while parsing option name (line 2)'],
    [`[Unit]\nA=${'x'.repeat(2046)}`, 'line too long (max 2048 bytes) (line 2)'],
  ])('with the unit %j: %s', (text, message) => {
    for (const sections of [
      unit({ contents: text }),
      unit({ dropins: [{ name: 'x.conf', contents: text }] }),
    ]) {
      const outcome = parseIgnition({ ignition: { version: '3.5.0' }, ...sections });
      expect(outcome.kind === 'invalid' && outcome.problems[0]?.message).toMatch(/^invalid unit content: /);
      expect(outcome.kind === 'invalid' && outcome.problems[0]?.message).toContain(message);
    }
  });
});

describe('parseIgnition accepts a config with a warning', () => {
  it.each(warnings)('%j at %s: %s', (sections, path, message) => {
    const outcome = parseIgnition({ ignition: { version: '3.5.0' }, ...sections });
    expect(outcome).toMatchObject({ kind: 'ok' });
    expect(outcome.kind === 'ok' && outcome.warnings).toContainEqual({ path, message });
  });
});

describe('parseIgnition accepts a config', () => {
  it.each([
    ['with every way to name a source', contents({ source: 'arn:aws:s3:::bucket/key?versionId=3' })],
    [
      'with a file at the root of a unit without contents',
      { ...file({ path: '/etc/systemd/system/a.service' }), ...unit({ mask: true }) },
    ],
    [
      'with continued values and comments in units',
      unit({ contents: '# x\n; y\n\n[Service]\nExecStart=a \\\n  b \\\n  c\n' }),
    ],
    [
      'with partitions side by side',
      disk({ number: 1, startMiB: 1, sizeMiB: 4 }, { number: 2, startMiB: 5, sizeMiB: 4 }),
    ],
    ['with an empty drop-in', unit({ dropins: [{ name: 'x.conf', contents: '' }] })],
    [
      'with a link beside a file that only begins alike',
      { storage: { links: [{ path: '/a', target: '/x' }], files: [{ path: '/ab/c' }] } },
    ],
  ])('%s', (_, sections) => {
    expect(parseIgnition({ ignition: { version: '3.5.0' }, ...sections })).toMatchObject({ kind: 'ok' });
  });
});
