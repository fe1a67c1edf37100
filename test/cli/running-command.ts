/** A long-running command in this process and its output so far. */
import { type Ports, runProgram } from '../../src/cli/index.ts';
import { type CliRun, packageRoot } from './run-cli.ts';

export type RunningCommand = {
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Like Ctrl-C. */
  readonly stop: () => void;
  readonly ended: Promise<CliRun>;
  /** Waits until the output satisfies the predicate. Rejects with the output if the command ends before that. */
  readonly until: (holds: (stdout: string, stderr: string) => boolean) => Promise<void>;
};

export function startCommand(
  args: readonly string[],
  cwd: string,
  ports: Partial<Ports> = {},
): RunningCommand {
  let [stdout, stderr] = ['', ''];
  let stop: () => void = () => undefined;
  let heard: () => void = () => undefined;
  const ended = runProgram(args, {
    stdout: (text) => {
      stdout += text;
      heard();
    },
    stderr: (text) => {
      stderr += text;
      heard();
    },
    stdin: (async function* () {})(),
    cwd,
    packageRoot,
    environment: {},
    pid: 1,
    program: ['millwright'],
    terminal: undefined,
    onStop: (call) => {
      stop = call;
    },
    onStdinEnd: () => undefined,
    ...ports,
  }).then((exitCode): CliRun => ({ exitCode, stdout, stderr }));
  const over = ended.then((run) => Promise.reject(new Error(`it ended: ${JSON.stringify(run)}`)));
  over.catch(() => undefined);
  return {
    stdout: () => stdout,
    stderr: () => stderr,
    stop: () => stop(),
    ended,
    async until(holds) {
      while (!holds(stdout, stderr)) {
        const news = new Promise<void>((resolve) => {
          heard = resolve;
        });
        await Promise.race([over, news]);
      }
    },
  };
}
