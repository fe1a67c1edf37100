import { describe, expect, it } from 'vitest';
import { aMachineConfig } from '../../../test/support/build.ts';
import {
  aClusterImagePolicy,
  anIdms,
  anImage,
  anImagePolicy,
  anItms,
  objectsOf,
  PUBLIC_KEY,
  type SomeObject,
} from '../../../test/support/build-registries.ts';
import { encodeIgnition, fileContents, type IgnitionConfig } from '../ignition/index.ts';
import { readBaseFiles } from './base-files.ts';
import { readRegistries, registriesConfig } from './registries-config.ts';

const POLICY = { default: [{ type: 'insecureAcceptAnything' }] };
const base = { search: ['docker.io'], policy: JSON.stringify(POLICY) };
const CONF = '/etc/containers/registries.conf';
const NEVER = 'NeverContactSource';

const asConfig = (config: IgnitionConfig) =>
  aMachineConfig('99-worker-generated-registries', { config: encodeIgnition(config) });

function configOf(objects: readonly SomeObject[], before?: IgnitionConfig): IgnitionConfig {
  const last = before === undefined ? undefined : asConfig(before);
  return registriesConfig(readRegistries(objectsOf(...objects)), { base, last });
}

/** Path by path what the files hold. */
function filesOf(config: IgnitionConfig): { readonly [path: string]: string | undefined } {
  return Object.fromEntries(
    (config.storage?.files ?? []).map(({ path, contents }) => {
      const bytes = fileContents(contents);
      return [path, bytes.kind === 'ok' ? new TextDecoder().decode(bytes.value) : ''];
    }),
  );
}
const files = (...objects: readonly SomeObject[]) => filesOf(configOf(objects));
const conf = (config: IgnitionConfig) => filesOf(config)[CONF];

const mirrored = (source: string, ...mirrors: readonly string[]) => ({ source, mirrors });
const never = (source: string, ...mirrors: readonly string[]) => ({
  ...({ source, mirrors, mirrorSourcePolicy: NEVER } as const),
});

describe('the files of a pool', () => {
  it('are empty without any settings', () => {
    expect(configOf([])).toEqual({ ignition: { version: '3.5.0' } });
    expect(files(anImage({}), anImage({ allowedRegistries: [], blockedRegistries: [] }))).toEqual({});
  });

  it('have a fixed order and base64 encoding', () => {
    const config = configOf([
      anImage({ containerRuntimeSearchRegistries: ['quay.io'], allowedRegistries: ['quay.io', 'docker.io'] }),
      anItms('t', mirrored('docker.io', 'mirror.example/hub')),
      aClusterImagePolicy('all', ['quay.io/signed']),
      anImagePolicy({ namespace: 'b', name: 'p' }, ['docker.io/b']),
      anImagePolicy({ namespace: 'a', name: 'p' }, ['docker.io/a']),
    ]);
    expect(config.storage?.files?.map(({ path }) => path)).toEqual([
      CONF,
      '/etc/containers/policy.json',
      '/etc/containers/registries.d/sigstore-registries.yaml',
      '/etc/crio/policies/a.json',
      '/etc/crio/policies/b.json',
      '/etc/containers/registries.conf.d/01-image-searchRegistries.conf',
    ]);
    for (const file of config.storage?.files ?? []) {
      expect(file).toMatchObject({ mode: 0o644, overwrite: true, contents: { compression: '' } });
      expect(file.contents?.source).toMatch(/^data:text\/plain;charset=utf-8;base64,[A-Za-z0-9+/]+=*$/);
    }
  });

  it.each<readonly [string, SomeObject, boolean]>([
    ['an empty mirror set', anItms('empty'), true],
    ['a list of insecure registries, be it empty', anImage({ insecureRegistries: [] }), true],
    ['a blocked registry', anImage({ blockedRegistries: ['b.io'] }), true],
    ['an empty list of blocked ones', anImage({ blockedRegistries: [] }), false],
    ['allowed ones', anImage({ allowedRegistries: ['b.io'] }), false],
    ['search registries', anImage({ containerRuntimeSearchRegistries: ['b.io'] }), false],
  ])('include registries.conf for %s: %s', (_, object, expected) => {
    expect(CONF in files(object)).toBe(expected);
  });

  it('never include a drop-in for mirrors', () => {
    const paths = Object.keys(
      files(anItms('t', mirrored('docker.io', 'm.io')), anIdms('d', mirrored('q.io', 'm.io'))),
    );
    expect(paths).toEqual([CONF]);
  });

  it('combine all sets in registries.conf and keep the search registries of the base', () => {
    const text = files(
      anIdms('d', mirrored('docker.io', 'mirror.example/digests')),
      anItms('t', mirrored('docker.io', 'mirror.example/tags')),
    )[CONF];
    expect(text).toBe(`\
unqualified-search-registries = ["docker.io"]
short-name-mode = ""
additional-layer-store-auth-helper = ""

[[registry]]
  prefix = ""
  location = "docker.io"

  [[registry.mirror]]
    location = "mirror.example/digests"
    pull-from-mirror = "digest-only"

  [[registry.mirror]]
    location = "mirror.example/tags"
    pull-from-mirror = "tag-only"
`);
  });

  it('include search registries in a separate drop-in', () => {
    const path = '/etc/containers/registries.conf.d/01-image-searchRegistries.conf';
    expect(files(anImage({ containerRuntimeSearchRegistries: ['b.io', 'a.io'] }))[path]).toBe(`\
unqualified-search-registries = ["b.io", "a.io"]
short-name-mode = ""
additional-layer-store-auth-helper = ""
`);
  });
});

