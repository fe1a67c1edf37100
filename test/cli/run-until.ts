/** Runs a command that goes on until it is told to stop, as Ctrl-C does: once it has printed what is waited for. */
import { runProgram } from '../../src/cli/index.ts';
import { eventually } from '../contract/eventually.ts';
import { type CliRun, packageRoot } from './run-cli.ts';

export type Wait = {
  /** In what the command has printed on stdout. */
  readonly text: string;
  /** Done once the text is there; what comes next is waited for behind it. */
  readonly act?: () => Promise<unknown>;
};

/** Rejects where the command ends by itself before it has printed all of it. */
export async function runUntil(
  args: readonly string[],
  cwd: string,
  waits: readonly Wait[],
): Promise<CliRun> {
  let [stdout, stderr] = ['', ''];
  let stop: () => void = () => undefined;
  let hasEnded = false;
  const ended = runProgram(args, {
    stdout: (text) => {
      stdout += text;
    },
    stderr: (text) => {
      stderr += text;
    },
    stdin: (async function* () {})(),
    cwd,
    packageRoot,
    environment: {},
    pid: 1,
    terminal: undefined,
    onStop: (call) => {
      stop = call;
    },
  }).finally(() => {
    hasEnded = true;
  });
  for (const { text, act } of waits) {
    await eventually(`${args.join(' ')} prints ${text}`, async () => {
      if (hasEnded && !stdout.includes(text)) throw new Error(`it ended: ${stdout}${stderr}`);
      return stdout.includes(text) ? true : undefined;
    });
    await act?.();
  }
  stop();
  return { exitCode: await ended, stdout, stderr };
}
