import { describe, expect, test } from 'vitest';
import { aNodeConfig, type NodeConfigParts } from '../../../test/support/a-node-config.ts';
import type { MachineConfigSpec } from '../../api/index.ts';
import type { Deployment } from '../host/host.ts';
import { configChange } from './config-change.ts';
import { emptyNodeConfig } from './node-config.ts';
import { type OsInput, type OsOperation, osChanges, osReasons } from './os-changes.ts';

const A = 'registry.example/os@sha256:aaaa';
const B = 'registry.example/os@sha256:bbbb';
const EXT = 'registry.example/extensions@sha256:eeee';

const booted: Deployment = {
  isBooted: true,
  isStaged: false,
  image: A,
  version: '1',
  commit: 'c',
  layeredPackages: [],
  removedPackages: [],
};
const BASE = ['kernel', 'kernel-core', 'kernel-modules', 'kernel-modules-core', 'kernel-modules-extra'];
const RT = ['kernel-rt-core', 'kernel-rt-modules', 'kernel-rt-modules-extra'];
const realtime = { ...booted, layeredPackages: RT, removedPackages: BASE };
const release = { isImageBased: true, isEnterpriseLinux: true };
const PLAIN = { isImageBased: false, isEnterpriseLinux: false };

type Change = {
  readonly before?: MachineConfigSpec;
  readonly after?: MachineConfigSpec;
  readonly images?: readonly [string, string];
  readonly deployments?: readonly Deployment[];
  readonly isForced?: boolean;
} & Partial<Pick<OsInput, 'release' | 'architecture'>>;

function change({ before = {}, after = {}, images = ['', ''], isForced = false, ...input }: Change) {
  const side = (spec: MachineConfigSpec, image: string): NodeConfigParts => ({
    spec: { osImageURL: A, ...spec },
    image,
  });
  const from = aNodeConfig('old', side(before, images[0]));
  const to = aNodeConfig('new', side(after, images[1]));
  const changed = configChange(from, to, { isForced });
  const result = osChanges({ from, to, change: changed, deployments: [booted], release, ...input });
  return { result, reasons: osReasons(changed, to, input.release ?? release) };
}

/** One word per operation, with what it is about. */
function operationsOf(input: Change): readonly string[] | string {
  const { result } = change(input);
  return result.kind === 'refused' ? result.error : result.operations.map(word);
}

function word(operation: OsOperation): string {
  switch (operation.kind) {
    case 'change-packages': {
      const { reset = [], uninstall = [], remove = [], install = [] } = operation.change;
      const parts = { reset, uninstall, remove, install };
      return Object.entries(parts)
        .filter(([, names]) => names.length > 0)
        .map(([verb, names]) => `${verb} ${names.join(' ')}`)
        .join(', ');
    }
    case 'change-kernel-arguments':
      return `arguments -[${operation.change.remove.join(' ')}] +[${operation.change.append.join(' ')}]`;
    case 'set-kernel-arguments':
      return `arguments [${operation.wanted.join(' ')}]`;
    case 'check-staged':
      return `check ${operation.packages.join(' ')}`;
    case 'rebase':
      return `rebase ${operation.image}`;
    default:
      return operation.kind;
  }
}

const REBASE = ['update-bootloader', `rebase ${B}`, 'check-image'];
const TO_RT = `remove ${BASE.join(' ')}, install ${RT.join(' ')}`;
const RESET = `reset ${BASE.join(' ')}, uninstall ${RT.join(' ')}`;

describe('osChanges rejects before anything is changed', () => {
  test.each<[string, Change, string]>([
    ['nothing is booted', { deployments: [] }, 'no booted deployment found'],
    ['an unknown extension', { after: { extensions: ['x'] } }, 'invalid extensions found: [x]'],
    ['an unknown kernel', { after: { kernelType: 'x' } }, 'kernelType=x is invalid'],
    [
      'large pages on another machine',
      { after: { kernelType: '64k-pages' }, architecture: 'x86_64' },
      '64k-pages is only supported for aarch64 architecture',
    ],
  ])('%s', (_, input, error) => {
    expect(operationsOf(input)).toBe(error);
  });
});

