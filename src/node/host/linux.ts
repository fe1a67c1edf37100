/**
 * The host implementation for Linux: commands through a runner, files on a disk.
 *
 * The command lines are upstream's, which people know from its logs.
 */
import type { Random } from '../../base/env.ts';
import { Failure } from '../../base/errors.ts';
import { quoted } from '../../base/text/index.ts';
import { type CommandRunner, Commands, NO_SUCH_COMMAND } from './command-runner.ts';
import type { Disk } from './disk.ts';
import type { Host, HostFiles, HostImages, SshdVerdict } from './host.ts';
import { createHostFiles } from './host-files.ts';
import { createLinuxAccounts } from './linux-accounts.ts';
import { createLinuxOs } from './linux-os.ts';
import { createLinuxUnits } from './linux-units.ts';
import { readBootId } from './machine-files.ts';

type LinuxOptions = {
  /** Its root is the machine's root. */
  readonly disk: Disk;
  /** Runs commands as if on the machine itself. */
  readonly runner: CommandRunner;
  readonly random: Random;
  /** Of this process, for the journal. */
  readonly processId: number;
  /** Receives commands and their output for the daemon's log. */
  readonly log?: (line: string) => void;
  /** Of the container runtime; absent where none is reached. */
  readonly images?: (machine: LinuxParts) => HostImages;
};

type LinuxParts = { readonly files: HostFiles; readonly commands: Commands };

export function createLinuxHost(options: LinuxOptions): Host {
  const { disk, runner, random, processId, log = nothing, images = noImages } = options;
  const commands = new Commands(runner, { log, env: { RPMOSTREE_CLIENT_ID: 'machine-config-operator' } });
  const files = createLinuxFiles({ disk, random, commands });
  const os = createLinuxOs({ files, commands, random });
  return {
    files,
    units: createLinuxUnits(commands, files),
    os,
    images: images({ files, commands }),
    accounts: createLinuxAccounts(commands),
    bootId: () => readBootId(files),
    async reboot(rationale) {
      const { isImageBased } = await os.release();
      await reboot(commands, { rationale, isImageBased });
    },
    checkSshd: (path) => checkSshd(commands, path),
    async note(text) {
      // A failure has no consequence.
      const input = `machine-config-daemon[${processId}]: ${quoted(text)}\n`;
      await commands.try('logger', [], { input }).catch(nothing);
    },
  };
}

function noImages(): HostImages {
  const why = 'pinning images needs CRI-O, which is not reached from here';
  const refuse = () => Promise.reject(new Failure('stalled', 'NoContainerRuntime', why));
  return {
    pinningProblem: async () => why,
    isPresent: async () => false,
    inspect: refuse,
    pull: refuse,
    freeBytes: async () => undefined,
  };
}

/** It only reads: `-t` neither listens nor starts anything. */
async function checkSshd(commands: Commands, path: string): Promise<SshdVerdict | undefined> {
  const { exitCode, stderr } = await commands.try('/usr/sbin/sshd', ['-t', '-f', path]);
  if (exitCode === NO_SUCH_COMMAND) return undefined;
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  return exitCode === 0 ? {} : { problem: lines[0]?.trim() ?? `exit status ${exitCode}` };
}

type FilesOptions = { readonly disk: Disk; readonly random: Random; readonly commands: Commands };

function createLinuxFiles({ disk, random, commands }: FilesOptions): HostFiles {
  const files = createHostFiles({
    disk,
    random,
    root: '/',
    // Without `rpm` no file is known to belong to a package.
    isPackaged: async (path) => (await commands.try('rpm', ['-qf', path])).exitCode === 0,
    // Files have SELinux labels that a copy of content, mode and owner would lose.
    clone: ({ from, to }) => commands.run('cp', ['-a', '--reflink=auto', from, to]),
  });
  return {
    ...files,
    async makeFolder(path, folder) {
      const { owner } = folder;
      if (owner === undefined || owner.uid === 0) return await files.makeFolder(path, folder);
      await makeFolderAs(commands, { path, mode: folder.mode, uid: owner.uid });
    },
  };
}

type OwnFolder = { readonly path: string; readonly mode: number; readonly uid: number };

/** Users may create links in their own folders; run as the user, the command has only the user's permissions. */
async function makeFolderAs(commands: Commands, { path, mode, uid }: OwnFolder): Promise<void> {
  const { stdout } = await commands.try('getent', ['passwd', String(uid)]);
  const user = stdout.split(':')[0] ?? '';
  if (user === '') throw new Failure('stalled', 'UnknownUser', `mkdir ${path}: there is no user ${uid}`);
  const octal = mode.toString(8).padStart(4, '0');
  await commands.run('runuser', ['-u', user, '--', 'mkdir', '-m', octal, '-p', path]);
}

type Reboot = { readonly rationale: string; readonly isImageBased: boolean };

async function reboot(commands: Commands, { rationale, isImageBased }: Reboot): Promise<void> {
  // The staged deployment is finalized during shutdown, which must not be interrupted.
  const finalize = 'ostree-finalize-staged.service';
  const args = [
    '--unit',
    'machine-config-daemon-reboot',
    '--description',
    `machine-config-daemon: ${rationale}`,
    ...(isImageBased ? ['-p', `Requires=${finalize}`, '-p', `After=${finalize}`] : []),
    '/bin/sh',
    '-c',
    'systemctl reboot',
  ];
  try {
    await commands.run('systemd-run', args);
  } catch (error) {
    const message = 'reboot command failed, something is seriously wrong';
    throw new Failure('transient', 'RebootFailed', message, error);
  }
}

function nothing(): void {}
