import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyConfig } from '../../../test/oracle/ignition-arbitraries.ts';
import { canonicalJson, isObject } from '../../base/json.ts';
import type { IgnitionConfig } from './config.ts';
import { downConvert } from './down-convert.ts';
import { parseIgnition } from './parse-ignition.ts';
import { TARGET_VERSIONS, type TargetVersion } from './target-version.ts';

function configOf(rest: object, ignition: object = {}): IgnitionConfig {
  const parsed = parseIgnition({ ignition: { version: '3.5.0', ...ignition }, ...rest });
  if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems));
  return parsed.value;
}

function problemsIn(config: IgnitionConfig, version: TargetVersion): readonly string[] {
  const outcome = downConvert(config, version);
  return outcome.kind === 'ok' ? [] : outcome.problems.map(({ path, message }) => `${path}: ${message}`);
}

function converted(config: IgnitionConfig, version: TargetVersion): unknown {
  const outcome = downConvert(config, version);
  if (outcome.kind === 'invalid') throw new Error(JSON.stringify(outcome.problems));
  return outcome.value;
}

const ofFiles = (...files: readonly object[]) => configOf({ storage: { files } });
const luks = (rest: object) => configOf({ storage: { luks: [{ name: 'a', device: '/dev/a', ...rest }] } });
const HASH = `sha256-${'a'.repeat(64)}`;

/** What cannot be expressed, the newest version that lacks it, and the message. */
const INEXPRESSIBLE: readonly (readonly [
  what: string,
  config: IgnitionConfig,
  version: TargetVersion,
  problem: string,
])[] = [
  [
    'a key in a crypto card',
    luks({ cex: { enabled: true } }),
    '3.4.0',
    "storage.luks[0].cex: 'Cex' type is not supported in spec v3.4",
  ],
  [
    'special mode bits of a directory',
    configOf({ storage: { directories: [{ path: '/a', mode: 0o1777 }] } }),
    '3.3.0',
    'storage.directories[0].mode: special mode bits are not supported in spec v3.3',
  ],
  [
    'special mode bits of a file',
    ofFiles({ path: '/a', mode: 0o4755 }),
    '3.3.0',
    'storage.files[0].mode: special mode bits are not supported in spec v3.3',
  ],
  [
    'an ARN',
    ofFiles({ path: '/a', contents: { source: 'arn:aws:s3:::bucket/key' } }),
    '3.3.0',
    'storage.files[0].contents.source: arn: scheme for s3 is not supported in spec v3.3',
  ],
  [
    'discarding on an encrypted volume',
    luks({ discard: true }),
    '3.3.0',
    'storage.luks[0].discard: luks discard is not supported in spec v3.3',
  ],
  [
    'options for opening an encrypted volume',
    luks({ openOptions: ['--x'] }),
    '3.3.0',
    'storage.luks[0].openOptions: luks openOptions is not supported in spec v3.3',
  ],
  [
    'offline provisioning with tang',
    luks({ clevis: { tang: [{ url: 'https://t', thumbprint: 'p', advertisement: '{}' }] } }),
    '3.3.0',
    'storage.luks[0].clevis.tang[0].advertisement: tang offline provisioning is not supported in spec v3.3',
  ],
  [
    'kernel arguments',
    configOf({ kernelArguments: { shouldExist: ['quiet'] } }),
    '3.2.0',
    'kernelArguments: KernelArguments is not supported on 3.2',
  ],
  [
    'a filesystem that is not formatted',
    configOf({ storage: { filesystems: [{ device: '/dev/a', format: 'none' }] } }),
    '3.2.0',
    'storage.filesystems[0].format: format none of a filesystem is not supported on 3.2',
  ],
  ['encrypted volumes', luks({}), '3.1.0', 'storage.luks: LUKS is not supported on 3.1'],
  [
    'users that must not exist',
    configOf({ passwd: { users: [{ name: 'core', shouldExist: false }] } }),
    '3.1.0',
    'passwd.users[0].shouldExist: ShouldExist in Passwd.Users is not supported on 3.1',
  ],
  [
    'groups that must not exist',
    configOf({ passwd: { groups: [{ name: 'g', shouldExist: false }] } }),
    '3.1.0',
    'passwd.groups[0].shouldExist: ShouldExist in Passwd.Groups is not supported on 3.1',
  ],
  [
    'resized partitions',
    configOf({ storage: { disks: [{ device: '/dev/a', partitions: [{ number: 1, resize: true }] }] } }),
    '3.1.0',
    'storage.disks[0].partitions[0].resize: Resize in Storage.Disks.Partitions is not supported on 3.1',
  ],
  [
    'buckets of Google Cloud',
    ofFiles({ path: '/a', contents: { source: 'gs://bucket/key' } }),
    '3.1.0',
    'storage.files[0].contents.source: gs: scheme is not supported in spec v3.1',
  ],
  [
    'SHA-256',
    ofFiles({ path: '/a', contents: { source: 'https://a/b', verification: { hash: HASH } } }),
    '3.0.0',
    'storage.files[0].contents.verification.hash: sha256 is not supported on 3.0: use sha512',
  ],
  [
    'proxies',
    configOf({}, { proxy: { httpProxy: 'http://p' } }),
    '3.0.0',
    'ignition.proxy: HTTP proxies in Ignition.Proxy are not supported on 3.0',
  ],
];