describe('osChanges orders the operations of', () => {
  // biome-ignore format: a table.
  test.each<[string, Change, readonly string[]]>([
    ['a new image', { after: { osImageURL: B } }, ['drop-pending', ...REBASE]],
    ['a new image that is booted already', { after: { osImageURL: B }, deployments: [{ ...booted, image: B }] }, ['drop-pending']],
    ['the same image, forced', { isForced: true }, ['drop-pending']],
    ['the same image, forced, while another is booted', { isForced: true, after: { osImageURL: B }, before: { osImageURL: B } }, ['drop-pending', ...REBASE]],
    ['no image', { after: { osImageURL: '' } }, ['drop-pending']],
    ['arguments', { before: { kernelArguments: ['a b'] }, after: { kernelArguments: ['b'] } }, ['drop-pending', 'arguments -[a b] +[b]']],
    ['an image and arguments', { after: { osImageURL: B, kernelArguments: ['a'] } }, ['drop-pending', ...REBASE, 'arguments -[] +[a]']],
    ['to the realtime kernel', { after: { kernelType: 'realtime' } }, ['drop-pending', TO_RT]],
    ['back from it', { before: { kernelType: 'realtime' }, deployments: [realtime] }, ['drop-pending', RESET]],
    ['to it where it runs already', { after: { kernelType: 'realtime' }, deployments: [realtime] }, ['drop-pending']],
    ['a new image below it', { before: { kernelType: 'realtime' }, after: { kernelType: 'realtime', osImageURL: B }, deployments: [realtime] }, ['drop-pending', RESET, ...REBASE, TO_RT]],
    ['from it to large pages', { before: { kernelType: 'realtime' }, after: { kernelType: '64k-pages' }, architecture: 'arm64', deployments: [realtime] }, ['drop-pending', RESET, `remove ${BASE.join(' ')}, install kernel-64k-core kernel-64k-modules kernel-64k-modules-core kernel-64k-modules-extra`]],
    ['an extension', { after: { extensions: ['usbguard'] } }, ['drop-pending', 'install usbguard', 'check usbguard']],
    ['an extension that goes', { before: { extensions: ['usbguard'] }, deployments: [{ ...booted, layeredPackages: ['usbguard', 'vim'] }] }, ['drop-pending', 'uninstall usbguard']],
    ['an extension for another', { before: { extensions: ['usbguard'] }, after: { extensions: ['sysstat'] }, deployments: [{ ...booted, layeredPackages: ['usbguard'] }] }, ['drop-pending', 'uninstall usbguard, install sysstat', 'check sysstat']],
    ['an extension that is there already', { after: { extensions: ['usbguard'] }, deployments: [{ ...booted, layeredPackages: ['usbguard'] }] }, ['drop-pending']],
    ['a new image below an extension', { before: { extensions: ['usbguard'] }, after: { extensions: ['usbguard'], osImageURL: B }, deployments: [{ ...booted, layeredPackages: ['usbguard'] }] }, ['drop-pending', ...REBASE, 'check usbguard']],
    ['everything', { after: { osImageURL: B, kernelArguments: ['a'], kernelType: 'realtime', extensions: ['usbguard'], baseOSExtensionsContainerImage: EXT } }, ['open-extensions', 'drop-pending', ...REBASE, 'arguments -[] +[a]', TO_RT, 'install usbguard', 'check usbguard']],
    ['arguments beside an extension', { before: { extensions: ['usbguard'], baseOSExtensionsContainerImage: EXT }, after: { extensions: ['usbguard'], kernelArguments: ['a'], baseOSExtensionsContainerImage: EXT } }, ['drop-pending', 'arguments -[] +[a]']],
    ['an image beside an extensions image of which nothing is used', { after: { osImageURL: B, baseOSExtensionsContainerImage: EXT } }, ['drop-pending', ...REBASE]],
    ['image mode, which brings its packages (edge case 20)', { after: { kernelArguments: ['a'], extensions: ['usbguard'], kernelType: 'realtime', baseOSExtensionsContainerImage: EXT }, images: [A, B] }, ['drop-pending', ...REBASE, 'arguments -[] +[a]']],
    ['image mode, from a kernel and an extension that were layered', { before: { extensions: ['usbguard'], kernelType: 'realtime' }, after: { extensions: ['usbguard'], kernelType: 'realtime', baseOSExtensionsContainerImage: EXT }, images: ['', B], deployments: [{ ...realtime, layeredPackages: [...RT, 'usbguard', 'vim'] }] }, ['drop-pending', RESET, 'uninstall usbguard', ...REBASE]],
    ['the same image of image mode', { images: [B, B], deployments: [{ ...booted, image: B, layeredPackages: ['usbguard'] }] }, ['drop-pending']],
    ['out of image mode, with what its image brought', { before: { osImageURL: B, extensions: ['usbguard'], kernelType: 'realtime' }, after: { osImageURL: B, extensions: ['usbguard'], kernelType: 'realtime' }, images: [A, ''] }, ['drop-pending', ...REBASE, TO_RT, 'install usbguard', 'check usbguard']],
    ['packages on an OS of another family', { after: { extensions: ['usbguard'], kernelType: 'realtime' }, release: { isImageBased: true, isEnterpriseLinux: false } }, ['drop-pending']],
    ['an OS that is no image', { after: { osImageURL: B }, release: PLAIN }, []],
    ['arguments of an OS that is no image', { before: { kernelArguments: ['a', 'c'] }, after: { kernelArguments: ['a b="x y"'] }, release: PLAIN }, ['arguments [a b="x y"]']],
    ['arguments that an OS that is no image loses', { before: { kernelArguments: ['a'] }, release: PLAIN }, ['arguments []']],
    ['the arguments of an OS that is no image once more, by force', { before: { kernelArguments: ['a'] }, after: { kernelArguments: ['a'] }, isForced: true, release: PLAIN }, ['arguments [a]']],
  ])('%s', (_, input, expected) => {
    expect(operationsOf(input)).toEqual(expected);
  });
});

