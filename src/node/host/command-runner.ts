/**
 * The port to the commands of a machine: one program with its arguments, never a shell.
 */
import { Failure } from '../../base/errors.ts';
import { commandFailure, commandLine } from './command-failure.ts';

export interface CommandRunner {
  /** Resolves whatever the exit code is. A program that is not there exits with `NO_SUCH_COMMAND`. */
  run(command: string, args: readonly string[], options?: RunOptions): Promise<CommandResult>;
}

export type RunOptions = {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
};

export type CommandResult = {
  /** The last of it, where there was more than a runner keeps. */
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
};

export const NO_SUCH_COMMAND = 127;

/** What goes into an error message of what a captured command wrote. */
const MAX_CAPTURED_CHARACTERS = 256;

/** Runs commands and tells of them as the log of a daemon does. */
export class Commands {
  readonly #runner: CommandRunner;
  readonly #say: (line: string) => void;
  readonly #env: Readonly<Record<string, string>>;

  constructor(
    runner: CommandRunner,
    {
      say,
      env = {},
    }: { readonly say: (line: string) => void; readonly env?: Readonly<Record<string, string>> },
  ) {
    this.#runner = runner;
    this.#say = say;
    this.#env = env;
  }

  say(line: string): void {
    this.#say(line);
  }

  /** Whatever comes of it is the caller's to judge. */
  async try(command: string, args: readonly string[], options: RunOptions = {}): Promise<CommandResult> {
    return await this.#runner.run(command, args, { ...options, env: { ...this.#env, ...options.env } });
  }

  /** Its output goes to the log; a failure is thrown. */
  async run(command: string, args: readonly string[], options: RunOptions = {}): Promise<void> {
    this.#say(`Running: ${commandLine({ command, args })}`);
    const { stdout, stderr, exitCode } = await this.try(command, args, options);
    for (const line of stdout.split('\n')) if (line !== '') this.#say(line);
    if (exitCode !== 0) throw commandFailure({ command, args, stderr, exitCode });
  }

  /** Its output is the outcome. */
  async capture(command: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
    this.#say(`Running captured: ${commandLine({ command, args })}`);
    const { stdout, stderr, exitCode } = await this.try(command, args, options);
    if (exitCode !== 0) {
      throw commandFailure({ command, args, stderr: stderr.slice(0, MAX_CAPTURED_CHARACTERS), exitCode });
    }
    return stdout;
  }

  /** For arguments that nobody may read: neither the log nor the failure shows them. */
  async runSecretly(command: string, { args, shown }: SecretArgs): Promise<void> {
    const { stderr, exitCode } = await this.try(command, args);
    if (exitCode !== 0) throw commandFailure({ command, args: shown, stderr, exitCode });
  }
}

type SecretArgs = { readonly args: readonly string[]; readonly shown: readonly string[] };

export function unsupported(message: string): Failure {
  return new Failure('stalled', 'Unsupported', message);
}
