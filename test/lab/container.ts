/**
 * A container of `systemd-nspawn` as a child of this process, one that never outlives it.
 *
 * A killed `systemd-nspawn` would leave the first process of its container behind. So there is a shell in between: it reads from
 * this process, and when that stream ends it shuts the container down and then kills its first process.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

export type ContainerOptions = {
  readonly name: string;
  readonly hostname: string;
  readonly root: string;
  /** Of `systemd-nspawn`: what it mounts, and what else this container differs in. */
  readonly flags: readonly string[];
  readonly command: readonly string[];
  readonly logPath: string;
};

export type Container = {
  /** The PID of its first process on this computer. */
  readonly pid: number;
  /** Resolves with the exit code of `systemd-nspawn`. */
  readonly ended: Promise<number>;
  readonly hasEnded: () => boolean;
  /** Shuts it down, and kills it after a timeout. */
  readonly end: () => Promise<void>;
};

const START_LIMIT_MS = 20_000;
const POLL_MS = 20;

export async function startContainer(options: ContainerOptions): Promise<Container> {
  const log = openSync(options.logPath, 'a');
  const shell = spawn(
    '/bin/sh',
    ['-c', GUARD, 'guard', options.name, 'systemd-nspawn', ...nspawnArgs(options)],
    {
      stdio: ['pipe', 'pipe', log],
      // A signal to all of this process's group, such as that of Ctrl-C, must leave the guard to its work.
      detached: true,
      env: { PATH: process.env.PATH ?? '', LC_ALL: 'C' },
    },
  );
  closeSync(log);
  const { stdin: lifeline, stdout } = shell;
  if (lifeline === null || stdout === null) throw new Error('the guard was started without streams');
  let hasEnded = false;
  const ended = new Promise<number>((resolve) => {
    shell.once('close', (code) => {
      hasEnded = true;
      resolve(code ?? -1);
    });
  });
  // The stream breaks when the container ends by itself.
  lifeline.on('error', () => undefined);
  const nspawn = await firstLine(stdout);
  const deadlineMs = Date.now() + START_LIMIT_MS;
  const end = async () => {
    lifeline.end();
    await ended;
  };
  while (!hasEnded && Date.now() < deadlineMs) {
    const pid = await firstProcess(nspawn);
    if (pid !== undefined) return { pid, ended, hasEnded: () => hasEnded, end };
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  await end();
  throw new Error(`${options.name} does not start: ${await readFile(options.logPath, 'utf8')}`);
}

function nspawnArgs({ name, hostname, root, flags, command }: ContainerOptions): readonly string[] {
  return [
    '--quiet',
    '--register=no',
    '--keep-unit',
    `--machine=${name}`,
    `--hostname=${hostname}`,
    `--directory=${root}`,
    '--link-journal=no',
    '--resolv-conf=off',
    '--timezone=off',
    '--console=pipe',
    // The signal that makes systemd power off.
    '--kill-signal=SIGRTMIN+4',
    ...flags,
    ...command,
  ];
}

/** The only child of `nspawn`, once it is the first one of its own process ids. */
async function firstProcess(nspawn: number): Promise<number | undefined> {
  const text = await readFile(`/proc/${nspawn}/task/${nspawn}/children`, 'utf8').catch(() => '');
  for (const pid of text.split(' ').filter((word) => word !== '')) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    if (/^NSpid:.*\t1$/m.test(status)) return Number(pid);
  }
  return undefined;
}

function firstLine(stream: NodeJS.ReadableStream): Promise<number> {
  return new Promise((resolve, reject) => {
    let text = '';
    stream.on('data', (piece: Buffer) => {
      text += piece.toString('utf8');
      if (text.includes('\n')) resolve(Number.parseInt(text, 10));
    });
    stream.once('end', () => reject(new Error('the container ended before it began')));
  });
}

/**
 * Prints the id of `systemd-nspawn`, waits for it, and exits as it does. Its output goes where our errors go.
 *
 * Each container has control groups of its own, in every hierarchy, below the group of this process. In that one the
 * machines would wait for one another's services to stop. A group that a boot leaves behind would look like a container to the
 * kubelet of the next.
 */
const GUARD = `
name=$1
shift
groups=
while IFS=: read -r id controllers path; do
  case $controllers in
    '') place=/sys/fs/cgroup/unified; [ -d $place ] || place=/sys/fs/cgroup ;;
    name=*) place=/sys/fs/cgroup/\${controllers#name=} ;;
    *) place=/sys/fs/cgroup/$controllers ;;
  esac
  own=$place\${path%/}
  [ -w "$own/cgroup.procs" ] || continue
  group=$own/$name
  mkdir -p "$group"
  if [ "$controllers" = cpuset ]; then
    for file in cpuset.cpus cpuset.mems; do cat "$own/$file" >"$group/$file"; done
  fi
  groups="$groups $group"
done </proc/self/cgroup
exec 3<&0
(
  exec 3<&-
  for group in $groups; do echo 0 >"$group/cgroup.procs"; done
  exec "$@" </dev/null >&2
) &
nspawn=$!
echo "$nspawn"
exec >&2
(
  read -r never <&3
  kill -TERM "$nspawn"
  tenths=0
  while kill -0 "$nspawn" && [ "$tenths" -lt 200 ]; do sleep 0.1; tenths=$((tenths + 1)); done
  read -r first rest <"/proc/$nspawn/task/$nspawn/children"
  kill -KILL "$first"
) 2>/dev/null &
reader=$!
wait "$nspawn"
code=$?
kill -KILL "$reader" 2>/dev/null
for group in $groups; do
  tenths=0
  while [ -d "$group" ] && [ "$tenths" -lt 50 ]; do
    find "$group" -depth -type d -exec rmdir {} + 2>/dev/null || sleep 0.1
    tenths=$((tenths + 1))
  done
done
exit "$code"
`;
