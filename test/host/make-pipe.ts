/**
 * Creates a named pipe, which blocks when it is opened.
 */
import { spawnSync } from 'node:child_process';

export async function makePipe(path: string): Promise<boolean> {
  return spawnSync('mkfifo', [path]).status === 0;
}