test('the log has the lines of upstream', () => {
  const log = (input: Change) => {
    const { result } = change(input);
    if (result.kind === 'refused') return [result.error];
    return [...result.log, ...result.operations.flatMap((one) => ('log' in one ? [one.log] : []))];
  };
  expect(log({ isForced: true })).toEqual([`Already in desired image ${A}`]);
  expect(log({ after: { osImageURL: B, kernelArguments: ['a'] } })).toEqual([
    `Updating OS to layered image "${B}"`,
    'Running rpm-ostree [kargs --append=a]',
  ]);
  expect(log({ after: { kernelType: 'realtime', extensions: ['usbguard'] } })).toEqual([
    'Initiating switch to kernel realtime',
    'Applying extensions : usbguard',
  ]);
  const same = { kernelType: 'realtime' };
  expect(log({ before: same, after: { ...same, osImageURL: B } })).toContain(
    'Re-applying kernel type realtime',
  );
  expect(log({ after: { osImageURL: B }, release: PLAIN })).toEqual([
    'updating the OS on non-CoreOS nodes is not supported',
  ]);
});

test('the reasons are those of the events of upstream', () => {
  const after = { osImageURL: B, kernelArguments: ['a'], kernelType: 'realtime', extensions: ['usbguard'] };
  expect(change({ after }).reasons).toEqual([
    'Upgrading OS',
    'Installing extensions',
    'Changing kernel type',
    'Changing kernel arguments',
  ]);
  expect(change({}).reasons).toEqual([]);
  expect(change({ after, release: PLAIN }).reasons).toEqual(['Changing kernel arguments']);
  expect(change({ after, images: [A, B] }).reasons).toEqual(['Upgrading OS', 'Changing kernel arguments']);
});

test('an OS that is no image goes back to its own arguments where it had no config before', () => {
  const own = emptyNodeConfig({ osImage: '', kernelArguments: ['its-own'], isFips: false });
  const from = aNodeConfig('new', { spec: { kernelArguments: ['its-own', 'a'] } });
  const result = osChanges({
    from,
    to: own,
    change: configChange(from, own),
    deployments: [],
    release: PLAIN,
  });
  expect(result).toMatchObject({ operations: [{ kind: 'set-kernel-arguments', wanted: [] }] });
});

test('arguments that cannot be set are no reason', () => {
  const machine = { ...PLAIN, kernelArgumentsProblem: 'no GRUB' };
  const [from, to] = [aNodeConfig('old'), aNodeConfig('new', { spec: { kernelArguments: ['a'] } })];
  expect(osReasons(configChange(from, to), to, machine)).toEqual([]);
});
