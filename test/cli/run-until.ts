/** Runs a command that goes on until it is told to stop: once it has printed what is waited for. */
import type { CliRun } from './run-cli.ts';
import { startCommand } from './running-command.ts';

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
  const command = startCommand(args, cwd);
  for (const { text, act } of waits) {
    await command.until((stdout) => stdout.includes(text));
    await act?.();
  }
  command.stop();
  return await command.ended;
}
