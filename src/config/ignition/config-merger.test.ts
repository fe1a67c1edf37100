import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aRandomConfig } from '../../../test/support/arbitraries.ts';
import { aConfig, aFile } from '../../../test/support/build.ts';
import type { IgnitionConfig } from './config.ts';
import { configShape } from './config.ts';
import { ConfigMerger, type MergedConfig } from './config-merger.ts';
import type { Contribution } from './contribution.ts';
import { encodeIgnition } from './encode-ignition.ts';
import { mergeValues } from './merge-values.ts';
import { parseIgnition } from './parse-ignition.ts';

/** Merges configs that come from sources a, b, c… */
function merge(...configs: readonly IgnitionConfig[]): MergedConfig {
  const merger = new ConfigMerger();
  configs.forEach((config, index) => {
    merger.absorb(config, String.fromCharCode('a'.charCodeAt(0) + index));
  });
  return merger.finish();
}

const files = (...items: readonly object[]) => aConfig({ storage: { files: items as [] } });
const units = (...items: readonly object[]) => aConfig({ systemd: { units: items as [] } });
const filesOf = ({ config }: MergedConfig) => config.storage?.files;
const unitsOf = ({ config }: MergedConfig) => config.systemd?.units;

describe('merging files', () => {
  it('keeps the first position and the last content', () => {
    const merged = merge(
      files(aFile('/etc/a', '1', { mode: 0o600 }), aFile('/etc/b', '1')),
      files(aFile('/etc/c', '2'), aFile('/etc/a', '2')),
    );
    expect(filesOf(merged)).toEqual([
      aFile('/etc/a', '2', { mode: 0o600 }),
      aFile('/etc/b', '1'),
      aFile('/etc/c', '2'),
    ]);
  });

  it('drops the compression of the parent with new contents', () => {
    const gzip = { path: '/etc/a', contents: { source: 'data:,x', compression: 'gzip' } };
    expect(filesOf(merge(files(gzip), files(aFile('/etc/a', 'new'))))).toEqual([aFile('/etc/a', 'new')]);
  });

  it('keeps the compression of the parent if the child has no contents', () => {
    const gzip = { path: '/etc/a', contents: { source: 'data:,x', compression: 'gzip' } };
    expect(filesOf(merge(files(gzip), files({ path: '/etc/a', mode: 0o600 })))).toEqual([
      { ...gzip, mode: 0o600 },
    ]);
  });

  it('keeps the hash of the parent with new contents', () => {
    const verification = { hash: `sha256-${'0'.repeat(64)}` };
    const parent = { path: '/etc/a', contents: { source: 'data:,x', verification } };
    expect(filesOf(merge(files(parent), files(aFile('/etc/a', 'new'))))).toEqual([
      { path: '/etc/a', contents: { source: 'data:,new', verification } },
    ]);
  });

  it('concatenates append lists', () => {
    const appended = (text: string) => ({ path: '/etc/a', append: [{ source: `data:,${text}` }] });
    expect(filesOf(merge(files(appended('1')), files(appended('2'))))).toEqual([
      { path: '/etc/a', append: [{ source: 'data:,1' }, { source: 'data:,2' }] },
    ]);
  });

  it('never outputs an empty compression', () => {
    const plain = { path: '/etc/a', contents: { source: 'data:,x', compression: '' } };
    expect(filesOf(merge(files(plain)))).toEqual([{ path: '/etc/a', contents: { source: 'data:,x' } }]);
  });
});

describe('files, directories and links', () => {
  const file = files(aFile('/etc/a', ''));
  const directory = aConfig({ storage: { directories: [{ path: '/etc/a' }] } });
  const link = aConfig({ storage: { links: [{ path: '/etc/a', target: '/x' }] } });

  it.each([
    ['a link takes the place of a file', [file, link], { links: [{ path: '/etc/a', target: '/x' }] }],
    ['a file takes the place of a link', [link, file], { files: [aFile('/etc/a', '')] }],
    ['a directory takes the place of both', [file, link, directory], { directories: [{ path: '/etc/a' }] }],
  ])('%s', (_, configs, storage) => {
    expect(merge(...configs).config.storage).toEqual(storage);
  });

  it('record which items they replaced', () => {
    expect(merge(file, link, directory).contributions).toEqual([
      { kind: 'directory', name: '/etc/a', source: 'c', overrode: ['a', 'b'] },
    ]);
  });
});

describe('merging units', () => {
  it('keeps fields that the child does not set', () => {
    const merged = merge(
      units({ name: 'a.service', enabled: true, contents: '[Unit]\n' }),
      units({ name: 'a.service', mask: true }),
    );
    expect(unitsOf(merged)).toEqual([{ name: 'a.service', enabled: true, mask: true, contents: '[Unit]\n' }]);
  });

  it('adds drop-ins, replaces those of the same name, and allows empty contents', () => {
    const unit = (...dropins: readonly object[]) => units({ name: 'a.service', dropins });
    const merged = merge(
      unit({ name: '1.conf', contents: 'a' }, { name: '2.conf', contents: 'a' }),
      unit({ name: '2.conf', contents: '' }, { name: '3.conf', contents: 'b' }),
    );
    expect(unitsOf(merged)?.[0]?.dropins).toEqual([
      { name: '1.conf', contents: 'a' },
      { name: '2.conf', contents: '' },
      { name: '3.conf', contents: 'b' },
    ]);
  });
});

