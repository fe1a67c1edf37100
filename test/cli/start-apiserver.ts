/** `millwright apiserver` in this process. */
import type { CliRun } from './run-cli.ts';
import { startCommand } from './running-command.ts';

export type RunningApiserver = {
  readonly readyLine: string;
  readonly url: string;
  /** From the ready line. */
  readonly kubeconfig: string;
  readonly stop: () => Promise<CliRun>;
};

/** Rejects with the output if the command ends before it is ready. */
export async function startApiserver(args: readonly string[], cwd: string): Promise<RunningApiserver> {
  const command = startCommand(['apiserver', ...args], cwd);
  await command.until((stdout) => /^ready .*\n/.test(stdout));
  const readyLine = command.stdout();
  const [, kubeconfig = '', url = ''] = /^ready kubeconfig=(\S+) server=(\S+)\n$/.exec(readyLine) ?? [];
  return {
    readyLine,
    url,
    kubeconfig,
    stop: () => {
      command.stop();
      return command.ended;
    },
  };
}
