import { sha256, sha512 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { gzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { aConfig, aFile, aMachineConfig, aPool, someSettings } from '../../../test/support/build.ts';
import type { MachineConfig } from '../../api/index.ts';
import { base64DataUrl } from '../ignition/index.ts';
import { isEmptyRendered } from './empty-config.ts';
import { render } from './render.ts';
import type { RenderInput, Rendering } from './rendering.ts';

const GENERATED_BY = 'machineconfiguration.openshift.io/generated-by-controller-version';
const SKIP = 'millwright.dev/skip-preflight';
const OVERRIDDEN = 'machineconfiguration.openshift.io/os-image-url-overridden';
const RELEASE = 'machineconfiguration.openshift.io/release-image-version';

function rendering(machineConfigs: readonly MachineConfig[], input: Partial<RenderInput> = {}): Rendering {
  return render({ pool: aPool(), machineConfigs, settings: someSettings, ...input });
}

function rendered(machineConfigs: readonly MachineConfig[], input: Partial<RenderInput> = {}) {
  const result = rendering(machineConfigs, input);
  if (result.kind !== 'rendered') throw new Error(JSON.stringify(result));
  return result;
}

function refused(machineConfigs: readonly MachineConfig[], input: Partial<RenderInput> = {}) {
  const result = rendering(machineConfigs, input);
  if (result.kind !== 'refused') throw new Error(JSON.stringify(result));
  return result;
}

const NO_IMAGES = { osImageURL: '', baseOSExtensionsContainerImage: '' };
const specOf = (...input: Parameters<typeof rendered>) => rendered(...input).machineConfig.spec;
const withFile = (name: string, path: string, contents: string, role = 'worker') =>
  aMachineConfig(name, { config: aConfig({ storage: { files: [aFile(path, contents)] } }) }, { role });

const sha256Of = (text: string) => `sha256-${bytesToHex(sha256(utf8ToBytes(text)))}`;
const sha512Of = (text: string) => `sha512-${bytesToHex(sha512(utf8ToBytes(text)))}`;

describe('the selector of a pool', () => {
  it('is reported in the form of kubectl if nothing matches', () => {
    expect(refused([aMachineConfig('a', {}, { role: 'master' })], { pool: aPool('infra') })).toEqual({
      kind: 'refused',
      message:
        'no MachineConfigs found matching selector machineconfiguration.openshift.io/role in (infra,worker)',
      problems: [
        {
          path: 'spec.machineConfigSelector',
          message:
            'no MachineConfigs found matching selector machineconfiguration.openshift.io/role in (infra,worker)',
        },
      ],
    });
  });

  it('may select nothing where there are no base configs: the rendered config is empty', () => {
    const other = aMachineConfig('a', {}, { role: 'master' });
    const empty = render({ pool: aPool(), machineConfigs: [other], settings: NO_IMAGES, mayBeEmpty: true });
    if (empty.kind !== 'rendered') throw new Error(JSON.stringify(empty));
    expect(empty.machineConfig.spec).toEqual({
      baseOSExtensionsContainerImage: '',
      config: { ignition: { version: '3.5.0' } },
      extensions: [],
      fips: false,
      kernelArguments: [],
      kernelType: 'default',
      osImageURL: '',
    });
    expect([empty.sources, isEmptyRendered(empty.machineConfig)]).toEqual([[], true]);
    const image = { ...NO_IMAGES, osImageURL: 'registry.example/os:1' };
    const withImage = render({ pool: aPool(), machineConfigs: [], settings: image, mayBeEmpty: true });
    expect(withImage.kind === 'rendered' && isEmptyRendered(withImage.machineConfig)).toBe(false);
    const { machineConfigSelector: _, ...spec } = aPool().spec;
    const absent = { pool: { ...aPool(), spec }, machineConfigs: [], settings: NO_IMAGES, mayBeEmpty: true };
    expect(render(absent).kind).toBe('refused');
  });

  it('selects nothing if absent', () => {
    const { machineConfigSelector: _, ...spec } = aPool().spec;
    expect(refused([aMachineConfig('a')], { pool: { ...aPool(), spec } }).message).toBe(
      'no MachineConfigs found matching selector ',
    );
  });

  it('renders nothing if empty, with a warning', () => {
    expect(
      rendering([aMachineConfig('a')], { pool: aPool('worker', { machineConfigSelector: {} }) }),
    ).toEqual({
      kind: 'ignored',
      reason: 'SelectingAll',
      message: 'This machineconfigpool is selecting all machineconfigs. A non-empty selector is required.',
    });
  });

  it('never selects rendered MachineConfigs, even if it matches them', () => {
    const pool = aPool('worker', {
      machineConfigSelector: {
        matchExpressions: [
          { key: 'machineconfiguration.openshift.io/role', operator: 'NotIn', values: ['master'] },
        ],
      },
    });
    const old = aMachineConfig('rendered-worker-0', {}, { labels: {} });
    expect(rendered([old, aMachineConfig('a')], { pool }).sources.map(({ name }) => name)).toEqual(['a']);
  });

  it('does not select MachineConfigs without the label', () => {
    const pool = aPool('worker', {
      machineConfigSelector: { matchExpressions: [{ key: 'x', operator: 'DoesNotExist' }] },
    });
    expect(refused([aMachineConfig('a', {}, { labels: {} })], { pool }).message).toBe(
      'could not generate rendered MachineConfig: cannot find label in MachineConfig a',
    );
  });

  it('is evaluated also while the pool is paused', () => {
    expect(rendering([aMachineConfig('a')], { pool: aPool('worker', { paused: true }) }).kind).toBe(
      'rendered',
    );
  });
});

describe('a name that no machine can write', () => {
  it('is refused, with the MachineConfig that has it', () => {
    const { message, problems } = refused([
      aMachineConfig('a'),
      withFile('b', `/etc/${'x'.repeat(256)}`, 'y'),
    ]);
    const why = `file name "${'x'.repeat(40)}…" is too long: it has 256 bytes, and a machine takes 255 at most`;
    expect(message).toBe(`could not generate rendered MachineConfig: ${why} (in MachineConfig b)`);
    expect(problems).toEqual([{ path: 'spec.config.storage.files[0].path', message: why, source: 'b' }]);
  });
});

describe('packed contents', () => {
  const packed = (name: string, path: string, bytes: number) => {
    const contents = { source: base64DataUrl('', gzipSync(new Uint8Array(bytes))), compression: 'gzip' };
    return aMachineConfig(name, { config: aConfig({ storage: { files: [{ path, contents }] } }) });
  };
  const MIB = 1024 ** 2;

  it('that are too large only together are refused, with the source of the largest file', () => {
    const sources = [packed('a', '/etc/a', 30 * MIB), packed('b', '/etc/b', 35 * MIB)];
    for (const source of sources) expect(rendering([source]).kind).toBe('rendered');
    const why = `the packed contents of 2 files unpack to ${65 * MIB} bytes, and those of a config may unpack to ${64 * MIB} at most; the largest is /etc/b with ${35 * MIB} bytes`;
    expect(refused(sources)).toEqual({
      kind: 'refused',
      message: `could not generate rendered MachineConfig: ${why} (in MachineConfig b)`,
      problems: [{ path: 'spec.config.storage.files[1].contents.source', message: why, source: 'b' }],
    });
  });

  it('of a file that a later source replaces do not count', () => {
    const sources = [packed('a', '/etc/a', 60 * MIB), packed('b', '/etc/a', 10 * MIB)];
    expect(rendering(sources).kind).toBe('rendered');
  });
});

describe('a file that is a folder of another', () => {
  const source = (name: string, path: string) =>
    aMachineConfig(name, {
      config: {
        ignition: { version: '3.5.0' },
        storage: { files: [{ path, contents: { source: 'data:,x' } }] },
      },
    });

  it('is refused with its source, although each source is right alone', () => {
    const sources = [source('a', '/etc/a'), source('b', '/etc/a/b')];
    for (const one of sources) expect(rendering([one]).kind).toBe('rendered');
    expect(refused(sources)).toMatchObject({
      kind: 'refused',
      message:
        'could not generate rendered MachineConfig: file "/etc/a" is a folder of "/etc/a/b", which the config has too: no machine can have both. Remove one of them (in MachineConfig a)',
    });
  });
});

describe('the order of sources', () => {
  it('is worker configs by name, then all others by name', () => {
    const names = ['99-worker', '00-infra', '50-worker', '01-infra'];
    const sources = names.map((name) => aMachineConfig(name, {}, { role: name.slice(3) }));
    expect(rendered(sources, { pool: aPool('infra') }).sources).toEqual(
      ['50-worker', '99-worker', '00-infra', '01-infra'].map((name) => ({
        apiVersion: 'machineconfiguration.openshift.io/v1',
        kind: 'MachineConfig',
        name,
      })),
    );
  });

  it('compares bytes, not by locale', () => {
    const sources = ['b', 'a-1', 'a.1', 'a1', '9'].map((name) => aMachineConfig(name));
    expect(rendered(sources).sources.map(({ name }) => name)).toEqual(['9', 'a-1', 'a.1', 'a1', 'b']);
  });
});

describe('merging the fields of the spec', () => {
  it('sets every field, also if no source does', () => {
    expect(specOf([aMachineConfig('a')])).toEqual({
      baseOSExtensionsContainerImage: someSettings.baseOSExtensionsContainerImage,
      config: { ignition: { version: '3.5.0' } },
      extensions: [],
      fips: false,
      kernelArguments: [],
      kernelType: 'default',
      osImageURL: someSettings.osImageURL,
    });
  });

  it('treats a missing spec and a null config as unset', () => {
    const { spec: _, ...bare } = aMachineConfig('a');
    const nulled = aMachineConfig('b', {
      config: null,
      kernelArguments: null,
    } as unknown as MachineConfig['spec']);
    expect(rendering([bare as MachineConfig]).kind).toBe('rendered');
    expect(rendering([nulled]).kind).toBe('rendered');
  });

  it.each([
    [['default', 'realtime', 'default', ''], 'realtime'],
    [['realtime', '64k-pages'], '64k-pages'],
    [['', 'default'], 'default'],
  ])('kernel types %j give %s', (types, kernelType) => {
    const sources = types.map((type, index) => aMachineConfig(`${index}`, { kernelType: type }));
    expect(specOf(sources).kernelType).toBe(kernelType);
  });

  it('enables FIPS if any source does', () => {
    expect(specOf([aMachineConfig('a', { fips: true }), aMachineConfig('b', { fips: false })]).fips).toBe(
      true,
    );
  });

  it('rejects kernel-devel with another kernel and names the source', () => {
    const sources = [
      aMachineConfig('a', { kernelType: 'realtime' }),
      aMachineConfig('b', { extensions: ['kernel-devel'] }),
    ];
    expect(refused(sources)).toMatchObject({
      message:
        'could not generate rendered MachineConfig: installing kernel-devel extension is not supported with kernelType: realtime (in MachineConfig b)',
      problems: [{ path: 'spec.extensions', source: 'b' }],
    });
  });
});

describe('pre-flight checks to skip', () => {
  const skipping = (name: string, value: string) => ({
    ...aMachineConfig(name, {}),
    metadata: { ...aMachineConfig(name, {}).metadata, annotations: { [SKIP]: value } },
  });

  it('are those of all sources, and do not change the name of the result', () => {
    const plain = rendered([aMachineConfig('a', {}), aMachineConfig('b', {})]);
    const result = rendered([skipping('a', 'space'), skipping('b', 'kubelet-unit, space')]);
    expect(plain.machineConfig.metadata.annotations?.[SKIP]).toBeUndefined();
    expect(result.machineConfig.metadata.annotations?.[SKIP]).toBe('kubelet-unit,space');
    expect(result.machineConfig.metadata.name).toBe(plain.machineConfig.metadata.name);
    expect(result.warnings).toEqual([]);
  });

  it('cause a warning about the source that names a check which does not exist', () => {
    const message = `${SKIP} names kubelet-unti, which is no check (did you mean kubelet-unit?)`;
    expect(rendered([skipping('a', 'space'), skipping('b', 'kubelet-unti')]).warnings).toEqual([
      { path: 'metadata.annotations', message, source: 'b' },
    ]);
  });
});

describe('the OS image', () => {
  const mine = 'registry.example/mine@sha256:1';

  it('is the last that a user sets, and the result is marked as overridden', () => {
    const result = rendered([
      aMachineConfig('a', { osImageURL: 'x@sha256:0' }),
      aMachineConfig('b', { osImageURL: mine }),
    ]);
    expect(result.machineConfig.spec.osImageURL).toBe(mine);
    expect(result.machineConfig.metadata.annotations).toEqual({ [OVERRIDDEN]: 'true' });
    expect(result.isImageOverridden).toBe(true);
    expect(result.origins).toContainEqual({
      kind: 'setting',
      name: 'osImageURL',
      source: 'b',
      overrode: ['', 'a'],
    });
    expect(result.warnings).toEqual([]);
  });

  it('causes a warning if its tag is mutable', () => {
    expect(
      rendered([aMachineConfig('a', { osImageURL: 'registry.example/mine:latest' })]).warnings,
    ).toMatchObject([
      { source: 'a', path: 'spec.osImageURL', message: expect.stringContaining('not named by digest') },
    ]);
  });

  it('cannot be overridden in a pool with a stream', () => {
    const pool = aPool('worker', { osImageStream: { name: 'rhel-10' } });
    expect(refused([aMachineConfig('a', { osImageURL: mine })], { pool }).message).toBe(
      'could not generate rendered MachineConfig: cannot override MachineConfig osImageURL and set MachineConfigPool spec.osImageStream.name simultaneously (in MachineConfig a)',
    );
  });

  it('follows the same rule for extensions', () => {
    const sources = [aMachineConfig('a', { baseOSExtensionsContainerImage: 'x' })];
    expect(specOf(sources).baseOSExtensionsContainerImage).toBe('x');
  });
});

describe('render rejects a source', () => {
  const config = (sections: object) => ({ config: { ignition: { version: '3.5.0' }, ...sections } });
  const table: readonly [string, MachineConfig['spec'], string, string][] = [
    [
      'with an unknown kernel',
      { kernelType: 'fast' },
      'spec.kernelType',
      'kernelType=fast is invalid: use default, realtime or 64k-pages',
    ],
    [
      'with unknown extensions',
      { extensions: ['ipsec', 'x', 'y'] },
      'spec.extensions',
      'invalid extensions found: [x y]: there are ipsec, kerberos, kernel-devel, sandboxed-containers, sysstat, two-node-ha, usbguard',
    ],
    [
      'with an empty config',
      { config: {} },
      'spec.config.ignition.version',
      'parsing Ignition config failed: invalid version. Supported spec versions: 2.2,3.0,3.1,3.2,3.3,3.4,3.5',
    ],
    [
      'with a mode beyond 0777',
      config({ storage: { files: [aFile('/usr/bin/x', '', { mode: 0o4755 })] } }),
      'spec.config.storage.files[0].mode',
      'invalid mode 04755 for /usr/bin/x, cannot exceed 0777',
    ],
    [
      'with a mode without its zero, in a config before 3.4',
      {
        config: {
          ignition: { version: '3.2.0' },
          storage: { files: [aFile('/etc/chrony.conf', '', { mode: 644 })] },
        },
      },
      'spec.config.storage.files[0].mode',
      'invalid mode 01204 for /etc/chrony.conf, cannot exceed 0777; did you mean 0644?',
    ],
    [
      'with a file of the daemon',
      config({ storage: { files: [aFile('/etc/machine-config-daemon/currentconfig', '{}')] } }),
      'spec.config.storage.files[0].path',
      'cannot create /etc/machine-config-daemon/currentconfig via Ignition: the machine-config-daemon keeps its own state there; choose another path',
    ],
    [
      'with a file of the daemon, in version 2, at its place in the given list',
      {
        config: {
          ignition: { version: '2.2.0' },
          storage: {
            files: ['/etc/a', '/etc/machine-config-daemon//journal.json', '/etc/b'].map((path) => ({
              filesystem: 'root',
              path,
              mode: 0o644,
              contents: { source: 'data:,x' },
            })),
          },
        },
      },
      'spec.config.storage.files[1].path',
      'cannot create /etc/machine-config-daemon/journal.json via Ignition: the machine-config-daemon keeps its own state there; choose another path',
    ],
    [
      'with an empty kernel argument',
      { kernelArguments: ['quiet', ''] },
      'spec.kernelArguments[1]',
      'kernel argument 2 is empty',
    ],
    [
      'with a blank kernel argument',
      { kernelArguments: [' '] },
      'spec.kernelArguments[0]',
      'kernel argument 1 is empty',
    ],
    [
      'with a line break in a kernel argument',
      { kernelArguments: ['quiet\nsingle'] },
      'spec.kernelArguments[0]',
      'kernel argument "quiet\\nsingle" holds a line break or another control character',
    ],
    [
      "with a line break in a kernel argument of Ignition's",
      config({ kernelArguments: { shouldExist: ['a\r'] } }),
      'spec.config.kernelArguments.shouldExist[0]',
      'kernel argument "a\\r" holds a line break or another control character',
    ],
    [
      'with a line break in an SSH key',
      config({
        passwd: {
          users: [{ name: 'core', sshAuthorizedKeys: ['ssh-ed25519 A', 'ssh-ed25519 B\nssh-rsa C'] }],
        },
      }),
      'spec.config.passwd.users[0].sshAuthorizedKeys[1]',
      'SSH key 2 of user "core" holds a line break: write each public key as an entry of its own, on one line',
    ],
    [
      'with a file name that is not UTF-8',
      config({ storage: { files: [aFile('/etc/a\ud800', '')] } }),
      'spec.config.storage.files[0].path',
      'file name "/etc/a\ufffd" is not UTF-8',
    ],
    [
      'with a unit name that is not UTF-8',
      config({ systemd: { units: [{ name: 'a\ufffd.service', contents: '[Unit]\n' }] } }),
      'spec.config.systemd.units[0].name',
      'unit name "a\ufffd.service" is not UTF-8',
    ],
    [
      'with a wrong type in its own fields',
      { kernelArguments: 'quiet' as unknown as [] },
      'spec.kernelArguments',
      'Invalid value: "string": spec.kernelArguments in body must be of type array: "string"',
    ],
  ];
  it.each(table)('%s', (_, spec, path, message) => {
    const { problems } = refused([aMachineConfig('99-worker-x', spec), aMachineConfig('98-worker-fine')]);
    expect(problems).toMatchObject([{ path, message, source: '99-worker-x' }]);
  });

  it('with all other invalid ones at once', () => {
    const { problems, message } = refused([
      aMachineConfig('a', { kernelType: 'x', extensions: ['x'] }),
      aMachineConfig('b', config({ storage: { files: [{ path: 'x' }, { path: '' }] } })),
    ]);
    expect(problems.map(({ source, path }) => `${source} ${path}`)).toEqual([
      'a spec.kernelType',
      'a spec.extensions',
      'b spec.config.storage.files[0].path',
      'b spec.config.storage.files[1].path',
    ]);
    expect(message).toBe(
      'could not generate rendered MachineConfig: kernelType=x is invalid (in MachineConfig a) (and 3 more)',
    );
  });

  it('with upstream’s message, followed by its name', () => {
    const { message } = refused([aMachineConfig('99-x', config({ storage: { files: [{ path: 'x' }] } }))]);
    expect(message).toBe(
      'could not generate rendered MachineConfig: parsing Ignition config spec v3 failed with error: config is not valid\nReport: error at $.storage.files.0.path: path not absolute (in MachineConfig 99-x)',
    );
  });
});

describe('the rendered MachineConfig', () => {
  it('is named after its content', () => {
    const one = rendered([withFile('a', '/etc/x', '1')]).machineConfig.metadata.name;
    const other = rendered([withFile('a', '/etc/x', '2')]).machineConfig.metadata.name;
    expect(one).toMatch(/^rendered-worker-[0-9a-f]{32}$/);
    expect(other).not.toBe(one);
    // Restoring an older content restores its name, whichever source it comes from.
    expect(rendered([withFile('b', '/etc/x', '1')]).machineConfig.metadata.name).toBe(one);
  });

  it('has the same digest in two pools with the same content', () => {
    const source = [withFile('a', '/etc/x', '1')];
    const digest = (pool: string) =>
      rendered(source, { pool: aPool(pool) }).machineConfig.metadata.name.slice(-32);
    expect(digest('infra')).toBe(digest('worker'));
  });

  it('is owned by its pool and records the controller version', () => {
    const { machineConfig } = rendered([aMachineConfig('a')], {
      pool: aPool('worker', {}, { uid: '1234' }),
      settings: { ...someSettings, controllerVersion: 'abc', releaseVersion: '1.2.3' },
    });
    expect(machineConfig.metadata).toMatchObject({
      annotations: { [GENERATED_BY]: 'abc', [RELEASE]: '1.2.3' },
      ownerReferences: [
        {
          apiVersion: 'machineconfiguration.openshift.io/v1',
          kind: 'MachineConfigPool',
          name: 'worker',
          uid: '1234',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    });
    expect(machineConfig.metadata.labels).toBeUndefined();
  });

  it('has its exact size in the result', () => {
    const { machineConfig, sizeBytes } = rendered([withFile('a', '/etc/grüße', 'ü')]);
    expect(sizeBytes).toBe(Buffer.byteLength(JSON.stringify(machineConfig)));
  });

  it('is rejected if it does not fit into etcd, with a warning if it nearly does not', () => {
    const large = (bytes: number) => [withFile('a', '/etc/x', 'x'.repeat(bytes))];
    expect(refused(large(1_573_000)).message).toMatch(
      /^could not generate rendered MachineConfig: size validation failed: rendered MachineConfig rendered-worker-[0-9a-f]{32} is too large \(157\d{4} bytes, max 1572864 bytes\)\. This will exceed etcd's size limit\. Consider reducing the number or size of MachineConfigs, particularly large registry mirror configurations \(ImageDigestMirrorSet\/ImageContentSourcePolicy\)$/,
    );
    expect(rendered(large(1_300_000)).warnings).toMatchObject([
      { message: expect.stringContaining('82 % of the 1572864') },
    ]);
    expect(rendered(large(1_000_000)).warnings).toEqual([]);
  });
});

describe('origins', () => {
  it('cover every file, unit, argument and setting', () => {
    const { origins } = rendered([
      aMachineConfig('a', {
        config: aConfig({
          storage: { files: [aFile('/etc/x', '1')] },
          systemd: { units: [{ name: 'a.service', enabled: true }] },
        }),
        kernelArguments: ['quiet'],
        kernelType: 'realtime',
        extensions: ['ipsec'],
      }),
      aMachineConfig('b', {
        config: aConfig({ storage: { files: [aFile('/etc/x', '2')] } }),
        kernelArguments: ['quiet', 'x'],
        kernelType: '64k-pages',
        fips: true,
      }),
    ]);
    expect(origins).toEqual([
      { kind: 'file', name: '/etc/x', source: 'b', overrode: ['a'] },
      { kind: 'unit', name: 'a.service', source: 'a', overrode: [] },
      { kind: 'kernelArgument', name: 'quiet', source: 'a', overrode: [] },
      { kind: 'kernelArgument', name: 'quiet', source: 'b', overrode: [] },
      { kind: 'kernelArgument', name: 'x', source: 'b', overrode: [] },
      { kind: 'extension', name: 'ipsec', source: 'a', overrode: [] },
      { kind: 'setting', name: 'baseOSExtensionsContainerImage', source: '', overrode: [] },
      { kind: 'setting', name: 'fips', source: 'b', overrode: [] },
      { kind: 'setting', name: 'kernelType', source: 'b', overrode: ['a'] },
      { kind: 'setting', name: 'osImageURL', source: '', overrode: [] },
    ]);
  });
});

describe('the merged config', () => {
  it('causes a warning for a file below a link of another source', () => {
    const sources = [
      aMachineConfig('a', {
        config: aConfig({ storage: { links: [{ path: '/opt/x', target: '/var/x' }] } }),
      }),
      withFile('b', '/opt/x/y', ''),
    ];
    expect(rendered(sources).warnings).toMatchObject([
      { source: 'b', message: expect.stringContaining('file path includes link in config') },
    ]);
  });

  it('causes a warning for contents that do not match the hash of another source', () => {
    const verification = { hash: sha256Of('1') };
    const hashed = aMachineConfig('a', {
      config: aConfig({
        storage: { files: [{ path: '/etc/x', contents: { source: 'data:,1', verification } }] },
      }),
    });
    expect(rendered([hashed, withFile('b', '/etc/x', '2')]).warnings).toMatchObject([
      { source: 'b', message: expect.stringContaining('do not have the hash') },
    ]);
  });
});

describe('verification.hash', () => {
  const hashed = (contents: object) =>
    aMachineConfig('a', { config: aConfig({ storage: { files: [{ path: '/etc/x', contents }] } }) });
  const gzip = gzipSync(new TextEncoder().encode('hello'), { mtime: 0 });
  const packed = { source: base64DataUrl('application/gzip', gzip), compression: 'gzip' };

  it('is accepted where it is the hash of the contents, in either case of its digits', () => {
    for (const hash of [sha256Of('1'), sha256Of('1').toUpperCase().replace('SHA', 'sha'), sha512Of('1')]) {
      expect(rendered([hashed({ source: 'data:,1', verification: { hash } })]).warnings).toEqual([]);
    }
  });

  it('is refused where it does not match, with the source; only the command line prints the hash', () => {
    const result = refused([hashed({ source: 'data:,1', verification: { hash: sha256Of('2') } })]);
    const text = 'hash verification failed for /etc/x: verification.hash is not the hash of the contents';
    expect(result.message).toBe(`could not generate rendered MachineConfig: ${text} (in MachineConfig a)`);
    expect(result.problems).toEqual([
      {
        source: 'a',
        path: 'spec.config.storage.files[0].contents.verification.hash',
        message: `${text}, which is ${sha256Of('1')}`,
        text,
      },
    ]);
  });

  it('is the hash of what compressed contents unpack to, as for Ignition', () => {
    expect(rendered([hashed({ ...packed, verification: { hash: sha256Of('hello') } })]).warnings).toEqual([]);
    const ofPacked = `sha256-${bytesToHex(sha256(gzip))}`;
    expect(refused([hashed({ ...packed, verification: { hash: ofPacked } })]).problems).toMatchObject([
      { message: expect.stringContaining(sha256Of('hello')) },
    ]);
  });

  it('is not checked for contents that are elsewhere, nor for none', () => {
    const verification = { hash: sha256Of('2') };
    for (const source of ['https://example.com/x', '']) {
      expect(rendered([hashed({ source, verification })]).kind).toBe('rendered');
    }
  });

  it('is checked for every other resource of a config', () => {
    const wrong = { source: 'data:,1', verification: { hash: sha256Of('2') } };
    const source = aMachineConfig('a', {
      config: {
        ignition: {
          version: '3.5.0',
          config: { merge: [wrong] },
          security: { tls: { certificateAuthorities: [wrong] } },
        },
        storage: {
          files: [{ path: '/etc/x', append: [wrong] }],
          luks: [{ name: 'l', device: '/dev/a', keyFile: wrong }],
        },
      },
    });
    expect(refused([source]).problems.map(({ path }) => path)).toEqual([
      'spec.config.ignition.config.merge[0].verification.hash',
      'spec.config.ignition.security.tls.certificateAuthorities[0].verification.hash',
      'spec.config.storage.files[0].append[0].verification.hash',
      'spec.config.storage.luks[0].keyFile.verification.hash',
    ]);
  });
});

describe('files with accounts of the OS', () => {
  it.each(['/etc/passwd', '/etc/shadow', '/etc/group'])('cause a warning: %s', (path) => {
    expect(rendered([withFile('a', path, 'x')]).warnings).toMatchObject([
      {
        source: 'a',
        path: 'spec.config.storage.files[0].path',
        message: expect.stringContaining(`${path} replaces all accounts of the OS`),
      },
    ]);
  });

  it('cause no warning elsewhere', () => {
    expect(rendered([withFile('a', '/etc/passwd.d/x', 'x')]).warnings).toEqual([]);
  });
});

describe('the name of a pool', () => {
  it('must leave room for the names of rendered MachineConfigs', () => {
    const source = [aMachineConfig('a')];
    expect(rendering(source, { pool: aPool('worker', {}, { name: 'a'.repeat(211) }) }).kind).toBe('rendered');
    expect(refused(source, { pool: aPool('worker', {}, { name: 'a'.repeat(212) }) }).problems).toMatchObject([
      { path: 'metadata.name', message: expect.stringContaining('211 characters at most') },
    ]);
  });
});

describe('contents that do not match their compression', () => {
  it('cause a warning', () => {
    const contents = { source: 'data:,plain', compression: 'gzip' };
    const source = aMachineConfig('a', {
      config: aConfig({ storage: { files: [{ path: '/etc/x', contents }] } }),
    });
    expect(rendered([source]).warnings).toMatchObject([
      {
        source: 'a',
        path: 'spec.config.storage.files[0].contents.source',
        message: expect.stringContaining('gzip data'),
      },
    ]);
  });
});

describe('versions', () => {
  const settings = { ...someSettings, controllerVersion: 'new' };
  const by = (version: string) => ({ annotations: { [GENERATED_BY]: version } });

  it('of generated sources must be the version of the controller', () => {
    expect(refused([aMachineConfig('00-worker', {}, by('old'))], { settings }).message).toBe(
      'could not generate rendered MachineConfig: ignoring MC 00-worker generated by older version old (my version: new)',
    );
  });

  it('are not checked for sources of users, nor offline', () => {
    expect(rendering([aMachineConfig('a', {}, by('new')), aMachineConfig('b')], { settings }).kind).toBe(
      'rendered',
    );
    expect(rendering([aMachineConfig('a', {}, by('old'))]).kind).toBe('rendered');
  });
});
