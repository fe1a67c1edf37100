/** The port to the storage of logs. Paths are relative, with slashes; other errors are thrown. */
export interface LogFiles {
  /** The names in a directory; empty if it is missing. */
  list(directory: string): Promise<readonly string[]>;
  /** 0 if the file is missing. */
  sizeOf(path: string): Promise<number>;
  /** Fewer bytes at the end of the file, none if it is missing. */
  read(path: string, from: number, to: number): Promise<Uint8Array>;
  /** Creates the file and its directories if missing. Does not sync. */
  append(path: string, bytes: Uint8Array): Promise<void>;
  /** Replaces an existing file. Does nothing if the source is missing. */
  rename(path: string, to: string): Promise<void>;
  /** Recursively; does nothing if it is missing. */
  remove(path: string): Promise<void>;
}
