/**
 * The error of a failed command, as upstream prints it: `error running CMD ARGS: STDERR: exit status N`.
 */
import { Failure } from '../../base/errors.ts';

type FailedCommand = {
  readonly command: string;
  readonly args: readonly string[];
  /** Unchanged, with its last line break. */
  readonly stderr: string;
  readonly exitCode: number;
};

export function commandFailure(failed: FailedCommand, cause?: unknown): Failure {
  const { stderr, exitCode } = failed;
  const message = `error running ${commandLine(failed)}: ${stderr}: exit status ${exitCode}`;
  return new Failure('transient', 'CommandFailed', message, cause);
}

export function commandLine({ command, args }: Pick<FailedCommand, 'command' | 'args'>): string {
  return [command, ...args].join(' ');
}
