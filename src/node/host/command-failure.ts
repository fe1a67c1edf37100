/**
 * The error of a failed command, as upstream prints it but in one line: `error running CMD ARGS: STDERR: exit status N`.
 */
import { Failure } from '../../base/errors.ts';
import { oneLine } from '../../base/text/index.ts';

type FailedCommand = {
  readonly command: string;
  readonly args: readonly string[];
  readonly stderr: string;
  readonly exitCode: number;
};

export function commandFailure(failed: FailedCommand, cause?: unknown): Failure {
  const { stderr, exitCode } = failed;
  const message = `error running ${commandLine(failed)}: ${oneLine(stderr)}: exit status ${exitCode}`;
  return new Failure('transient', 'CommandFailed', message, cause);
}

export function commandLine({ command, args }: Pick<FailedCommand, 'command' | 'args'>): string {
  return [command, ...args].join(' ');
}
