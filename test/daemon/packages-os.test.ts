/**
 * Machines whose OS is installed from packages: files, units and kernel arguments follow their configs; images, kernel types and
 * extensions are refused before anything is drained.
 */
import { describe, expect, it } from 'vitest';
import { event as eventKind } from '../../src/kubernetes/types/index.ts';
import { type CommandRunner, Commands, NO_SUCH_COMMAND } from '../../src/node/host/command-runner.ts';
import type { Host, HostOs } from '../../src/node/host/index.ts';
import { createLinuxOs } from '../../src/node/host/linux-os.ts';
import { anImage } from '../host/an-image.ts';
import { seededRandom } from '../support/virtual-env.ts';
import type { ConfigParts } from './a-config.ts';
import { NEW_OS } from './daemon-node.ts';
import type { JoinedNode } from './joined-node.ts';
import { setUpStories } from './story-cluster.ts';

const stories = setUpStories();
const { join, condition, untilDegraded, pass } = stories;
const MINUTE = 60_000;
const GRUB = '/boot/grub/grub.cfg';
const DROPIN = '/etc/default/grub.d/99-millwright.cfg';
const ENTRY = 'linux /boot/vmlinuz-6.1 root=UUID=1 ro';
const DEBIAN = 'debian';
const image = anImage({
  digest: 'e',
  files: {
    '/usr/lib/os-release': 'ID=debian\nVERSION_ID="12"\n',
    '/usr/sbin/grub-mkconfig': 'for x in /etc/default/grub.d/*.cfg ; do . "$x" ; done\n',
  },
});

/** What the generator does at its next call, or at all of them. */
type Generator = { fault?: 'fails' | 'is interrupted'; isLasting?: boolean };

/** The real implementation, over commands that know GRUB alone. */
function osFor(generator: Generator, cutPower: () => void): (host: Host) => HostOs {
  return ({ files }) => {
    const text = async (path: string) =>
      new TextDecoder().decode((await files.read(path)) ?? new Uint8Array());
    const runner: CommandRunner = {
      async run(command, args) {
        const missing = { stdout: '', stderr: '', exitCode: NO_SUCH_COMMAND };
        if (command !== 'grub-mkconfig') return missing;
        const { fault } = generator;
        if (generator.isLasting !== true) delete generator.fault;
        if (fault === 'is interrupted') cutPower();
        if (fault !== undefined) return { stdout: '', stderr: 'no space left\n', exitCode: 1 };
        const added = /"'(.*)'$/m.exec(await text(DROPIN))?.[1] ?? '';
        const bytes = new TextEncoder().encode(`${ENTRY} ${added}\n`);
        await files.write(args[1] ?? '', { bytes, mode: 0o600 });
        return { stdout: '', stderr: '', exitCode: 0 };
      },
    };
    return createLinuxOs({
      files,
      commands: new Commands(runner, { log: () => undefined }),
      random: seededRandom(3),
    });
  };
}

type Machine = JoinedNode & { readonly generator: Generator };

async function debian(parts: ConfigParts = {}, { hasGrub = true } = {}): Promise<Machine> {
  const generator: Generator = {};
  let cutPower = (): void => undefined;
  const joined = await join(
    { osImage: '', ...parts },
    {
      images: { [DEBIAN]: image },
      image: DEBIAN,
      isOstreeBooted: false,
      osFor: osFor(generator, () => cutPower()),
    },
  );
  cutPower = () => joined.node.machine.cutPower();
  if (hasGrub) await joined.node.write(GRUB, `${ENTRY} \n`, 0o600);
  return { ...joined, generator };
}