describe('downConvert', () => {
  it.each(INEXPRESSIBLE)('refuses %s in versions that lack it', (_, config, version, problem) => {
    expect(problemsIn(config, version)).toEqual([problem]);
    const newer = TARGET_VERSIONS[TARGET_VERSIONS.indexOf(version) - 1] ?? '3.5.0';
    expect(problemsIn(config, newer)).toEqual([]);
  });

  it.each([
    [
      'HTTP headers',
      ofFiles({ path: '/a', contents: { source: 'https://a/b', httpHeaders: [{ name: 'A', value: '1' }] } }),
      'storage.files[0].contents.httpHeaders: HTTPHeaders in Storage.Files.Contents are not supported on 2.2',
    ],
    [
      'mount options',
      configOf({ storage: { filesystems: [{ device: '/dev/a', format: 'ext4', mountOptions: ['ro'] }] } }),
      'storage.filesystems[0].mountOptions: MountOptions in Storage.Filesystems is not supported on 2.2',
    ],
    ['encrypted volumes', luks({}), 'storage.luks: LUKS is not supported on 2.2'],
    [
      'packed configs to merge',
      configOf({}, { config: { merge: [{ source: 'https://a/b', compression: 'gzip' }] } }),
      'ignition.config.merge[0].compression: Compression in Ignition.Config.Merge is not supported on 2.2',
    ],
    [
      'partitions measured in MiB',
      configOf({ storage: { disks: [{ device: '/dev/a', partitions: [{ number: 1, sizeMiB: 5 }] }] } }),
      'storage.disks[0].partitions[0]: SizeMiB and StartMiB in Storage.Disks.Partitions is not supported on 2.2',
    ],
    [
      'partitions that must not exist',
      configOf({
        storage: { disks: [{ device: '/dev/a', partitions: [{ number: 1, shouldExist: false }] }] },
      }),
      'storage.disks[0].partitions[0]: ShouldExist in Storage.Disks.Partitions is not supported on 2.2',
    ],
  ])('refuses %s in version 2.2', (_, config, problem) => {
    expect(problemsIn(config, '2.2.0')).toEqual([problem]);
  });

  it('drops fields that say what is the case without them', () => {
    const config = configOf({
      passwd: { users: [{ name: 'core', shouldExist: true }] },
      storage: { luks: [] },
      kernelArguments: { shouldExist: [] },
    });
    expect(converted(config, '3.1.0')).toEqual({
      ignition: { version: '3.1.0' },
      passwd: { users: [{ name: 'core' }] },
    });
  });

  it('drops the empty compression of a reference before 3.1, and keeps that of a file', () => {
    const source = 'https://example.com/a';
    const config = configOf(
      { storage: { files: [{ path: '/a', contents: { source, compression: '' } }] } },
      { config: { replace: { source, compression: '' }, merge: [{ source, compression: '' }] } },
    );
    expect(converted(config, '3.0.0')).toMatchObject({
      ignition: { config: { replace: { source }, merge: [{ source }] } },
      storage: { files: [{ contents: { compression: '' } }] },
    });
    expect(JSON.stringify(converted(config, '3.0.0')).match(/compression/g)).toHaveLength(1);
    expect(JSON.stringify(converted(config, '3.1.0')).match(/compression/g)).toHaveLength(3);
  });

  it('names the filesystem that is mounted closest above each file of version 2.2', () => {
    const mounts = [
      { device: '/dev/a', format: 'ext4', path: '/var' },
      { device: '/dev/b', format: 'xfs', path: '/var/lib' },
      { device: '/dev/c', format: 'swap' },
    ];
    const paths = ['/etc/a', '/var/a', '/var/lib/a', '/var/library', '/variable'];
    const files = paths.map((path) => ({ path, contents: { source: 'data:,x' }, overwrite: true }));
    const config = configOf({
      storage: { filesystems: mounts, files, directories: [{ path: '/var/lib' }] },
    });
    expect(converted(config, '2.2.0')).toMatchObject({
      storage: {
        filesystems: [{ name: '/var' }, { name: '/var/lib' }, { name: '1' }],
        files: [
          { filesystem: 'root', path: '/etc/a' },
          { filesystem: '/var', path: '/a' },
          { filesystem: '/var/lib', path: '/a' },
          { filesystem: '/var', path: '/library' },
          { filesystem: 'root', path: '/variable' },
        ],
        directories: [{ filesystem: '/var/lib', path: '/' }],
      },
    });
  });

  it('writes the parts of a file as entries of version 2.2 that append to it', () => {
    const config = ofFiles(
      {
        path: '/a',
        overwrite: true,
        contents: { source: 'data:,x' },
        append: [{ source: 'data:,y' }, { source: 'data:,z' }],
      },
      { path: '/b', mode: 0o600 },
      { path: '/c', contents: { source: '' } },
    );
    expect(converted(config, '2.2.0')).toMatchObject({
      storage: {
        files: [
          { filesystem: 'root', path: '/a', overwrite: true, contents: { source: 'data:,x' } },
          { filesystem: 'root', path: '/a', append: true, contents: { source: 'data:,y' } },
          { filesystem: 'root', path: '/a', append: true, contents: { source: 'data:,z' } },
          { filesystem: 'root', path: '/b', append: true, mode: 0o600 },
          { filesystem: 'root', path: '/c', overwrite: false },
        ],
      },
    });
  });

  it.each(TARGET_VERSIONS)('means the same in %s once it is parsed again', (version) => {
    let expressible = 0;
    fc.assert(
      fc.property(anyConfig, (given) => {
        const parsed = parseIgnition(given);
        if (parsed.kind === 'invalid') return;
        const config = expressibleIn(
          version === '2.2.0' ? withinOurVersion2(parsed.value) : parsed.value,
          version,
        );
        if (config === undefined) return;
        const before = canonicalJson(config);
        const older = downConvert(config, version);
        expect(canonicalJson(config)).toBe(before);
        if (older.kind === 'invalid') throw new Error(JSON.stringify(older.problems));
        expressible++;
        expect(older.value.ignition).toMatchObject({ version });
        const again = parseIgnition(older.value);
        if (again.kind === 'invalid') throw new Error(JSON.stringify(again.problems));
        expect(again.warnings.filter(({ message }) => /ignored/.test(message))).toEqual([]);
        expect(meaning(again.value)).toBe(meaning(config));
      }),
      { numRuns: 2_000, seed: 18 },
    );
    expect(expressible).toBeGreaterThan(100);
  });
});

