/**
 * A Linux host over a temporary folder and scripted commands, for the contract of hosts and for tests of command lines.
 */
import { spawnSync } from 'node:child_process';
import { appendFile, chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execPath, getgid, getuid } from 'node:process';
import { fileURLToPath } from 'node:url';
import type { CommandRunner } from '../../src/node/host/command-runner.ts';
import type { HostScene } from '../../src/node/host/contract.ts';
import { createLinuxHost, type ImageTree } from '../../src/node/host/index.ts';
import { createCommandRunner, createLinuxDisk } from '../../src/node/host/linux-node.ts';
import { seededRandom } from '../support/virtual-env.ts';
import { anImage } from './an-image.ts';
import { NEW_IMAGE, OLD_IMAGE, OTHER_IMAGE, OTHER_RELEASE } from './contract-fixtures.ts';
import { makePipe } from './make-pipe.ts';

const SCRIPT = fileURLToPath(new URL('./machine-commands.mjs', import.meta.url));
const OSTREE_COMMANDS = ['rpm-ostree'];
/** Those of a machine that no OSTree manages. */
export const COMMANDS = [
  'systemctl',
  'systemd-run',
  'rpm',
  'podman',
  'nice',
  'chcon',
  'mokutil',
  'getent',
  'usermod',
  'cp',
  'runuser',
  'logger',
  'journalctl',
  'ostree',
];

export interface LinuxScene extends HostScene {
  /** The path of the machine's root on this one. */
  readonly root: string;
  /** The command lines so far. */
  calls(): Promise<readonly string[]>;
  /** The lines for the daemon's log. */
  readonly logged: readonly string[];
  /** Changes the state of the scripted commands. */
  change(change: Readonly<Record<string, unknown>>): Promise<void>;
  journal(): Promise<string>;
}

export const hasSystemctl = spawnSync('/usr/bin/systemctl', ['--version']).status === 0;

export async function linuxScene(commands = [...OSTREE_COMMANDS, ...COMMANDS]): Promise<LinuxScene> {
  const folder = await mkdtemp(join(tmpdir(), 'millwright-linux-'));
  const [root, bin] = [join(folder, 'root'), join(folder, 'bin')];
  await installTree(root, anImage().tree);
  await writeFile(join(folder, 'canary'), 'untouched');
  const first = { image: OLD_IMAGE, version: '9.6.1', digest: `sha256:${'a'.repeat(64)}`, kargs: ['rw'] };
  const release = new TextDecoder().decode(await readFile(join(root, 'usr/lib/os-release')));
  const images = {
    [NEW_IMAGE]: { version: '9.6.2', digest: `sha256:${'b'.repeat(64)}`, release },
    [OTHER_IMAGE]: { version: '42', digest: `sha256:${'d'.repeat(64)}`, release: OTHER_RELEASE },
  };
  const packages = ['glibc', 'kernel'];
  await writeFile(join(folder, 'state.json'), JSON.stringify({ booted: first, images, packages }));
  await installCommands({ folder, bin, commands });
  const logged: string[] = [];
  const running = new Set<Promise<unknown>>();
  const runner = tracked(createCommandRunner({ entrance: { kind: 'here' }, path: bin }), running);
  const host = createLinuxHost({
    disk: createLinuxDisk(root),
    runner,
    random: seededRandom(5),
    processId: 42,
    log: (line) => logged.push(line),
  });
  const owner = { uid: getuid?.() ?? 0, gid: getgid?.() ?? 0 };
  if (owner.uid !== 0) {
    await appendFile(join(root, 'etc/passwd'), `tester:x:${owner.uid}:${owner.gid}::/:/bin/sh\n`);
  }
  const close = async () => {
    // Lines for the journal are not waited for by the daemon, and commands write into the folder.
    await Promise.allSettled(running);
    await rm(folder, { recursive: true, force: true });
  };
  return { ...inspection(folder), close, host, root, logged, owner, isPrivileged: owner.uid === 0 };
}

function tracked(runner: CommandRunner, running: Set<Promise<unknown>>): CommandRunner {
  return {
    run(...command) {
      const result = runner.run(...command);
      running.add(result);
      return result.finally(() => running.delete(result));
    },
  };
}

type Inspection = Omit<LinuxScene, 'close' | 'host' | 'root' | 'logged' | 'owner' | 'isPrivileged'>;

function inspection(folder: string): Inspection {
  const root = join(folder, 'root');
  const read = async (name: string) => await readFile(join(folder, name), 'utf8').catch(() => '');
  const change = async (next: Readonly<Record<string, unknown>>) => {
    const state = JSON.parse(await read('state.json'));
    await writeFile(join(folder, 'state.json'), JSON.stringify({ ...state, ...next }));
  };
  const known = new Set(['bin', 'canary', 'journal', 'log', 'root', 'state.json']);
  return {
    change,
    journal: () => read('journal'),
    async calls() {
      const lines = (await read('log')).split('\n').filter((line) => line !== '');
      return lines.map((line) => (JSON.parse(line) as string[]).join(' '));
    },
    async rebooted() {
      const { isRebootQueued, booted, staged, rollback } = JSON.parse(await read('state.json'));
      if (isRebootQueued !== true) throw new Error('no reboot was requested');
      const after = staged === undefined ? { booted, rollback } : { booted: staged, rollback: booted };
      await change({ ...after, staged: undefined, isRebootQueued: false });
      await rm(join(root, 'run'), { recursive: true, force: true });
      await mkdir(join(root, 'run'));
      await writeFile(join(root, 'proc/sys/kernel/random/boot_id'), 'second\n');
    },
    async outside() {
      const added = (await readdir(folder)).filter((name) => !known.has(name));
      return [`canary: ${await read('canary')}`, ...added].join('\n');
    },
    closeRegistry: () => change({ images: {} }),
    makeSpecial: (path) => makePipe(join(root, path)),
  };
}

async function installTree(root: string, tree: ImageTree): Promise<void> {
  for (const name of [
    'boot',
    'etc',
    'run',
    'tmp',
    'var/home',
    'var/lib',
    'proc/sys/kernel/random',
    'proc/sys/crypto',
  ]) {
    await mkdir(join(root, name), { recursive: true });
  }
  const put = async (path: string, content: Uint8Array | string) => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  };
  for (const [path, entry] of tree) {
    if (entry.kind === 'link') {
      await mkdir(dirname(join(root, path)), { recursive: true });
      spawnSync('ln', ['-s', entry.target, join(root, path)]);
    }
    if (entry.kind !== 'file') continue;
    await put(path, entry.bytes);
    if (path.startsWith('/etc/')) await put(`/usr${path}`, entry.bytes);
  }
  spawnSync('ln', ['-s', 'var/home', join(root, 'home')]);
  await put('proc/sys/kernel/random/boot_id', 'first\n');
  await put('proc/sys/crypto/fips_enabled', '0\n');
  await put('proc/cmdline', 'BOOT_IMAGE=/vmlinuz rw quiet\n');
}

type Installation = { readonly folder: string; readonly bin: string; readonly commands: readonly string[] };

async function installCommands({ folder, bin, commands }: Installation): Promise<void> {
  await mkdir(bin);
  for (const name of commands) {
    const path = join(bin, name);
    await writeFile(path, `#!/bin/sh\nMACHINE='${folder}' exec '${execPath}' '${SCRIPT}' ${name} "$@"\n`);
    await chmod(path, 0o755);
  }
}
