/**
 * Random Ignition configs with every section: mostly valid, with occasional errors.
 *
 * They avoid our deliberate differences (`corpus/ignition-differences.json`), so that every disagreement is a bug.
 */
import fc from 'fast-check';
import { parseIgnition } from '../../src/config/ignition/index.ts';

const some = fc.constantFrom;
const sometimes = <T>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(fields, { requiredKeys: [] });

/** Mostly valid values: a config has many of them and should be valid now and then. */
const mostly = <T>(good: readonly T[], ...bad: readonly T[]) =>
  fc.oneof({ weight: 60, arbitrary: some(...good) }, { weight: 1, arbitrary: some(...bad) });

/** A list mostly without duplicates. */
const distinct = <T>(item: fc.Arbitrary<T>, keyOf: (item: T) => unknown, maxLength = 3) =>
  fc.oneof(
    { weight: 60, arbitrary: fc.uniqueArray(item, { selector: keyOf, maxLength }) },
    { weight: 1, arbitrary: fc.array(item, { maxLength }) },
  );
const list = <T>(item: fc.Arbitrary<T>, maxLength = 2) => fc.array(item, { maxLength });
const strings = (...good: string[]) => distinct(some(...good), (text) => text);

const resource = sometimes({
  source: mostly(['data:,x', 'data:,y', 'data:;base64,eA==', 'http://a/b', 'https://a/c', ''], 'ftp://a'),
  compression: mostly(['', 'gzip'], 'xz'),
});
const remote = fc.record(
  {
    source: mostly(['http://a/b', 'https://a/c'], 'ftp://a', 'data:,z'),
    compression: mostly(['', 'gzip'], 'xz'),
    verification: sometimes({ hash: mostly([`sha512-${'a'.repeat(128)}`], 'sha512-abc', 'none') }),
    httpHeaders: distinct(
      fc.record({ name: mostly(['A', 'B'], ''), value: mostly(['1', '2'], '') }, { requiredKeys: ['name'] }),
      ({ name }) => name,
    ),
  },
  { requiredKeys: ['source'] },
);
const contents = fc.oneof(resource, remote);

const owner = fc.oneof(
  { weight: 30, arbitrary: sometimes({ id: some(0, 5) }) },
  { weight: 30, arbitrary: sometimes({ name: some('core', '') }) },
  { weight: 1, arbitrary: fc.record({ id: some(0), name: some('core') }) },
);
const mode = mostly([0, 0o644, 0o777, 0o1777, 0o4755], -1, 0o10000);
const nodeParts = { overwrite: some(false), user: owner, group: owner, mode };

const FILE_PATHS = ['/etc/a', '/etc/b', '/etc/b/c', '/etc/systemd/system/a.service'];
const file = fc.oneof(
  fc.record(
    { ...nodeParts, path: mostly(FILE_PATHS, 'x', '/y/', ''), contents, append: list(contents) },
    { requiredKeys: ['path'] },
  ),
  fc.record({ path: some(...FILE_PATHS), overwrite: fc.boolean(), contents: remote }),
);
const directory = fc.record(
  { ...nodeParts, path: mostly(['/var/d', '/etc/b', '/'], 'x', '/y/') },
  { requiredKeys: ['path'] },
);
const link = fc.record({
  path: mostly(['/usr/l', '/etc/a'], 'x', '/var'),
  target: some('/etc/a', 'q'),
  hard: fc.boolean(),
});

