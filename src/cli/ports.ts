/** What a command may use of its process. */
export type Ports = {
  /** For data: text, or raw bytes. */
  readonly stdout: (data: string | Uint8Array) => void;
  /** For messages. */
  readonly stderr: (text: string) => void;
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Base of relative paths on the command line. */
  readonly cwd: string;
  /** The directory of the package, with package.json and templates/. */
  readonly packageRoot: string;
  /** Environment variables. */
  readonly environment: { readonly [name: string]: string | undefined };
  readonly pid: number;
  /** The command line that runs this program: node and its main file. */
  readonly program: readonly [string, ...string[]];
  /** Undefined unless stdout is a terminal. Its size may change. */
  readonly terminal: { readonly columns: number; readonly rows: number } | undefined;
  /**
   * Registers a callback for SIGINT and SIGTERM, which may be called more than once. Long-running commands use it; without
   * one a signal ends the process immediately.
   */
  readonly onStop: (call: () => void) => void;
  /** Registers a callback for the end of stdin, which is read and dropped. It does not keep the process running. */
  readonly onStdinEnd: (call: () => void) => void;
};