describe('a machine whose OS is installed from packages', () => {
  it('gets files and kernel arguments, and reboots', async () => {
    const { node, sendTo } = await debian({ files: { '/etc/a': 'one' } });
    const before = await node.machine.host.bootId();
    const next = await sendTo('next', {
      osImage: '',
      files: { '/etc/a': 'two' },
      kernelArguments: ['nosmt audit=1'],
    });
    await stories
      .cluster()
      .until('it reboots', async () => node.lines.some((line) => line.includes('initiating reboot')));
    await stories.cluster().untilDone(node.name, next);
    expect(await node.text('/etc/a')).toBe('two');
    expect(await node.text(GRUB)).toBe(`${ENTRY} nosmt audit=1\n`);
    expect(await node.machine.host.bootId()).not.toBe(before);
    const less = await sendTo('less', { osImage: '', files: { '/etc/a': 'two' } });
    await stories.cluster().untilDone(node.name, less);
    expect(await node.text(GRUB)).toBe(`${ENTRY} \n`);
    expect(await node.text(DROPIN)).toBeUndefined();
  });

  it('reports that an administrator has removed its kernel arguments', async () => {
    const machine = await debian();
    const { node, sendTo } = machine;
    const next = await sendTo('next', { osImage: '', kernelArguments: ['nosmt'] });
    await stories.cluster().untilDone(node.name, next);
    await node.write(GRUB, `${ENTRY} \n`, 0o600);
    node.restartDaemon();
    await untilDegraded(machine, /missing expected kernel arguments: \[nosmt\]$/);
    await node.write(GRUB, `${ENTRY} nosmt\n`, 0o600);
    await stories.cluster().untilDone(node.name, next, 10 * MINUTE);
  });

  it('completes an update that a power cut interrupted between the drop-in and the boot loader', async () => {
    const { node, sendTo, generator } = await debian({ files: { '/etc/a': 'one' } });
    generator.fault = 'is interrupted';
    const next = await sendTo('next', {
      osImage: '',
      files: { '/etc/a': 'two' },
      kernelArguments: ['nosmt'],
    });
    await stories.cluster().until('the power is cut', async () => !node.machine.isUp);
    await node.machine.boot();
    await stories.cluster().untilDone(node.name, next, 10 * MINUTE);
    expect(await node.text(GRUB)).toBe(`${ENTRY} nosmt\n`);
    expect(await node.text('/etc/a')).toBe('two');
  });

  it('goes back to its previous config where the boot loader cannot be configured, and tries again', async () => {
    const machine = await debian({ files: { '/etc/a': 'one' } });
    const { node, sendTo, generator } = machine;
    Object.assign(generator, { fault: 'fails', isLasting: true });
    const next = await sendTo('next', {
      osImage: '',
      files: { '/etc/a': 'two' },
      kernelArguments: ['nosmt'],
    });
    const reason = await untilDegraded(machine, /./);
    expect(reason).toBe(
      'error running grub-mkconfig -o /boot/grub/grub.cfg.millwright: no space left: exit status 1',
    );
    await stories.cluster().until('it is rolled back', async () => (await node.text('/etc/a')) === 'one');
    expect([await node.text(GRUB), await node.text(DROPIN)]).toEqual([`${ENTRY} \n`, undefined]);
    await pass(MINUTE);
    expect(await stories.cluster().annotation(node.name, 'reason')).toBe(reason);
    delete generator.fault;
    await stories.cluster().untilDone(node.name, next, 10 * MINUTE);
    expect(await node.text(GRUB)).toBe(`${ENTRY} nosmt\n`);
  });

  it('boots once more into its previous kernel arguments where it is sent back after the reboot', async () => {
    const machine = await debian({ files: { '/etc/a': 'one' } });
    const { node, first, sendTo } = machine;
    let boots = 0;
    node.machine.onPower(({ kind }) => {
      if (kind !== 'up') return;
      boots++;
      // The machine does not come up as the config says.
      if (boots === 1) node.write('/etc/a', 'by hand').catch(() => undefined);
    });
    await sendTo('next', { osImage: '', files: { '/etc/a': 'two' }, kernelArguments: ['nosmt'] });
    await untilDegraded(machine, /content mismatch for file "\/etc\/a"$/, 10 * MINUTE);
    expect([boots, await node.text(GRUB)]).toEqual([1, `${ENTRY} nosmt\n`]);
    await stories.cluster().send(node.name, first);
    await stories.cluster().untilDone(node.name, first, 30 * MINUTE);
    expect([boots, await node.text(GRUB), await node.text(DROPIN)]).toEqual([2, `${ENTRY} \n`, undefined]);
    expect(await node.text('/etc/a')).toBe('one');
  });
});

