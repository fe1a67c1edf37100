import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { describe, expect, test } from 'vitest';
import { aNodeConfig, type NodeConfigParts } from '../../../test/support/a-node-config.ts';
import { aFile, aMachineConfig } from '../../../test/support/build.ts';
import {
  diskProblem,
  diskProblems,
  type ObservedDisk,
  type ObservedPath,
  onDiskStateError,
} from './disk-check.ts';
import { expectedDisk, whatToObserve } from './expected-disk.ts';
import { fileModeText } from './file-mode-text.ts';
import { readNodeConfig } from './node-config.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const file = (text: string, mode = 0o644): ObservedPath => ({
  kind: 'file',
  mode,
  sizeBytes: bytes(text).length,
  digest: bytesToHex(sha256(bytes(text))),
});
const folder: ObservedPath = { kind: 'folder', mode: 0o755, sizeBytes: 0 };
const link = (target: string): ObservedPath => ({ kind: 'link', mode: 0o777, sizeBytes: 0, target });
const nothing: ObservedPath = { kind: 'nothing' };

type World = Partial<Omit<ObservedDisk, 'paths' | 'enablement'>> & {
  readonly paths?: { readonly [path: string]: ObservedPath };
  readonly enablement?: { readonly [unit: string]: string };
};
const observed = ({ paths = {}, enablement = {}, ...os }: World): ObservedDisk => ({
  ...os,
  paths: new Map(Object.entries(paths)),
  enablement: new Map(Object.entries(enablement)),
});
const problem = (parts: NodeConfigParts, world: World) =>
  diskProblem(expectedDisk(aNodeConfig('rendered', parts)), observed(world));

const UNIT = '/etc/systemd/system/x.service';
const DROPIN = '/etc/systemd/system/x.service.d/a.conf';
const text = '[Service]\nExecStart=/bin/true\n';
const oneFile: NodeConfigParts = { storage: { files: [aFile('/etc/foo', 'hello')] } };
const unit = (fields: object) =>
  ({ systemd: { units: [{ name: 'x.service', ...fields }] } }) as NodeConfigParts;
const dropin = (contents?: string) => unit({ dropins: [{ name: 'a.conf', ...(contents && { contents }) }] });