/** The config without what the version cannot express, where a valid one is left. */
function expressibleIn(config: IgnitionConfig, version: TargetVersion): IgnitionConfig | undefined {
  const older = downConvert(config, version);
  if (older.kind === 'ok') return config;
  const left = JSON.parse(JSON.stringify(config)) as IgnitionConfig;
  // From the last to the first, so that indexes stay right.
  for (const { path } of older.problems.toReversed()) {
    const steps = path.split(/[.[\]]+/).filter((step) => step !== '');
    const parent = steps
      .slice(0, -1)
      .reduce<unknown>(
        (value, step) => (isObject(value) || Array.isArray(value) ? (value as never)[step] : undefined),
        left,
      );
    const last = steps.at(-1) ?? '';
    if (Array.isArray(parent)) parent.splice(Number(last), 1);
    else if (isObject(parent)) delete (parent as Record<string, unknown>)[last];
  }
  const parsed = parseIgnition(left);
  if (parsed.kind === 'invalid') return undefined;
  return downConvert(parsed.value, version).kind === 'ok' ? parsed.value : undefined;
}

/** Our parser of version 2 knows one user, no filesystems and partitions, and one entry for each path. */
function withinOurVersion2(config: IgnitionConfig): IgnitionConfig {
  const { filesystems: _, luks: __, disks, files, ...storage } = config.storage ?? {};
  const plain = files?.filter(({ contents, append = [] }) => {
    return append.length + (contents?.source === undefined ? 0 : 1) <= 1;
  });
  const passwd = { ...config.passwd, users: config.passwd?.users?.filter(({ name }) => name === 'core') };
  const bare = disks?.map(({ partitions: ___, ...disk }) => disk);
  const reduced = { ...config, passwd, storage: { ...storage, files: plain, disks: bare } };
  return JSON.parse(JSON.stringify(reduced)) as IgnitionConfig;
}

