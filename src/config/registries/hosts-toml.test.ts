import { describe, expect, it } from 'vitest';
import { hostsToml, hostsTomlPath } from './hosts-toml.ts';
import { parseRegistriesConf } from './registries-conf.ts';

const translate = (...lines: readonly string[]) => {
  const conf = parseRegistriesConf(lines.join('\n'));
  if (conf.kind !== 'ok') throw new Error(JSON.stringify(conf.problems));
  const { files, findings } = hostsToml(conf.value);
  const texts = files.map(({ path, text }) => [path, ...text.trimEnd().split('\n').slice(1)]);
  return { texts, findings: findings.map(({ scope, message }) => `${scope}: ${message}`) };
};

const registry = (location: string, ...fields: readonly string[]) => [
  '[[registry]]',
  `location = "${location}"`,
  ...fields,
];
const mirror = (location: string, ...fields: readonly string[]) => [
  '[[registry.mirror]]',
  `location = "${location}"`,
  ...fields,
];
const TAGS = 'pull-from-mirror = "tag-only"';
const DIGESTS = 'pull-from-mirror = "digest-only"';
const QUAY = '/etc/containerd/certs.d/quay.io/hosts.toml';

describe('a hosts.toml', () => {
  it('lists the mirrors of a registry in their order, with what each may be asked for', () => {
    const { texts, findings } = translate(
      ...registry('quay.io'),
      ...mirror('one.example', DIGESTS),
      ...mirror('two.example:5000/proxy/quay', 'pull-from-mirror = "all"'),
      ...mirror('three.example'),
    );
    expect(texts).toEqual([
      [
        QUAY,
        '',
        '[host."https://one.example"]',
        '  capabilities = [ "pull" ]',
        '',
        '[host."https://two.example:5000/v2/proxy/quay"]',
        '  capabilities = [ "pull", "resolve" ]',
        '  override_path = true',
        '',
        '[host."https://three.example"]',
        '  capabilities = [ "pull", "resolve" ]',
      ],
    ]);
    expect(findings).toEqual([]);
  });

  it('says that a mirror for tags serves digests as well, unless it is meant to', () => {
    const tags = translate(...registry('quay.io'), ...mirror('m.example', TAGS));
    expect(tags.findings).toEqual([
      'quay.io: containerd has no mirrors for tags only: it asks the mirror "m.example" of "quay.io" for pulls by digest as well',
    ]);
    const both = translate(
      ...registry('quay.io'),
      ...mirror('m.example', DIGESTS),
      ...mirror('m.example', TAGS),
    );
    expect(both.texts).toEqual([
      [QUAY, '', '[host."https://m.example"]', '  capabilities = [ "pull", "resolve" ]'],
    ]);
    expect(both.findings).toEqual([]);
  });

  it('blocks a registry, with and without mirrors', () => {
    const blocked = ['server = "https://quay.io"', 'capabilities = [ "push" ]'];
    const own = ['', '[host."https://quay.io"]', '  capabilities = [ "push" ]'];
    expect(translate(...registry('quay.io', 'blocked = true')).texts).toEqual([[QUAY, ...blocked, ...own]]);
    const never = translate(...registry('quay.io', 'blocked = true'), ...mirror('m.example', DIGESTS));
    const table = ['', '[host."https://m.example"]', '  capabilities = [ "pull" ]'];
    expect(never.texts).toEqual([[QUAY, ...blocked, ...table, ...own]]);
    expect(never.findings).toEqual([]);
  });

  it('reaches what is insecure by both protocols, without a check of the certificate', () => {
    const { texts } = translate(...registry('r.example:5000', 'insecure = true'));
    expect(texts).toEqual([
      [
        '/etc/containerd/certs.d/r.example:5000/hosts.toml',
        'server = "http://r.example:5000"',
        '',
        '[host."https://r.example:5000"]',
        '  capabilities = [ "pull", "resolve" ]',
        '  skip_verify = true',
      ],
    ]);
    const mirrored = translate(...registry('quay.io'), ...mirror('m.example/x', 'insecure = true', DIGESTS));
    expect(mirrored.texts).toEqual([
      [
        QUAY,
        '',
        '[host."https://m.example/v2/x"]',
        '  capabilities = [ "pull" ]',
        '  skip_verify = true',
        '  override_path = true',
        '',
        '[host."http://m.example/v2/x"]',
        '  capabilities = [ "pull" ]',
        '  override_path = true',
      ],
    ]);
  });

  it('leads to another location', () => {
    expect(translate('[[registry]]', 'prefix = "quay.io"', 'location = "m.example/q"').texts).toEqual([
      [
        QUAY,
        'server = "https://m.example/v2/q"',
        'override_path = true',
        '',
        '[host."https://m.example/v2/q"]',
        '  capabilities = [ "pull", "resolve" ]',
        '  override_path = true',
      ],
    ]);
  });

  it('is not written for a registry without settings', () => {
    expect(translate(...registry('quay.io'))).toEqual({ texts: [], findings: [] });
    expect(translate()).toEqual({ texts: [], findings: [] });
  });

  it('is sorted by path', () => {
    const { texts } = translate(
      ...registry('quay.io', 'blocked = true'),
      ...registry('docker.io', 'blocked = true'),
    );
    expect(texts.map(([path]) => path)).toEqual([hostsTomlPath('docker.io'), QUAY]);
  });
});

