/**
 * A named pipe, which whoever opens it waits on for ever.
 */
import { spawnSync } from 'node:child_process';

export async function makePipe(path: string): Promise<boolean> {
  return spawnSync('mkfifo', [path]).status === 0;
}
