import { gzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { aNodeConfig, type NodeConfigParts } from '../../../test/support/a-node-config.ts';
import { aFile, aMachineConfig } from '../../../test/support/build.ts';
import { FORCE_FILE } from '../../api/index.ts';
import { base64DataUrl } from '../../config/ignition/index.ts';
import { readNodeConfig } from './node-config.ts';
import { reconcileError, unreadableError } from './reconcile-check.ts';

const error = (before: NodeConfigParts, after: NodeConfigParts, more: object = {}) =>
  reconcileError({ from: aNodeConfig('old', before), to: aNodeConfig('new', after), ...more });
const users = (...list: readonly object[]) => ({ passwd: { users: list } }) as NodeConfigParts;
const storage = (fields: object) => ({ storage: fields }) as NodeConfigParts;
const file = (path: string, extra: object = {}) => storage({ files: [aFile(path, 'x', extra)] });
const unit = (name: string, dropin = 'a.conf') =>
  ({ systemd: { units: [{ name, dropins: [{ name: dropin }] }] } }) as NodeConfigParts;

const LARGE = {
  source: base64DataUrl('', gzipSync(new Uint8Array(40 * 1024 ** 2))),
  compression: 'gzip',
};

const PREFIX = `can't reconcile config old with new: configs old, new are not reconcilable: `;
const UNSUPPORTED = 'invalid passwd change(s): ignition passwd user section contains unsupported changes';

describe('a change that a running node cannot apply', () => {
  // biome-ignore format: a table.
  test.each<[string, NodeConfigParts, NodeConfigParts]>([
    ['invalid passwd change(s): ignition Passwd Groups section contains changes', {}, { passwd: { groups: [{ name: 'x' }] } }],
    [`${UNSUPPORTED}: non-core user`, {}, users({ name: 'bob', sshAuthorizedKeys: ['a'] })],
    [`${UNSUPPORTED}: user must be core and have 1 or more sshKeys`, {}, users({ name: 'core' })],
    ['invalid passwd change(s): SSH keys and password hash are not reconcilable', {}, users({ name: 'core', sshAuthorizedKeys: ['a'], shell: '/bin/sh' })],
    ['ignition kargs section contains changes', {}, { kernelArguments: { shouldExist: ['a'] } }],
    ['ignition disks section contains changes', {}, storage({ disks: [{ device: '/dev/sda' }] })],
    ['ignition filesystems section contains changes', {}, storage({ filesystems: [{ device: '/dev/sda1', format: 'xfs' }] })],
    ['ignition raid section contains changes', {}, storage({ raid: [{ name: 'md', level: 'raid1', devices: ['/dev/sda'] }] })],
    ['ignition directories section contains changes', {}, storage({ directories: [{ path: '/a' }] })],
    ['ignition directories section contains changes', storage({ directories: [{ path: '/a' }] }), {}],
    ['ignition links section contains changes', {}, storage({ links: [{ path: '/a', target: '/b' }] })],
    ['ignition file /etc/a includes append', {}, file('/etc/a', { append: [{ source: 'data:,x' }] })],
    [`cannot create ${FORCE_FILE} via Ignition`, {}, file(FORCE_FILE)],
    ['detected change to FIPS flag; refusing to modify FIPS on a running cluster', {}, { spec: { fips: true } }],
  ])('is rejected: %s', (reason, before, after) => {
    expect(error(before, after)).toBe(
      `${PREFIX}new machineconfig "new" is not reconcilable against "old": ${reason}`,
    );
  });
});

describe('a config that no node can apply', () => {
  const failed = 'validating new Ignition config from machineconfig "new" failed: ';
  // biome-ignore format: a table.
  test.each<[string, NodeConfigParts]>([
    ['invalid mode 01777 for /etc/a, cannot exceed 0777', file('/etc/a', { mode: 0o1777 })],
    ['invalid mode 01204 for /etc/a, cannot exceed 0777', { spec: { config: { ignition: { version: '3.2.0' }, storage: { files: [aFile('/etc/a', 'x', { mode: 644 })] } } } }],
    [`${failed}cannot create /etc/machine-config-daemon/currentconfig via Ignition: the machine-config-daemon keeps its own state there; choose another path`, file('/etc/machine-config-daemon/currentconfig')],
    [`${failed}SSH key 1 of user "core" holds a line break: write each public key as an entry of its own, on one line`, users({ name: 'core', sshAuthorizedKeys: ['ssh-rsa A\nssh-rsa B'] })],
    [`${failed}kernel argument 1 is empty`, { spec: { kernelArguments: [''] } }],
    [`${failed}file name "/etc/a\ufffd" is not UTF-8`, file('/etc/a\ufffd')],
    [`${failed}file path "/etc/a\\nb" holds a control character`, file('/etc/a\nb')],
    [`${failed}file "/dev/sda" is not on a disk: nothing below /dev, /proc, /sys outlives a boot`, file('/dev/sda')],
    [`${failed}file "/proc/1/mem" is not on a disk: nothing below /dev, /proc, /sys outlives a boot`, file('/proc/1/mem')],
    [`${failed}file path "/" is the root folder`, file('/')],
    [`${failed}unit name "../../tmp/x.service" is no file name`, unit('../../tmp/x.service')],
    [`${failed}file name "${'y'.repeat(40)}…" is too long: it has 256 bytes, and a machine takes 255 at most`, file(`/etc/${'y'.repeat(256)}`)],
    [`${failed}unit name "${'u'.repeat(40)}…" is too long: it has 254 bytes, and a machine takes 253 at most`, unit(`${'u'.repeat(246)}.service`)],
    [`${failed}unit name "x\\n.service" is no file name`, unit('x\n.service')],
    [`${failed}drop-in name "../x.conf" of unit "x.service" is no file name`, unit('x.service', '../x.conf')],
    [`${failed}the packed contents of 2 files unpack to ${80 * 1024 ** 2} bytes, and those of a config may unpack to ${64 * 1024 ** 2} at most; the largest is /etc/a with ${40 * 1024 ** 2} bytes`, storage({ files: [{ path: '/etc/a', contents: LARGE }, { path: '/etc/b', contents: LARGE }] })],
    [`${failed}contents of file "/etc/a" cannot be read: missing data prefix`, storage({ files: [{ path: '/etc/a', contents: { source: 'https://example.com/x' } }] })],
    [`${failed}contents of file "/etc/a" cannot be read: gzip data cannot be unpacked: invalid header`, storage({ files: [{ path: '/etc/a', contents: { source: 'data:,this-is-not-packed-at-all-whatever-it-says-of-itself', compression: 'gzip' } }] })],
  ])('is rejected: %s', (reason, after) => {
    expect(error({}, after)).toBe(`${PREFIX}${reason}`);
  });

  test('is rejected with the parse errors where it cannot be parsed', () => {
    const value = aMachineConfig('new', {
      config: { ignition: { version: '3.5.0' }, storage: { files: [{ path: 'a' }] } },
    });
    const read = readNodeConfig(value);
    const problems = read.kind === 'invalid' ? read.problems : [];
    expect(unreadableError({ from: 'old', to: 'new', value, problems })).toBe(
      `${PREFIX}${failed}parsing Ignition config spec v3 failed with error: config is not valid\nReport: error at $.storage.files.0.path: path not absolute`,
    );
    const odd = { ...value, spec: { extensions: 5 } };
    const kind = readNodeConfig(odd);
    const text = unreadableError({
      from: 'old',
      to: 'new',
      value: odd,
      problems: kind.kind === 'invalid' ? kind.problems : [],
    });
    expect(text).toMatch(/failed: spec\.extensions: /);
  });
});

describe('a change that a running node can apply is accepted', () => {
  // biome-ignore format: a table.
  test.each<[string, NodeConfigParts, NodeConfigParts, object?]>([
    ['nothing', {}, {}],
    ['keys and a password', users({ name: 'core', sshAuthorizedKeys: ['a'] }), users({ name: 'core', sshAuthorizedKeys: ['b'], passwordHash: 'x' })],
    ['all users gone', users({ name: 'core', sshAuthorizedKeys: ['a'] }), {}],
    ['links that are gone', storage({ links: [{ path: '/a', target: '/b' }] }), {}],
    ['directories that stay', storage({ directories: [{ path: '/a' }] }), storage({ directories: [{ path: '/a' }] })],
    ['directories in another order', storage({ directories: [{ path: '/a' }, { path: '/b' }] }), storage({ directories: [{ path: '/b' }, { path: '/a' }] })],
    ['a directory with special mode bits that stays', storage({ directories: [{ path: '/a', mode: 0o1777 }] }), storage({ directories: [{ path: '/a', mode: 0o1777 }] })],
    ['LUKS', {}, storage({ luks: [{ name: 'l', device: '/dev/sda' }] })],
    ['disks that are allowed', {}, storage({ disks: [{ device: '/dev/sda' }] }), { allowed: ['Disks'] }],
    ['FIPS as the machine has it', { spec: { fips: true } }, { spec: { fips: true } }, { isMachineFips: true }],
  ])('%s', (_, before, after, more) => {
    expect(error(before, after, more)).toBeUndefined();
  });
});

test('a machine rejects a config that asks for FIPS mode without it, and stays in a mode that no config asks for', () => {
  const text = 'detected change to FIPS flag; refusing to modify FIPS on a running cluster';
  expect(error({}, {}, { isMachineFips: true })).toBeUndefined();
  expect(error({ spec: { fips: true } }, { spec: { fips: true } }, { isMachineFips: false })).toBe(
    `can't reconcile config old with new: ${text}`,
  );
});

test('a config that asks for an OS that the machine cannot have is rejected with the reason', () => {
  const machine = { isImageBased: false, isEnterpriseLinux: false, kernelArguments: [] };
  expect(error({}, { spec: { kernelType: 'realtime' } }, { machine })).toBe(
    "can't reconcile config old with new: updating the OS on non-CoreOS nodes is not supported: new asks for kernel type realtime. Update this node with its package manager, and have it in a pool whose MachineConfigs do not ask for that",
  );
});
