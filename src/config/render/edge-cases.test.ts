/**
 * The cases that a naive implementation gets wrong, each as a table: what is declared, and what comes out.
 */
import { describe, expect, it } from 'vitest';
import { aConfig, aFile, aMachineConfig, aPool, someSettings } from '../../../test/support/build.ts';
import type { MachineConfig } from '../../api/index.ts';
import { type IgnitionConfig, parseIgnition } from '../ignition/index.ts';
import { render } from './render.ts';
import type { RenderSettings } from './rendering.ts';

const GENERATED_BY = 'machineconfiguration.openshift.io/generated-by-controller-version';

type Given = readonly MachineConfig[];

function resultOf(sources: Given, pool = aPool(), settings: RenderSettings = someSettings) {
  const result = render({ pool, machineConfigs: sources, settings });
  if (result.kind !== 'rendered') throw new Error(JSON.stringify(result));
  return result;
}
const specOf = (sources: Given, pool = aPool()) => resultOf(sources, pool).machineConfig.spec;
const configOf = (sources: Given, pool = aPool()) =>
  specOf(sources, pool).config as unknown as IgnitionConfig;
const storage = (name: string, sections: IgnitionConfig['storage'], role = 'worker') =>
  aMachineConfig(name, { config: aConfig({ ...(sections && { storage: sections }) }) }, { role });
const unit = (name: string, fields: object) =>
  aMachineConfig(name, { config: aConfig({ systemd: { units: [{ name: 'a.service', ...fields }] } }) });
const keys = (name: string, ...sshAuthorizedKeys: string[]) =>
  aMachineConfig(name, { config: aConfig({ passwd: { users: [{ name: 'core', sshAuthorizedKeys }] } }) });

describe('1. worker configs merge first, then the others', () => {
  const worker = storage('99-worker-y', { files: [aFile('/etc/x', 'worker')] });
  const infra = storage('00-infra-x', { files: [aFile('/etc/x', 'infra')] }, 'infra');
  it.each([
    [
      'a custom pool: 00-infra-x beats 99-worker-y',
      [worker, infra],
      aPool('infra'),
      'data:,infra',
      ['99-worker-y', '00-infra-x'],
    ],
    [
      'the worker pool: plain order of names',
      [worker, storage('00-worker-z', { files: [aFile('/etc/x', 'early')] })],
      aPool(),
      'data:,worker',
      ['00-worker-z', '99-worker-y'],
    ],
  ])('%s', (_, sources, pool, source, order) => {
    expect(configOf(sources, pool).storage?.files?.[0]?.contents?.source).toBe(source);
    expect(resultOf(sources, pool).sources.map(({ name }) => name)).toEqual(order);
  });
});

describe('3. kernel arguments and extensions are never removed', () => {
  it.each([
    ['kernelArguments', ['console=ttyS0', 'quiet'], ['console=tty0', 'console=ttyS0', 'quiet']],
    ['extensions', ['ipsec', 'usbguard'], ['usbguard', 'ipsec']],
  ] as const)('%s', (field, first, second) => {
    const sources = [aMachineConfig('b', { [field]: second }), aMachineConfig('a', { [field]: first })];
    expect(specOf(sources)[field]).toEqual([...first, ...second]);
    const once = resultOf([aMachineConfig('a', { [field]: first })]).machineConfig.metadata.name;
    expect(resultOf(sources).machineConfig.metadata.name).not.toBe(once);
  });
});

describe('4. compression is not inherited, hashes are', () => {
  const hash = `sha512-${'0'.repeat(128)}`;
  const gzip = { source: 'data:,packed', compression: 'gzip' };
  it.each([
    ['new contents drop gzip', gzip, { source: 'data:,new' }, { source: 'data:,new' }],
    [
      'an explicit empty packing drops gzip',
      gzip,
      { source: 'data:,new', compression: '' },
      { source: 'data:,new' },
    ],
    ['gzip over plain', { source: 'data:,plain' }, gzip, gzip],
    ['no contents at all keep both', gzip, undefined, gzip],
    [
      'the hash stays under new contents',
      { ...gzip, verification: { hash } },
      { source: 'data:,new' },
      { source: 'data:,new', verification: { hash } },
    ],
  ])('%s', (_, parent, child, expected) => {
    const sources = [
      storage('a', { files: [{ path: '/etc/x', contents: parent }] }),
      storage('b', { files: [{ path: '/etc/x', mode: 0o600, ...(child && { contents: child }) }] }),
    ];
    expect(configOf(sources).storage?.files?.[0]?.contents).toEqual(expected);
  });
});

