/**
 * Keeps the processes of a build together. Commands of `RUN` steps may start others, which outlive `buildah`, and without a
 * PID namespace they see and may end those of this machine, since `buildah` isolates them by chroot alone.
 *
 * In the pod of a cluster, which has a PID namespace of its own and may not create another, all end with their container.
 */
import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { kill } from 'node:process';

const UNSHARE = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'] as const;

/**
 * The command line in a PID namespace of its own, where this machine lets us create one: everything in it ends with its first
 * process. Ordinary users need the user namespace of `buildah` (`inUserNamespace`) for that.
 */
export async function isolated(
  command: readonly string[],
  inUserNamespace: readonly string[],
  env: { readonly [name: string]: string | undefined },
): Promise<readonly string[]> {
  for (const prefix of [UNSHARE, [...inUserNamespace, ...UNSHARE]]) {
    if (await succeeds([...prefix, 'true'], env)) return [...prefix, ...command];
  }
  return command;
}

/** Whether the program is found, which a failed `unshare` does not tell. */
export function isInstalled(
  program: string,
  env: { readonly [name: string]: string | undefined },
): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, ['--version'], { stdio: 'ignore', env });
    child.on('error', () => resolve(false));
    child.on('exit', () => resolve(true));
  });
}

function succeeds(
  [program = '', ...args]: readonly string[],
  env: { readonly [name: string]: string | undefined },
): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: 'ignore', env });
    child.on('error', () => resolve(false));
    child.on('exit', (code) => resolve(code === 0));
  });
}

/** A bound in case new ones appear all the time. */
const MAX_ROUNDS = 100;

/** Ends the process and its descendants. */
export async function endProcessTree(pid: number): Promise<void> {
  const ended = new Set<number>();
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const next = (await processTree(pid)).filter((one) => !ended.has(one));
    if (next.length === 0) return;
    for (const one of next) {
      ended.add(one);
      try {
        kill(one, 'SIGKILL');
      } catch {
        // It has ended already.
      }
    }
  }
}

async function processTree(pid: number): Promise<readonly number[]> {
  const parents = await parentsOfAll();
  const tree = new Set([pid]);
  // Parents may be listed after their children.
  for (let size = 0; size !== tree.size; ) {
    size = tree.size;
    for (const [one, parent] of parents) if (tree.has(parent)) tree.add(one);
  }
  return [...tree].filter((one) => parents.has(one));
}

async function parentsOfAll(): Promise<ReadonlyMap<number, number>> {
  const names = await readdir('/proc').catch(() => []);
  const pids = names.filter((name) => /^[1-9]\d*$/.test(name)).map(Number);
  const entries = await Promise.all(
    pids.map(async (pid) => {
      const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
      // The name of the program is in parentheses and may contain anything; state and parent follow.
      const [, parent = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return parent === '' ? [] : [[pid, Number(parent)] as const];
    }),
  );
  return new Map(entries.flat());
}