describe('what a hosts.toml cannot express', () => {
  it.each<[string, readonly string[], string]>([
    [
      'a repository',
      [...registry('quay.io/team'), ...mirror('m.example/team', DIGESTS)],
      'quay.io/team: containerd has settings for whole registries only: "quay.io/team" is not applied, and no setting applies to its images. Name the registry quay.io instead',
    ],
    [
      'a blocked repository',
      registry('quay.io/team', 'blocked = true'),
      'quay.io/team: containerd has settings for whole registries only: "quay.io/team" is not applied, and no setting applies to its images. Name the registry quay.io instead',
    ],
    [
      'a wildcard',
      ['[[registry]]', 'prefix = "*.example.com"', 'blocked = true'],
      '*.example.com: containerd has no wildcards: "*.example.com" is not applied. Name every registry that it stands for',
    ],
    [
      'a name that is no path',
      registry('..', 'blocked = true'),
      '..: ".." is not applied: ".." is no registry',
    ],
    [
      'a mirror that is no location',
      [...registry('quay.io'), ...mirror('https://m.example', DIGESTS)],
      'quay.io: "quay.io" is not applied: "https://m.example" is no registry or repository',
    ],
    [
      'search registries',
      ['unqualified-search-registries = ["quay.io", "docker.io"]'],
      ': containerd completes short image names with docker.io alone: unqualified-search-registries has no effect',
    ],
  ])('is named and not written: %s', (_, lines, finding) => {
    expect(translate(...lines)).toEqual({ texts: [], findings: [finding] });
  });

  it('includes that other settings apply to a repository', () => {
    const { texts, findings } = translate(
      ...registry('quay.io', 'blocked = true'),
      ...registry('quay.io/team'),
    );
    expect(texts).toHaveLength(1);
    expect(findings).toEqual([
      'quay.io/team: containerd has settings for whole registries only: "quay.io/team" is not applied, and the settings of quay.io apply to its images. Name the registry quay.io instead',
    ]);
  });

  it('does not include a repository with the settings of its registry', () => {
    const { findings } = translate(
      ...registry('quay.io', 'insecure = true'),
      ...mirror('m.example/q', DIGESTS),
      ...registry('quay.io/team', 'insecure = true'),
      ...mirror('m.example/q/team', DIGESTS),
      ...registry('docker.io/library'),
    );
    expect(findings).toEqual([]);
  });
});