describe('policy.json', () => {
  const accept = [{ type: 'insecureAcceptAnything' }];
  const reject = [{ type: 'reject' }];
  const signed = {
    ...{ type: 'sigstoreSigned', keyData: PUBLIC_KEY },
    signedIdentity: { type: 'matchRepoDigestOrExact' },
  };
  const policy = (...objects: readonly SomeObject[]) =>
    JSON.parse(files(...objects)['/etc/containers/policy.json'] ?? 'null');

  it('rejects all but allowed registries', () => {
    const scopes = { 'a.io': accept, 'b.io/x/y': accept };
    expect(policy(anImage({ allowedRegistries: ['b.io/x/y', 'a.io'] }))).toEqual({
      default: reject,
      transports: { atomic: scopes, docker: scopes },
    });
  });

  it('accepts all but blocked registries', () => {
    const scopes = { 'a.io': reject, '*.b.io': reject };
    expect(policy(anImage({ blockedRegistries: ['a.io', '*.b.io'] }))).toEqual({
      default: accept,
      transports: { atomic: scopes, docker: scopes },
    });
  });

  it('requires signatures also for allowed registries', () => {
    const image = anImage({ allowedRegistries: ['a.io', 'b.io'] });
    const { default: otherwise, transports } = policy(image, aClusterImagePolicy('all', ['a.io', 'b.io/x']));
    const scopes = { 'a.io': [signed], 'b.io': accept, 'b.io/x': [signed] };
    expect([otherwise, transports]).toEqual([reject, { atomic: scopes, docker: scopes }]);
  });

  it('omits deep scopes for transports that do not support them', () => {
    const { transports } = policy(aClusterImagePolicy('all', ['a.io/b/c/d', 'a.io/b/c']));
    expect([Object.keys(transports.atomic), Object.keys(transports.docker)]).toEqual([
      ['a.io/b/c'],
      ['a.io/b/c', 'a.io/b/c/d'],
    ]);
  });

  it('of a namespace extends the policy of the cluster', () => {
    const all = files(
      aClusterImagePolicy('all', ['a.io']),
      anImagePolicy({ namespace: 'team', name: 'p' }, ['b.io']),
    );
    const own = JSON.parse(all['/etc/crio/policies/team.json'] ?? 'null');
    expect(own.transports.docker).toEqual({ 'a.io': [signed], 'b.io': [signed] });
    expect(JSON.parse(all['/etc/containers/policy.json'] ?? 'null').transports.docker).toEqual({
      'a.io': [signed],
    });
  });

  it('keeps the content of the base, indented by two spaces', () => {
    const given = { ...POLICY, transports: { 'docker-daemon': { '': accept } } };
    const registries = readRegistries(objectsOf(anImage({ blockedRegistries: ['a.io'] })));
    const config = registriesConfig(registries, { base: { ...base, policy: JSON.stringify(given) } });
    const text = filesOf(config)['/etc/containers/policy.json'] ?? '';
    const { transports } = JSON.parse(text);
    expect(Object.keys(transports)).toEqual(['atomic', 'docker', 'docker-daemon']);
    expect(text).toMatch(/^\{\n {2}"default": \[\n {4}\{\n/);
  });

  it.each(['', 'not JSON', '[]', '{"transports": 5}'])(
    'assumes a base that accepts all if it is %j',
    (broken) => {
      const registries = readRegistries(objectsOf(anImage({ blockedRegistries: ['a.io'] })));
      const config = registriesConfig(registries, { base: { ...base, policy: broken } });
      expect(JSON.parse(filesOf(config)['/etc/containers/policy.json'] ?? '')).toMatchObject({
        default: accept,
      });
    },
  );
});

it('registries.d enables signatures beside the images, also in mirrors', () => {
  const all = files(
    aClusterImagePolicy('all', ['quay.io/team', 'docker.io/library/app:v1', 'ghcr.io']),
    anImagePolicy({ namespace: 'x', name: 'p' }, ['*.example.com']),
    anIdms('d', mirrored('quay.io', 'm.io/quay'), mirrored('quay.io/team/deep', 'm.io/deep')),
    anItms('t', mirrored('docker.io/library/app', 'm.io/app'), mirrored('ghcr.io/a', 'm.io/a')),
  );
  expect(all['/etc/containers/registries.d/sigstore-registries.yaml']).toBe(
    `docker:\n${[
      ...['"*.example.com"', 'docker.io/library/app:v1', 'ghcr.io', 'm.io/a', 'm.io/app:v1', 'm.io/deep'],
      ...['m.io/quay/team', 'quay.io/team'],
    ]
      .map((scope) => `  ${scope}:\n    use-sigstore-attachments: true\n`)
      .join('')}`,
  );
});

describe('invalid objects', () => {
  const other = anItms('other', mirrored('ghcr.io', 'm.io/ghcr'));
  const good = anItms('mine', mirrored('quay.io', 'm.io/quay'));
  const contradiction = anItms('theirs', never('quay.io', 'n.io/quay'));

  it('for one source keep its present files while other sources change', () => {
    const before = configOf([good]);
    expect(configOf([good, contradiction], before)).toEqual(before);
    const after = configOf([good, contradiction, other], before);
    expect(conf(after)).toBe(files(good, other)[CONF]);
    // The next reconciliation changes nothing.
    expect(configOf([contradiction, other, good], after)).toEqual(after);
    expect(configOf([good, other], after)).toEqual(configOf([good, other]));
  });

  it('after an edit keep the present mirrors and source policy', () => {
    const before = configOf([
      anIdms('d', never('quay.io', 'm.io/quay')),
      anItms('t', never('quay.io', 't.io')),
    ]);
    const edited = anIdms('d', never('quay.io', 'quay.io', 'm.io/new'));
    const [fixed] = [configOf([anIdms('d', never('quay.io', 'm.io/new'))])];
    const after = configOf([edited, anItms('t', never('quay.io', 't.io'))], before);
    expect(after).toEqual(before);
    expect(configOf([anIdms('d', never('quay.io', 'm.io/new'))], after)).toEqual(fixed);
  });

  it('from the start change nothing on nodes', () => {
    expect(configOf([good, contradiction])).toEqual(configOf([]));
    expect(conf(configOf([good, contradiction, other]))).toBe(files(other)[CONF]);
  });

  it('in the Image keep all present files', () => {
    const before = configOf([anImage({ allowedRegistries: ['a.io'] }), good]);
    const both = anImage({ allowedRegistries: ['a.io'], blockedRegistries: ['b.io'] });
    expect(configOf([both, other], before)).toEqual(before);
    expect(configOf([both])).toEqual(configOf([]));
  });

  it('are reported in a stable order', () => {
    const objects = [good, contradiction, anImage({ blockedRegistries: ['*'] }), other];
    const { findings } = readRegistries(objectsOf(...objects));
    expect(findings.map(({ about }) => about.name)).toEqual(['cluster', 'mine', 'theirs']);
    expect(readRegistries(objectsOf(...[...objects].reverse())).findings).toEqual(findings);
  });

  it('do not make a foreign MachineConfig the source of present files', () => {
    const strange = aMachineConfig('99-worker-generated-registries', { config: { storage: 5 } });
    const registries = readRegistries(objectsOf(good, contradiction));
    expect(registriesConfig(registries, { base, last: strange })).toEqual(configOf([]));
  });
});

it('readBaseFiles reads the base MachineConfigs', () => {
  const file = (path: string, text: string) => ({
    path,
    contents: { source: `data:,${encodeURIComponent(text)}` },
  });
  const config = encodeIgnition({
    ignition: { version: '3.5.0' },
    storage: {
      files: [
        file(CONF, "unqualified-search-registries = ['a.io', 'b.io']\n"),
        file('/etc/containers/policy.json', '{}'),
      ],
    },
  });
  const given = [aMachineConfig('00-worker', {}), aMachineConfig('01-worker-container-runtime', { config })];
  expect(readBaseFiles(given)).toEqual({ search: ['a.io', 'b.io'], policy: '{}' });
  expect(readBaseFiles([])).toEqual({ search: ['docker.io'], policy: '' });
});

describe('registries that do not fit into a MachineConfig', () => {
  const many = (name: string, count: number) =>
    anItms(
      name,
      ...Array.from({ length: count }, (_, index) =>
        mirrored(`${name}-${index}.example/a/rather/long/source`, `mirror.example/${name}/${index}`),
      ),
    );
  const last = () => configOf([anItms('small', mirrored('docker.io', 'mirror.example/hub'))]);

  it('keep the present files and are reported on the largest object', () => {
    const objects = [
      many('large', 6_000),
      many('smaller', 2_000),
      anItms('other', mirrored('quay.io', 'm.io')),
    ];
    expect(configOf(objects, last())).toEqual(last());
    expect(configOf(objects)).toEqual({ ignition: { version: '3.5.0' } });
    expect(readRegistries(objectsOf(...objects)).findings).toEqual([
      {
        about: expect.objectContaining({ kind: 'ImageTagMirrorSet', name: 'large' }),
        reason: 'RegistriesTooLarge',
        message: expect.stringMatching(
          /^the registries of all sets together take \d{7} bytes as a MachineConfig, which can hold 1507328, and this object has the most of them: /,
        ),
      },
    ]);
  });

  it('are rare: thousands of sources fit', () => {
    const objects = [many('large', 4_000)];
    expect(readRegistries(objectsOf(...objects)).findings).toEqual([]);
    expect(conf(configOf(objects, last()))?.match(/^\[\[registry\]\]$/gm)).toHaveLength(4_000);
  });
});
