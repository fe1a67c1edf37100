/** An error that rpm-ostree prints after `error: ` before it exits with 1. */
import { spawnSync } from 'node:child_process';

export class Refusal extends Error {}

export type Ran = { readonly exitCode: number; readonly stdout: string; readonly stderr: string };

const MAX_OUTPUT_BYTES = 64 * 1024 ** 2;

export function attempt(program: string, args: readonly string[]): Ran {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  if (error !== undefined) throw error;
  return { exitCode: status ?? -1, stdout, stderr };
}

export function run(program: string, ...args: readonly string[]): string {
  const { exitCode, stdout, stderr } = attempt(program, args);
  if (exitCode !== 0) throw new Refusal(stderr.trim().replace(/^error: /, ''));
  return stdout;
}