const BY_PACKAGES =
  '. Update this node with its package manager, and have it in a pool whose MachineConfigs do not ask for that';
const BY_HAND =
  '. Add the arguments to the boot loader by hand and reboot: what the running kernel has is accepted';

describe('what a machine whose OS is installed from packages cannot do', () => {
  it.each<[string, ConfigParts, string]>([
    ['another OS', { osImage: NEW_OS }, `OS image ${NEW_OS}${BY_PACKAGES}`],
    ['a kernel', { extra: { kernelType: 'realtime' } }, `kernel type realtime${BY_PACKAGES}`],
    ['extensions', { extra: { extensions: ['usbguard'] } }, `extensions [usbguard]${BY_PACKAGES}`],
    [
      'kernel arguments that GRUB would change',
      { kernelArguments: ['a=$(b)'] },
      `kernel arguments [a=$(b)] (GRUB would not pass on a=$(b) as it is)${BY_HAND}`,
    ],
  ])('is refused with the reason before it is drained: %s', async (_, asked, what) => {
    const joined = await debian({ files: { '/etc/a': 'one' } });
    const next = await joined.sendTo('next', { osImage: '', files: { '/etc/a': 'two' }, ...asked });
    const reason = await untilDegraded(joined, /./);
    expect(reason).toBe(
      `can't reconcile config ${joined.first} with ${next}: updating the OS on non-CoreOS nodes is not supported: ${next} asks for ${what}`,
    );
    await pass(10 * MINUTE);
    expect(await stories.cluster().annotation(joined.node.name, 'desiredDrain')).toBe(
      `uncordon-${joined.first}`,
    );
    expect(await condition(joined, 'Updated')).toMatch(/^False/);
    expect(await joined.node.text('/etc/a')).toBe('one');
    const { items } = await stories.cluster().kube.list(eventKind, { namespace: 'default' });
    expect(items.some(({ message }) => message === reason)).toBe(true);
    await stories.cluster().send(joined.node.name, joined.first);
    await stories.cluster().untilDone(joined.node.name, joined.first);
  });

  it('includes kernel arguments where the configuration of the boot loader is read-only', async () => {
    const joined = await debian({ files: { '/etc/a': 'one' } });
    joined.node.disk.addFault({ path: '/rootfs/boot', code: 'EROFS', calls: ['isReadOnly'] });
    await joined.sendTo('next', { osImage: '', files: { '/etc/a': 'two' }, kernelArguments: ['nosmt'] });
    const reason = await untilDegraded(joined, /./);
    expect(reason).toMatch(/asks for kernel arguments \[nosmt\] \(open \S+: read-only file system\)/);
    expect(await stories.cluster().annotation(joined.node.name, 'desiredDrain')).toBe(
      `uncordon-${joined.first}`,
    );
    expect(await joined.node.text('/etc/a')).toBe('one');
  });

  it('includes kernel arguments where it has no GRUB, unless it has them already', async () => {
    const joined = await debian({ files: { '/etc/a': 'one' } }, { hasGrub: false });
    const next = await joined.sendTo('next', { osImage: '', kernelArguments: ['nosmt'] });
    const reason = await untilDegraded(joined, /./);
    expect(reason).toBe(
      `can't reconcile config ${joined.first} with ${next}: updating the OS on non-CoreOS nodes is not supported: ${next} asks for kernel arguments [nosmt] (there is no /boot/grub/grub.cfg and no /boot/grub2/grub.cfg)${BY_HAND}`,
    );
    // As the administrator has set them.
    const there = await joined.sendTo('there', {
      osImage: '',
      files: { '/etc/a': 'two' },
      kernelArguments: ['rw'],
    });
    await stories.cluster().untilDone(joined.node.name, there);
    expect(await joined.node.text('/etc/a')).toBe('two');
  });
});