describe('5. files, directories and links share paths; drop-ins and keys accumulate', () => {
  const link = { path: '/etc/x', target: '/y' };
  const directory = { path: '/etc/x' };
  const file = aFile('/etc/x', '');
  it.each([
    ['a link removes a file', [{ files: [file] }, { links: [link] }], { links: [link] }],
    [
      'a directory removes a link',
      [{ links: [link] }, { directories: [directory] }],
      { directories: [directory] },
    ],
    [
      'a file removes a directory',
      [{ directories: [directory] }, { files: [file] }],
      { files: [{ ...file, overwrite: true }] },
    ],
  ])('%s', (_, sections, expected) => {
    expect(configOf(sections.map((section, index) => storage(`${index}`, section))).storage).toEqual(
      expected,
    );
  });
  it.each([
    ['no later one can delete a drop-in', { dropins: [] }, '[Service]\n'],
    ['but it can blank it', { dropins: [{ name: 'x.conf', contents: '' }] }, ''],
  ])('%s', (_, later, contents) => {
    const sources = [unit('a', { dropins: [{ name: 'x.conf', contents: '[Service]\n' }] }), unit('b', later)];
    expect(configOf(sources).systemd?.units?.[0]?.dropins).toEqual([{ name: 'x.conf', contents }]);
  });
  it('later sources cannot remove a key', () => {
    expect(
      configOf([keys('a', 'x', 'y'), keys('b', 'y', 'z'), keys('c')]).passwd?.users?.[0]?.sshAuthorizedKeys,
    ).toEqual(['x', 'y', 'z']);
  });
});

describe('6. only users override the OS image', () => {
  const generated = { annotations: { [GENERATED_BY]: 'v1' } };
  const image = 'registry.example/mine@sha256:1';
  it.each([
    ['a generated source is ignored', generated, someSettings.osImageURL, false],
    ['any other is honoured', {}, image, true],
    ['an empty annotation does not make it generated', { annotations: { [GENERATED_BY]: '' } }, image, true],
  ])('%s', (_, overrides, osImageURL, isImageOverridden) => {
    const result = resultOf([aMachineConfig('a', { osImageURL: image }, overrides)]);
    expect(result.machineConfig.spec.osImageURL).toBe(osImageURL);
    expect(result.isImageOverridden).toBe(isImageOverridden);
  });
});

describe('7. a paused pool still renders', () => {
  it.each([true, false])('paused: %s', (paused) => {
    const sources = [aMachineConfig('a', { kernelArguments: ['x'] })];
    const names = [aPool('worker', { paused }), aPool()].map(
      (pool) => resultOf(sources, pool).machineConfig.metadata.name,
    );
    expect(names[0]).toBe(names[1]);
  });
});

describe('9. after an upgrade nothing is rendered until every generated source has the new version', () => {
  const by = (version: string) => ({ annotations: { [GENERATED_BY]: version } });
  it.each([
    ['all new', ['v2', 'v2'], 'rendered'],
    ['one left behind', ['v2', 'v1'], 'refused'],
    ['all old', ['v1', 'v1'], 'refused'],
  ])('%s', (_, versions, kind) => {
    const sources = [
      ...versions.map((version, index) => aMachineConfig(`0${index}-worker`, {}, by(version))),
      aMachineConfig('99-mine'),
    ];
    const settings = { ...someSettings, controllerVersion: 'v2' };
    expect(render({ pool: aPool(), machineConfigs: sources, settings }).kind).toBe(kind);
  });
});

describe('10. the same content has the same name after an upgrade', () => {
  it('only the annotations differ', () => {
    const [before, after] = ['v1', 'v2'].map((controllerVersion) => {
      const sources = [
        aMachineConfig(
          '00-worker',
          { kernelArguments: ['x'] },
          { annotations: { [GENERATED_BY]: controllerVersion } },
        ),
      ];
      return resultOf(sources, aPool(), {
        ...someSettings,
        controllerVersion,
        releaseVersion: controllerVersion,
      }).machineConfig;
    });
    expect(after?.metadata.name).toBe(before?.metadata.name);
    expect(after?.spec).toEqual(before?.spec);
    expect(after?.metadata.annotations).not.toEqual(before?.metadata.annotations);
  });
});

describe('11. a missing config is valid, an empty one is not', () => {
  it.each<[string, unknown, string]>([
    ['absent', undefined, 'rendered'],
    ['null', null, 'rendered'],
    ['empty', {}, 'refused'],
    ['only a version', { ignition: { version: '3.5.0' } }, 'rendered'],
  ])('%s', (_, config, kind) => {
    const source = aMachineConfig('a', (config === undefined ? {} : { config }) as MachineConfig['spec']);
    expect(render({ pool: aPool(), machineConfigs: [source], settings: someSettings }).kind).toBe(kind);
  });

  it('extensions are validated also without a config', () => {
    const source = aMachineConfig('a', { extensions: ['nonsense'] });
    expect(render({ pool: aPool(), machineConfigs: [source], settings: someSettings }).kind).toBe('refused');
  });

  it.each([
    ['a file with contents gets overwrite: true', { path: '/a', contents: { source: 'data:,' } }, true],
    [
      'a file with overwrite: false keeps it',
      { path: '/a', contents: { source: 'data:,' }, overwrite: false },
      false,
    ],
    ['a file without contents is left alone', { path: '/a', mode: 0o600 }, undefined],
  ])('%s, and the result parses again', (_, file, overwrite) => {
    const config = configOf([storage('a', { files: [file] })]);
    expect(config.storage?.files?.[0]?.overwrite).toBe(overwrite);
    expect(parseIgnition(config).kind).toBe('ok');
  });
});