const partition = fc.record(
  {
    number: some(1, 2, 3),
    label: mostly(['a', 'b'], 'c:d'),
    sizeMiB: some(10),
    startMiB: mostly([0], 100, 105),
    guid: mostly(['', '01234567-89AB-CDEF-EDCB-A98765432101'], 'x'),
    wipePartitionEntry: fc.boolean(),
  },
  { requiredKeys: ['number'] },
);
const disk = fc.record(
  {
    device: mostly(['/dev/a', '/dev/b'], 'c'),
    wipeTable: fc.boolean(),
    partitions: distinct(partition, ({ number }) => number, 2),
  },
  { requiredKeys: ['device'] },
);
const raid = fc.record({
  name: some('md0', 'md1'),
  level: mostly(['raid1', '5'], 'x', '0'),
  devices: fc.uniqueArray(mostly(['/dev/a', '/dev/b'], 'c'), { minLength: 1 }),
  spares: some(0, 1),
  options: list(some('-a', '-b')),
});
const filesystem = fc.record(
  {
    device: mostly(['/dev/a', '/dev/b', '/dev/c'], ''),
    format: mostly(['ext4', 'xfs'], 'ntfs', ''),
    path: mostly(['/var/d', ''], 'e'),
    label: mostly(['short', ''], 'much-too-long-for-it'),
    wipeFilesystem: fc.boolean(),
    options: list(some('-a', '-b')),
    mountOptions: list(some('ro', 'noexec')),
  },
  { requiredKeys: ['device', 'format'] },
);
const tang = fc.record({ url: mostly(['http://t', 'https://u'], 'v'), thumbprint: mostly(['p'], '') });
const luks = fc.record(
  {
    name: mostly(['l', 'm'], 'n/o'),
    device: mostly(['/dev/a', '/dev/b'], ''),
    label: mostly(['x'], 'y'.repeat(48)),
    options: list(some('-a', '-b')),
    openOptions: strings('-a', '-b'),
    discard: fc.boolean(),
    cex: sometimes({ enabled: mostly([false], true) }),
    clevis: sometimes({
      tpm2: fc.boolean(),
      threshold: some(0, 1),
      tang: distinct(tang, ({ url }) => url),
    }),
  },
  { requiredKeys: ['name', 'device'] },
);
const storage = sometimes({
  files: distinct(file, ({ path }) => path),
  directories: distinct(directory, ({ path }) => path, 2),
  links: distinct(link, ({ path }) => path, 1),
  disks: distinct(disk, ({ device }) => device, 2),
  raid: distinct(raid, ({ name }) => name, 2),
  filesystems: distinct(filesystem, ({ device }) => device, 2),
  luks: distinct(luks, ({ name }) => name, 2),
});

const unitText = mostly(
  [
    '',
    '[Unit]\nDescription=x\n',
    '[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n',
    '[Service]\nA=b \\\n  c\n# d \\\ne\n',
  ],
  '[Unit',
  '[Unit] x\n',
  '[Unit]\nA\n',
);
const dropin = fc.record(
  { name: mostly(['a.conf', 'b.conf'], 'c'), contents: unitText },
  { requiredKeys: ['name'] },
);
const unit = fc.record(
  {
    name: mostly(['a.service', 'b@.service', 'b@c.service', 'd.timer'], 'e'),
    contents: unitText,
    enabled: fc.boolean(),
    mask: fc.boolean(),
    dropins: distinct(dropin, ({ name }) => name, 2),
  },
  { requiredKeys: ['name'] },
);

const user = fc.record(
  {
    name: some('core', 'bob', ''),
    passwordHash: some('x', ''),
    sshAuthorizedKeys: strings('ssh-ed25519 A', 'ssh-ed25519 B', 'ssh-rsa C'),
    groups: strings('wheel', 'sudo'),
    uid: some(0, 1000),
    noCreateHome: fc.boolean(),
    shell: some('/bin/sh', ''),
    shouldExist: fc.boolean(),
  },
  { requiredKeys: ['name'] },
);
const group = fc.record(
  { name: some('g', 'h'), gid: some(0, 5), system: fc.boolean() },
  { requiredKeys: ['name'] },
);
const passwd = sometimes({
  users: distinct(user, ({ name }) => name, 2),
  groups: distinct(group, ({ name }) => name, 2),
});

const ignition = sometimes({
  config: sometimes({ merge: distinct(remote, ({ source }) => source, 2), replace: contents }),
  timeouts: sometimes({ httpTotal: some(0, 5), httpResponseHeaders: some(1) }),
  security: sometimes({
    tls: sometimes({ certificateAuthorities: distinct(remote, ({ source }) => source, 2) }),
  }),
  proxy: sometimes({
    httpProxy: mostly(['http://p', 'https://q'], 'p'),
    httpsProxy: mostly(['https://p', 'http://p'], ''),
    noProxy: strings('a', 'b'),
  }),
});
const kernelArguments = sometimes({
  shouldExist: strings('quiet', 'a=b'),
  shouldNotExist: strings('c', 'a=b'),
});

/** The versions that agree on all of the above. */
const version = some('3.3.0', '3.4.0', '3.5.0');

export const anyConfig: fc.Arbitrary<unknown> = fc
  .tuple(
    version,
    ignition,
    sometimes({
      kernelArguments,
      passwd,
      storage,
      systemd: sometimes({ units: distinct(unit, ({ name }) => name) }),
    }),
  )
  .map(([number, head, rest]) => ({ ignition: { ...head, version: number }, ...rest }));

/**
 * Valid configs to merge, at least two. Every file has contents: we deliberately merge files without contents in another
 * way.
 */
export const someConfigs: fc.Arbitrary<readonly unknown[]> = fc.array(
  anyConfig.filter((config) => {
    const parsed = parseIgnition(config);
    const files = parsed.kind === 'ok' ? (parsed.value.storage?.files ?? []) : [];
    return parsed.kind === 'ok' && files.every((one) => one.contents?.source !== undefined);
  }),
  { minLength: 2, maxLength: 5 },
);