describe('merging the other sections', () => {
  const table: readonly [
    string,
    readonly Omit<IgnitionConfig, 'ignition'>[],
    Omit<IgnitionConfig, 'ignition'>,
  ][] = [
    [
      'SSH keys only add up',
      [
        { passwd: { users: [{ name: 'core', sshAuthorizedKeys: ['x', 'y'] }] } },
        { passwd: { users: [{ name: 'core', sshAuthorizedKeys: ['y', 'z'] }] } },
      ],
      { passwd: { users: [{ name: 'core', sshAuthorizedKeys: ['x', 'y', 'z'] }] } },
    ],
    [
      'partitions are known by number, else by label',
      [
        {
          storage: { disks: [{ device: '/dev/a', partitions: [{ number: 1, label: 'x' }, { label: 'y' }] }] },
        },
        {
          storage: {
            disks: [
              {
                device: '/dev/a',
                partitions: [
                  { number: 1, sizeMiB: 5 },
                  { label: 'y', sizeMiB: 6 },
                ],
              },
            ],
          },
        },
      ],
      {
        storage: {
          disks: [
            {
              device: '/dev/a',
              partitions: [
                { number: 1, label: 'x', sizeMiB: 5 },
                { label: 'y', sizeMiB: 6 },
              ],
            },
          ],
        },
      },
    ],
    [
      'options of file systems are concatenated',
      [
        { storage: { filesystems: [{ device: '/dev/a', options: ['-x'], mountOptions: ['ro'] }] } },
        { storage: { filesystems: [{ device: '/dev/a', options: ['-x'], mountOptions: ['nodev'] }] } },
      ],
      {
        storage: {
          filesystems: [{ device: '/dev/a', options: ['-x', '-x'], mountOptions: ['ro', 'nodev'] }],
        },
      },
    ],
    [
      'kernel arguments are wanted or unwanted, not both',
      [
        { kernelArguments: { shouldExist: ['a', 'b'] } },
        { kernelArguments: { shouldExist: ['c'], shouldNotExist: ['a'] } },
      ],
      { kernelArguments: { shouldExist: ['b', 'c'], shouldNotExist: ['a'] } },
    ],
  ];
  it.each(table)('%s', (_, configs, expected) => {
    expect(merge(...configs.map(aConfig)).config).toEqual(aConfig(expected));
  });

  it('removes a header that is given without a value', () => {
    const source = 'https://example.com';
    const withHeaders = (...httpHeaders: readonly object[]) =>
      ({
        ignition: { version: '3.5.0', config: { merge: [{ source, httpHeaders }] } },
      }) as unknown as IgnitionConfig;
    const merged = merge(
      withHeaders({ name: 'A', value: '1' }, { name: 'B', value: '2' }),
      withHeaders({ name: 'A' }),
    );
    expect(merged.config.ignition.config?.merge).toEqual([
      { source, httpHeaders: [{ name: 'B', value: '2' }] },
    ]);
  });
});

describe('contributions', () => {
  const about = ({ contributions }: MergedConfig, name: string): Contribution | undefined =>
    contributions.find((one) => one.name === name);

  it('name the source that won and those it overrode', () => {
    const merged = merge(
      files(aFile('/etc/a', '1')),
      files(aFile('/etc/a', '2')),
      files(aFile('/etc/a', '3')),
    );
    expect(about(merged, '/etc/a')).toEqual({
      kind: 'file',
      name: '/etc/a',
      source: 'c',
      overrode: ['a', 'b'],
    });
  });

  it('list the fields that come from earlier sources', () => {
    const merged = merge(
      files(aFile('/etc/a', '1', { mode: 0o600 })),
      files({ path: '/etc/a', mode: 0o644 }),
    );
    expect(about(merged, '/etc/a')).toEqual({
      kind: 'file',
      name: '/etc/a',
      source: 'b',
      overrode: ['a'],
      kept: { contents: 'a' },
    });
  });

  it('do not count an added drop-in as an override', () => {
    const merged = merge(
      units({ name: 'a.service', contents: '[Unit]\n' }),
      units({ name: 'a.service', dropins: [{ name: 'x.conf', contents: '' }] }),
    );
    expect(merged.contributions).toEqual([
      { kind: 'unit', name: 'a.service', source: 'a', overrode: [] },
      { kind: 'dropin', name: 'a.service/x.conf', source: 'b', overrode: [] },
    ]);
  });
});

describe('ConfigMerger', () => {
  /** The slow way: pair by pair over the whole config, as the format defines it. */
  function fold(configs: readonly IgnitionConfig[]): IgnitionConfig {
    // Contents without compression are uncompressed, before they are merged with a parent.
    const plain = (config: IgnitionConfig): IgnitionConfig => ({
      ...config,
      storage: {
        ...config.storage,
        files: (config.storage?.files ?? []).map((file) =>
          file.contents?.source === undefined
            ? file
            : { ...file, contents: { compression: '', ...file.contents } },
        ),
      },
    });
    const sum = configs.reduce<unknown>(
      (all, config) => mergeValues(configShape, all, plain(config)),
      undefined,
    );
    const merged = sum as IgnitionConfig;
    const cleaned = (merged.storage?.files ?? []).map((file) => {
      if (file.contents?.compression !== '') return file;
      const { compression: _, ...contents } = file.contents;
      return { ...file, contents };
    });
    return encodeIgnition({
      ...merged,
      storage: { ...merged.storage, files: cleaned },
    }) as unknown as IgnitionConfig;
  }

  it('gives the same result as merging pair by pair', () => {
    fc.assert(
      fc.property(fc.array(aRandomConfig, { minLength: 1, maxLength: 5 }), (configs) => {
        const parsed = configs.map((config) => {
          const outcome = parseIgnition(config);
          if (outcome.kind === 'invalid') throw new Error(JSON.stringify(outcome.problems));
          return outcome.value;
        });
        expect(merge(...parsed).config).toEqual(fold(parsed));
      }),
      { numRuns: 300 },
    );
  });
});
