/** Runs a long-running command and stops it once it has printed the expected texts. */
import type { CliRun } from './run-cli.ts';
import { startCommand } from './running-command.ts';

export type Wait = {
  /** Expected on stdout. */
  readonly text: string;
  /** Called once the text is printed; the next text is expected after it. */
  readonly act?: () => Promise<unknown>;
};

/** Rejects if the command ends before it has printed all of it. */
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
