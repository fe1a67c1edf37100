/** Runs a command line in-process in the fixtures directory and captures its output. */
import { fileURLToPath } from 'node:url';
import { type Ports, runProgram } from '../../src/cli/index.ts';

export const packageRoot = fileURLToPath(new URL('../..', import.meta.url));
export const fixtures = fileURLToPath(new URL('fixtures', import.meta.url));

export type CliRun = { readonly exitCode: number; readonly stdout: string; readonly stderr: string };

export async function runCli(
  args: readonly string[],
  options: {
    readonly stdin?: string | Uint8Array;
    readonly cwd?: string;
    readonly onStop?: Ports['onStop'];
    readonly onStdinEnd?: Ports['onStdinEnd'];
    readonly environment?: Ports['environment'];
    readonly terminal?: Ports['terminal'];
  } = {},
): Promise<CliRun> {
  const { stdin = '', cwd = fixtures, environment = {}, terminal } = options;
  const { onStop = () => undefined, onStdinEnd = () => undefined } = options;
  let stdout = '';
  let stderr = '';
  const exitCode = await runProgram(args, {
    stdout: (data) => {
      stdout += typeof data === 'string' ? data : Buffer.from(data).toString('latin1');
    },
    stderr: (text) => {
      stderr += text;
    },
    stdin: (async function* () {
      yield typeof stdin === 'string' ? new TextEncoder().encode(stdin) : stdin;
    })(),
    cwd,
    packageRoot,
    environment,
    pid: 1,
    program: ['millwright'],
    terminal,
    onStop,
    onStdinEnd,
  });
  return { exitCode, stdout, stderr };
}

/** The whole run as text, for golden files. */
export function transcript(args: readonly string[], { exitCode, stdout, stderr }: CliRun): string {
  const command = ['millwright', ...args].join(' ');
  const part = (name: string, text: string) => (text === '' ? '' : `--- ${name}\n${text}`);
  return `$ ${command}\n${part('stderr', stderr)}${part('stdout', stdout)}--- exit code ${exitCode}\n`;
}