describe('diskProblem, on a disk that differs from its config', () => {
  // biome-ignore format: a table.
  test.each<[string, NodeConfigParts, World, string, string, string?]>([
    ['os-image', { spec: { osImageURL: 'A' } }, { osImage: 'B' }, '', 'expected target osImageURL "A", have "B"'],
    ['os-image', { spec: { osImageURL: 'A' }, image: 'L' }, { osImage: 'A' }, '', 'expected target osImageURL "L", have "A"'],
    ['kernel-arguments', { spec: { kernelArguments: ['a b', 'c'] } }, { kernelArguments: ['c'] }, '', 'missing expected kernel arguments: [a b]'],
    ['content', oneFile, { paths: { '/etc/foo': file('hell') } }, '/etc/foo', 'content mismatch for file "/etc/foo"', 'expected 5 bytes, got 4 bytes'],
    ['content', oneFile, { paths: { '/etc/foo': file('HELLO') } }, '/etc/foo', 'content mismatch for file "/etc/foo"', 'expected 5 bytes, got 5 bytes'],
    ['mode', oneFile, { paths: { '/etc/foo': file('hello', 0o755) } }, '/etc/foo', 'mode mismatch for file: "/etc/foo"; expected: -rw-r--r--/420/0644; received: -rwxr-xr-x/493/0755'],
    ['type', oneFile, { paths: { '/etc/foo': folder } }, '/etc/foo', 'mode mismatch for file: "/etc/foo"; expected: -rw-r--r--/420/0644; received: drwxr-xr-x/2147484141/020000000755', 'it is a folder'],
    ['type', oneFile, { paths: { '/etc/foo': link('/etc/bar') } }, '/etc/foo', 'mode mismatch for file: "/etc/foo"; expected: -rw-r--r--/420/0644; received: Lrwxrwxrwx/134218239/01000000777', 'it is a link'],
    ['missing', oneFile, { paths: { '/etc/foo': nothing } }, '/etc/foo', 'could not stat file "/etc/foo": lstat /etc/foo: no such file or directory', 'it is gone'],
    ['unreadable', oneFile, { paths: { '/etc/foo': { kind: 'unreadable', error: 'open /etc/foo: input/output error' } } }, '/etc/foo', 'could not read file "/etc/foo": open /etc/foo: input/output error'],
    ['content', unit({ contents: text }), { paths: { [UNIT]: file('x') } }, UNIT, `content mismatch for file "${UNIT}"`, 'expected 30 bytes, got 1 bytes'],
    ['content', dropin(text), { paths: { [DROPIN]: file('') } }, DROPIN, `content mismatch for file "${DROPIN}"`, 'expected 30 bytes, got 0 bytes'],
    ['content', dropin(), { paths: { [DROPIN]: file('x') } }, DROPIN, `content mismatch for file "${DROPIN}"`, 'expected 0 bytes, got 1 bytes'],
    ['mask', unit({ contents: text, mask: true }), { paths: { [UNIT]: link('/etc/other') } }, UNIT, `state validation: invalid unit masked setting. path: "${UNIT}"; expected: /dev/null; received: /etc/other`],
    ['mask', unit({ contents: text, mask: true }), { paths: { [UNIT]: file(text) } }, UNIT, `state validation: invalid unit masked setting. path: "${UNIT}"; expected: /dev/null; received: ${UNIT}`],
    ['enablement', unit({ contents: text, enabled: true }), { paths: { [UNIT]: file(text) }, enablement: { 'x.service': 'disabled' } }, 'x.service', 'unit "x.service" expected enabled=true, but systemd reports "disabled"'],
    ['enablement', unit({ contents: text, enabled: false }), { paths: { [UNIT]: file(text) }, enablement: { 'x.service': 'enabled-runtime' } }, 'x.service', 'unit "x.service" expected enabled=false, but systemd reports "enabled-runtime"'],
    ['impossible', { storage: { files: [aFile('/etc/foo', '', { append: [{ source: 'data:,x' }] })] } }, {}, '/etc/foo', 'ignition file /etc/foo includes append'],
    ['impossible', { storage: { files: [{ path: '/etc/foo', contents: { source: 'https://example.com' } }] } }, {}, '/etc/foo', 'contents of file /etc/foo cannot be read: missing data prefix'],
  ])('%s: %j in %j', (kind, parts, world, subject, message, detail) => {
    expect(problem(parts, world)).toEqual({
      kind,
      subject,
      message,
      explained: detail === undefined ? message : `${message} (${detail})`,
    });
  });
});