/** Values that mean the same as none, everywhere or in one field. */
const NONE: readonly unknown[] = ['', false];

/** The config in one form, for comparing: sorted, without what says nothing. */
function meaning(config: IgnitionConfig): string {
  const files = config.storage?.files?.map(({ contents, append, ...file }) => ({
    ...file,
    isOverwritten: file.overwrite === true,
    parts: [
      ...(contents?.source === undefined
        ? []
        : [{ what: 'written', ...contents, source: `=${contents.source}` }]),
      ...(append ?? []).map((one) => ({ what: 'appended', ...one, source: `=${one.source ?? ''}` })),
      // Nothing that is appended makes a file exist.
    ].filter((part) => part.what === 'written' || part.source !== '='),
  }));
  const sorted = files?.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const units = config.systemd?.units
    ?.map(({ enabled, ...unit }) => ({
      ...unit,
      ...(enabled !== undefined && { isEnabled: String(enabled) }),
    }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const users = config.passwd?.users?.map(({ passwordHash, ...user }) => ({
    ...user,
    ...(passwordHash !== undefined && { hash: `=${passwordHash}` }),
  }));
  return canonicalJson(
    withoutNone({
      ...config,
      passwd: { ...config.passwd, users },
      storage: { ...config.storage, files: sorted },
      systemd: { units },
    }) as never,
  );
}

function withoutNone(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNone);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).flatMap(([name, item]) => {
    const inner = withoutNone(item);
    const isEmpty = isObject(inner) && Object.keys(inner).length === 0;
    const isNone =
      inner === undefined ||
      NONE.includes(inner) ||
      isEmpty ||
      (Array.isArray(inner) && inner.length === 0) ||
      (name === 'shouldExist' && inner === true) ||
      (name === 'spares' && inner === 0);
    return isNone ? [] : [[name, inner] as const];
  });
  return Object.fromEntries(kept);
}
