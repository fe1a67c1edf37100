/** A command in this process that goes on until it is told to stop, and what it has printed so far. */
import { type Ports, runProgram } from '../../src/cli/index.ts';
import { type CliRun, packageRoot } from './run-cli.ts';

export type RunningCommand = {
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** As Ctrl-C does it. */
  readonly stop: () => void;
  readonly ended: Promise<CliRun>;
  /** Until it holds of what was printed. Rejects, with all of it, where the command ends before that. */
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
    terminal: undefined,
    onStop: (call) => {
      stop = call;
    },
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
