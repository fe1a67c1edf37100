/**
 * The port to the commands of a machine: one program with its arguments, never a shell.
 */
import { Failure } from '../../base/errors.ts';
import { commandFailure, commandLine } from './command-failure.ts';

export interface CommandRunner {
  /** Resolves with any exit code. A missing program exits with `NO_SUCH_COMMAND`. */
  run(command: string, args: readonly string[], options?: RunOptions): Promise<CommandResult>;
}

export type RunOptions = {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Kills the command. */
  readonly signal?: AbortSignal;
};

export type CommandResult = {
  /** Cut at the start where it exceeds the limit of the runner. */
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
};

export const NO_SUCH_COMMAND = 127;

/** The limit of captured output in an error message. */
const MAX_CAPTURED_CHARACTERS = 256;

/** Runs commands and logs them like upstream's daemon. */
export class Commands {
  readonly #runner: CommandRunner;
  readonly #log: (line: string) => void;
  readonly #env: Readonly<Record<string, string>>;

  constructor(
    runner: CommandRunner,
    {
      log,
      env = {},
    }: { readonly log: (line: string) => void; readonly env?: Readonly<Record<string, string>> },
  ) {
    this.#runner = runner;
    this.#log = log;
    this.#env = env;
  }

  log(line: string): void {
    this.#log(line);
  }

  /** The caller checks the exit code. */
  async try(command: string, args: readonly string[], options: RunOptions = {}): Promise<CommandResult> {
    return await this.#runner.run(command, args, { ...options, env: { ...this.#env, ...options.env } });
  }

  /** Logs the output; throws on failure. */
  async run(command: string, args: readonly string[], options: RunOptions = {}): Promise<void> {
    this.#log(`Running: ${commandLine({ command, args })}`);
    const { stdout, stderr, exitCode } = await this.try(command, args, options);
    for (const line of stdout.split('\n')) if (line !== '') this.#log(line);
    if (exitCode !== 0) throw commandFailure({ command, args, stderr, exitCode });
  }

  /** Returns the output; throws on failure. */
  async capture(command: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
    this.#log(`Running captured: ${commandLine({ command, args })}`);
    const { stdout, stderr, exitCode } = await this.try(command, args, options);
    if (exitCode !== 0) {
      throw commandFailure({ command, args, stderr: stderr.slice(0, MAX_CAPTURED_CHARACTERS), exitCode });
    }
    return stdout;
  }

  /** For secret arguments: neither the log nor the failure contains them. */
  async runSecretly(command: string, { args, shown }: SecretArgs): Promise<void> {
    const { stderr, exitCode } = await this.try(command, args);
    if (exitCode !== 0) throw commandFailure({ command, args: shown, stderr, exitCode });
  }
}

type SecretArgs = { readonly args: readonly string[]; readonly shown: readonly string[] };

export function unsupported(message: string): Failure {
  return new Failure('stalled', 'Unsupported', message);
}
