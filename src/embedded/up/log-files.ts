/** The port to where logs are kept. Paths are relative, with slashes; all else that goes wrong is thrown. */
export interface LogFiles {
  /** The names of what is in a folder; none where it is missing. */
  list(folder: string): Promise<readonly string[]>;
  /** 0 where the file is missing. */
  sizeOf(path: string): Promise<number>;
  /** Fewer bytes where the file ends before, none where it is missing. */
  read(path: string, from: number, to: number): Promise<Uint8Array>;
  /** The file and its folders are made where they are missing. Nothing is forced onto the disk. */
  append(path: string, bytes: Uint8Array): Promise<void>;
  /** Over what is there. Does nothing where there is nothing to rename. */
  rename(path: string, to: string): Promise<void>;
  /** With all that is in it; does nothing where it is missing. */
  remove(path: string): Promise<void>;
}
