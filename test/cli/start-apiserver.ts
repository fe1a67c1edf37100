/** `millwright apiserver` in this process: running from its ready line until it is told to stop. */
import { runProgram } from '../../src/cli/index.ts';
import { type CliRun, packageRoot } from './run-cli.ts';

export type RunningApiserver = {
  readonly readyLine: string;
  readonly url: string;
  /** As the ready line has it. */
  readonly kubeconfig: string;
  readonly stop: () => Promise<CliRun>;
};

/** Rejects, with all that was printed, where the command ends before it is ready. */
export async function startApiserver(args: readonly string[], cwd: string): Promise<RunningApiserver> {
  let stop: () => void = () => undefined;
  let stdout = '';
  let stderr = '';
  let onReady: (line: string) => void = () => undefined;
  const ready = new Promise<string>((resolve) => {
    onReady = resolve;
  });
  const ended = runProgram(['apiserver', ...args], {
    stdout: (text) => {
      stdout += text;
      if (/^ready .*\n/.test(stdout)) onReady(stdout);
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
  }).then((exitCode): CliRun => ({ exitCode, stdout, stderr }));
  const readyLine = await Promise.race([
    ready,
    ended.then((run) => Promise.reject(new Error(`it ended: ${JSON.stringify(run)}`))),
  ]);
  const [, kubeconfig = '', url = ''] = /^ready kubeconfig=(\S+) server=(\S+)\n$/.exec(readyLine) ?? [];
  return {
    ...{ readyLine, url, kubeconfig },
    stop: () => {
      stop();
      return ended;
    },
  };
}
