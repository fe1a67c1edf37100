/** What a command may touch of the process that it runs in. */
export type Ports = {
  /** For data: text, or bytes as they are. */
  readonly stdout: (data: string | Uint8Array) => void;
  /** For people. */
  readonly stderr: (text: string) => void;
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Paths on the command line start here. */
  readonly cwd: string;
  /** The folder of the package, with package.json and templates/ in it. */
  readonly packageRoot: string;
  /** The environment variables. Only what is asked for by name is read. */
  readonly environment: { readonly [name: string]: string | undefined };
  readonly pid: number;
  /** Of stdout, where that is one. Its size may change. */
  readonly terminal: { readonly columns: number; readonly rows: number } | undefined;
  /**
   * The call is made when the process is asked to end, maybe more than once. A command that goes on until then asks for
   * it; without that the process ends at once.
   */
  readonly onStop: (call: () => void) => void;
};