describe('diskProblem, on a disk that matches its config', () => {
  // biome-ignore format: a table.
  test.each<[string, NodeConfigParts, World]>([
    ['all as it was written', oneFile, { paths: { '/etc/foo': file('hello') } }],
    ['an OS image that the config does not name', {}, { osImage: 'B' }],
    ['an OS that is no image', { spec: { osImageURL: 'A' } }, {}],
    ['more kernel arguments', { spec: { kernelArguments: ['a'] } }, { kernelArguments: ['root=x', 'a'] }],
    ['an empty drop-in that is not there', dropin(), { paths: { [DROPIN]: nothing } }],
    ['an empty drop-in that is empty', dropin(), { paths: { [DROPIN]: file('', 0o600) } }],
    ['a mask', unit({ contents: text, mask: true }), { paths: { [UNIT]: link('/dev/null') } }],
    ['a mask by a relative link', unit({ contents: text, mask: true }), { paths: { [UNIT]: link('../../../dev/null') } }],
    ['a unit that is static', unit({ contents: text, enabled: true }), { paths: { [UNIT]: file(text) }, enablement: { 'x.service': 'static' } }],
    ['a unit without enablement in the config', unit({ contents: text }), { paths: { [UNIT]: file(text) }, enablement: { 'x.service': 'disabled' } }],
    ['a unit of the OS', unit({ enabled: true }), { enablement: { 'x.service': 'disabled' } }],
  ])('%s', (_, parts, world) => {
    expect(problem(parts, world)).toBeUndefined();
  });

  test('ignores files that are updated by other means', () => {
    const paths = [
      '/etc/kubernetes/kubelet-ca.crt',
      '/etc/kubernetes/static-pod-resources/configmaps/cloud-config/ca-bundle.pem',
      '/etc/mco/internal-registry-pull-secret.json',
      '/etc/machine-config-daemon/currentconfig',
    ];
    const config = aNodeConfig('c', { storage: { files: paths.map((path) => aFile(path, 'x')) } });
    expect(expectedDisk(config).items).toEqual([]);
  });

  test('ignores the enablement of units in a config of version 2', () => {
    const units = [{ name: 'x.service', contents: text, enable: true }];
    const v2 = readNodeConfig(
      aMachineConfig('c', { config: { ignition: { version: '2.2.0' }, systemd: { units } } }),
    );
    if (v2.kind === 'invalid') throw new Error(JSON.stringify(v2.problems));
    expect(whatToObserve(expectedDisk(v2.value))).toEqual({
      paths: [{ path: UNIT, sizeBytes: 30 }],
      units: [],
    });
  });
});

test('OS, arguments, files, drop-ins, units and enablement are checked in this order', () => {
  const config = aNodeConfig('rendered', {
    spec: { osImageURL: 'A', kernelArguments: ['a'] },
    storage: { files: [aFile('/etc/foo', 'hello')] },
    systemd: {
      units: [
        { name: 'x.service', contents: text, enabled: true, dropins: [{ name: 'a.conf', contents: text }] },
      ],
    },
  });
  const expected = expectedDisk(config);
  const look = whatToObserve(expected);
  expect(look).toEqual({
    paths: [
      { path: '/etc/foo', sizeBytes: 5 },
      { path: DROPIN, sizeBytes: 30 },
      { path: UNIT, sizeBytes: 30 },
    ],
    units: ['x.service'],
  });
  const all = diskProblems(expected, {
    osImage: 'B',
    kernelArguments: [],
    paths: new Map(look.paths.map(({ path }) => [path, nothing])),
    enablement: new Map([['x.service', 'not-found']]),
  });
  expect(all.map(({ kind, subject }) => `${kind} ${subject}`)).toEqual([
    'os-image ',
    'kernel-arguments ',
    'missing /etc/foo',
    `missing ${DROPIN}`,
    `missing ${UNIT}`,
    'enablement x.service',
  ]);
});

test('the error names the config, or the image in image mode, and the failure of the last shutdown', () => {
  const of = (image?: string) =>
    expectedDisk(aNodeConfig('rendered-worker-1', { spec: { osImageURL: 'A' }, ...(image && { image }) }));
  const found = diskProblem(of(), observed({ osImage: 'B' }));
  if (found === undefined) throw new Error('no problem');
  expect(onDiskStateError(of(), found)).toBe(
    'unexpected on-disk state validating against rendered-worker-1: expected target osImageURL "A", have "B"',
  );
  expect(onDiskStateError(of('L'), found, 'error: out of space')).toBe(
    'unexpected on-disk state validating against L: expected target osImageURL "A", have "B"; possible root cause: error: out of space',
  );
});

test.each([
  ['file', 0o4755, 'urwxr-xr-x/8389101/040000755'],
  ['folder', 0o1777, 'dtrwxrwxrwx/2148532735/020004000777'],
  ['file', 0, '----------/0/00'],
  ['other', 0o600, '?rw-------/524672/02000600'],
] as const)('the mode of a %s %o is %s', (kind, mode, expected) => {
  expect(fileModeText(kind, mode)).toBe(expected);
});
