/** Runs kubectl once, or until it is stopped (a watch, a followed log). */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { eventually } from '../contract/eventually.ts';

/** The kubectl program, its kubeconfig, and its cache directory. */
export type KubectlCall = { readonly program: string; readonly kubeconfig: string; readonly home: string };

export type Ran = { readonly code: number; readonly stdout: string; readonly stderr: string };

/** Time limit of a command. */
const LIMIT_MS = 240_000;

export async function runKubectl(call: KubectlCall, args: readonly string[], stdin = ''): Promise<Ran> {
  const child = spawnKubectl(call, args);
  const limit = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  // A command that does not read its input may end before it is written.
  child.stdin.on('error', () => undefined);
  child.stdin.end(stdin);
  const [code] = await once(child, 'close');
  clearTimeout(limit);
  return { code: code ?? -1, stdout, stderr };
}

function spawnKubectl(
  { program, kubeconfig, home }: KubectlCall,
  args: readonly string[],
): ChildProcessByStdio<Writable, Readable, Readable> {
  return spawn(program, args, {
    env: { ...process.env, HOME: home, KUBECONFIG: kubeconfig, KUBECTL_KUBERC: 'false' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

export type RunningKubectl = {
  readonly printed: () => string;
  /** Resolves once the predicate holds; rejects if kubectl ends before. */
  readonly until: (what: string, holds: () => boolean) => Promise<void>;
  /** Returns the whole output. */
  readonly stop: () => Promise<string>;
};

/** Resolves once it has printed something. */
export async function startKubectl(
  call: KubectlCall,
  args: readonly string[],
  onText: (text: string) => void = () => undefined,
): Promise<RunningKubectl> {
  const child = spawnKubectl(call, args);
  child.stdin.end();
  let [printed, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
    onText(text);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const closed = once(child, 'close');
  const until = async (what: string, holds: () => boolean) => {
    await eventually(what, async () => {
      if (holds()) return true;
      if (child.exitCode !== null) throw new Error(`kubectl ${args.join(' ')} has ended: ${errors}`);
      return undefined;
    });
  };
  await until('it prints', () => printed !== '');
  return {
    until,
    printed: () => printed,
    async stop() {
      child.kill('SIGTERM');
      await closed;
      return printed;
    },
  };
}
