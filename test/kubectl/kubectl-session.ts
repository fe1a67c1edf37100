/** One kubectl at work on one server, with a cache of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type Ran = { readonly code: number; readonly stdout: string; readonly stderr: string };

export type KubectlSession = {
  readonly run: (args: readonly string[], stdin?: string) => Promise<Ran>;
  /** Its standard output; throws if it fails. */
  readonly ok: (args: readonly string[], stdin?: string) => Promise<string>;
  /** Its standard error; throws if it succeeds. */
  readonly fails: (args: readonly string[], stdin?: string) => Promise<string>;
  /** Runs until a line with `text` has been printed, then ends it; returns the whole output. */
  readonly until: (
    args: readonly string[],
    text: string,
    meanwhile?: () => Promise<unknown>,
  ) => Promise<string>;
  readonly end: () => Promise<void>;
};

/** No command of ours takes this long but one that hangs. */
const LIMIT_MS = 60_000;

export async function openSession(
  program: string,
  kubeconfig: string,
  namespace: string,
): Promise<KubectlSession> {
  const home = await mkdtemp(join(tmpdir(), 'millwright-kubectl-'));
  const env = { ...process.env, HOME: home, KUBECONFIG: kubeconfig, KUBECTL_KUBERC: 'false' };
  const start = (args: readonly string[]): ChildProcess =>
    spawn(program, ['--namespace', namespace, ...args], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  const run = async (args: readonly string[], stdin = ''): Promise<Ran> => {
    const child = start(args);
    const limit = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
    let [stdout, stderr] = ['', ''];
    child.stdout?.on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr?.on('data', (chunk) => {
      stderr += chunk;
    });
    child.stdin?.end(stdin);
    const [code] = await once(child, 'close');
    clearTimeout(limit);
    return { code: code ?? -1, stdout, stderr };
  };
  return {
    run,
    async ok(args, stdin) {
      const { code, stdout, stderr } = await run(args, stdin);
      if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${code}\n${stdout}${stderr}`);
      return stdout;
    },
    async fails(args, stdin) {
      const { code, stdout, stderr } = await run(args, stdin);
      if (code === 0) throw new Error(`kubectl ${args.join(' ')} does not fail:\n${stdout}`);
      return stderr;
    },
    async until(args, text, meanwhile = async () => undefined) {
      const child = start(args);
      const limit = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
      let printed = '';
      const seen = new Promise<void>((resolve, reject) => {
        child.stdout?.on('data', (chunk) => {
          printed += chunk;
          // A line may come in pieces.
          const lines = printed.split('\n').slice(0, -1);
          if (lines.some((line) => line.includes(text))) resolve();
        });
        child.once('close', () => reject(new Error(`kubectl ${args.join(' ')} ended: ${printed}`)));
      });
      // Both are waited for below; until then a failure of the first is not lost.
      seen.catch(() => undefined);
      await meanwhile();
      await seen;
      child.kill('SIGTERM');
      clearTimeout(limit);
      return printed;
    },
    end: () => rm(home, { recursive: true, force: true }),
  };
}
