/**
 * Generators for property tests: valid Ignition configs, MachineConfigs, and any JSON.
 */
import fc from 'fast-check';
import type { MachineConfig } from '../../src/api/index.ts';
import type { IgnitionConfig } from '../../src/config/ignition/index.ts';
import { aConfig, aMachineConfig } from './build.ts';

/** Few names, so that configs share items. */
const path = fc.constantFrom('/etc/a', '/etc/b', '/etc/c/d', '/var/e', '/opt/f');
const unitName = fc.constantFrom('a.service', 'b.service', 'c.timer');
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

const resource = fc.record(
  {
    source: fc.oneof(
      fc.string().map((text) => `data:,${encodeURIComponent(text)}`),
      fc.base64String().map((text) => `data:text/plain;base64,${text}`),
      fc.constant('https://example.com/x'),
      fc.constant(''),
    ),
    compression: fc.constantFrom('', 'gzip'),
  },
  { requiredKeys: ['source'] },
);
const owner = fc.oneof(fc.record({ id: fc.nat(1000) }), fc.record({ name: fc.constantFrom('root', 'core') }));
const node = { path, user: owner, group: owner };
const mode = fc.integer({ min: 0, max: 0o777 });

const file = fc.record(
  {
    ...node,
    contents: resource,
    mode,
    overwrite: fc.boolean(),
    append: fc.array(resource, { maxLength: 2 }),
  },
  { requiredKeys: ['path', 'contents'] },
);
const directory = fc.record({ ...node, mode, overwrite: fc.boolean() }, { requiredKeys: ['path'] });
const link = fc.record(
  { ...node, target: fc.constantFrom('/x', 'y'), hard: fc.boolean() },
  { requiredKeys: ['path', 'target'] },
);
const unitContents = fc.constantFrom('', '[Unit]\nDescription=x\n', '[Service]\nExecStart=/bin/true\n');
const dropin = fc.record({
  name: fc.constantFrom('10-a.conf', '20-b.conf'),
  contents: optional(unitContents),
});
const unit = fc.record(
  {
    name: unitName,
    enabled: fc.boolean(),
    mask: fc.boolean(),
    contents: unitContents,
    dropins: fc.uniqueArray(dropin, { selector: ({ name }) => name, maxLength: 2 }),
  },
  { requiredKeys: ['name'] },
);
const user = fc.record(
  {
    name: fc.constant('core'),
    passwordHash: fc.string(),
    sshAuthorizedKeys: fc.uniqueArray(fc.constantFrom('ssh-ed25519 A', 'ssh-ed25519 B', 'ssh-rsa C')),
    groups: fc.uniqueArray(fc.constantFrom('wheel', 'sudo')),
  },
  { requiredKeys: ['name'] },
);

/** Files, directories and links at distinct paths, none of them below a link. */
const storage = fc
  .uniqueArray(
    fc.oneof(
      file.map((item) => ({ list: 'files' as const, item })),
      directory.map((item) => ({ list: 'directories' as const, item })),
      link.map((item) => ({ list: 'links' as const, item })),
    ),
    { selector: ({ item }) => item.path, maxLength: 4 },
  )
  .map((nodes) => {
    const of = (list: string) => nodes.filter((node) => node.list === list).map(({ item }) => item);
    return { files: of('files'), directories: of('directories'), links: of('links') };
  });

/** Valid, but not normalized: empty lists, `undefined` and all. */
export const aRandomConfig: fc.Arbitrary<IgnitionConfig> = fc
  .record({
    storage,
    units: fc.uniqueArray(unit, { selector: ({ name }) => name, maxLength: 3 }),
    users: fc.uniqueArray(user, { selector: ({ name }) => name, maxLength: 1 }),
    kernelArguments: fc.record({ shouldExist: fc.uniqueArray(fc.constantFrom('a', 'b', 'c=1')) }),
  })
  .map(({ storage: nodes, units, users, kernelArguments }) =>
    aConfig({ storage: nodes, systemd: { units }, passwd: { users }, kernelArguments } as Omit<
      IgnitionConfig,
      'ignition'
    >),
  );

export const aRandomMachineConfig: fc.Arbitrary<MachineConfig> = fc
  .record({
    name: fc.stringMatching(/^[0-9]{2}-[a-z]{1,4}$/),
    role: fc.constantFrom('worker', 'infra'),
    config: optional(aRandomConfig),
    kernelArguments: fc.array(fc.constantFrom('quiet', 'console=ttyS0', 'x=1'), { maxLength: 3 }),
    extensions: fc.array(fc.constantFrom('ipsec', 'usbguard'), { maxLength: 2 }),
    kernelType: fc.constantFrom('', 'default', 'realtime'),
    fips: fc.boolean(),
    osImageURL: fc.constantFrom('', 'registry.example/mine@sha256:1'),
  })
  .map(({ name, role, config, ...spec }) =>
    aMachineConfig(name, { ...spec, ...(config && { config }) }, { role }),
  );

/** Keys and values that have caused bugs before. */
const hostileKey = fc.constantFrom(
  '__proto__',
  'constructor',
  'toString',
  'path',
  'files',
  'storage',
  'ignition',
);
export const hostileJson: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 6 },
    fc.constantFrom(null, true, 0, -1, 1e308, '', 'data:;base64,%%%', '\u0000', '3.5.0'),
    fc.string(),
    fc.array(tie('value'), { maxLength: 4 }),
    fc
      .array(fc.tuple(fc.oneof(hostileKey, fc.string()), tie('value')), { maxLength: 4 })
      // `defineProperty` as JSON.parse does it: `__proto__` becomes an own key.
      .map((entries) => entries.reduce<object>((object, [key, value]) => define(object, key, value), {})),
  ),
})).value;

function define(object: object, key: string, value: unknown): object {
  return Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
}
