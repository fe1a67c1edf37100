/** Container logs in a directory of this machine. */
import { appendFile, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '../../base/env.ts';
import { Failure } from '../../base/errors.ts';
import { type ContainerLogs, createContainerLogs } from './container-logs.ts';
import type { LogFiles } from './log-files.ts';

type ContainerLogsOptions = {
  /** Created if missing: `DIR/logs`. */
  readonly directory: string;
  readonly clock: Clock;
  /** Default: 10 MiB. */
  readonly maxFileBytes?: number;
};

/** Throws a `Failure` (`LogsUnusable`) if the directory cannot be created. */
export async function openContainerLogs({
  directory,
  ...parts
}: ContainerLogsOptions): Promise<ContainerLogs> {
  try {
    await mkdir(directory, { recursive: true });
  } catch (error) {
    throw new Failure('stalled', 'LogsUnusable', `cannot create ${directory}: ${String(error)}`, error);
  }
  return createContainerLogs({ files: createLogFiles(directory), ...parts });
}

function createLogFiles(root: string): LogFiles {
  const at = (path: string) => join(root, path);
  return {
    list: (directory) => unlessMissing(readdir(at(directory)), []),
    sizeOf: async (path) => (await unlessMissing(stat(at(path)), { size: 0 })).size,
    async read(path, from, to) {
      const file = await unlessMissing(open(at(path), 'r'), undefined);
      if (file === undefined) return new Uint8Array();
      try {
        const buffer = new Uint8Array(to - from);
        const { bytesRead } = await file.read(buffer, 0, buffer.length, from);
        return buffer.subarray(0, bytesRead);
      } finally {
        await file.close();
      }
    },
    async append(path, bytes) {
      try {
        await appendFile(at(path), bytes);
      } catch (error) {
        if (!isMissing(error)) throw error;
        await mkdir(dirname(at(path)), { recursive: true });
        await appendFile(at(path), bytes);
      }
    },
    rename: (path, to) => unlessMissing(rename(at(path), at(to)), undefined),
    remove: (path) => rm(at(path), { recursive: true, force: true }),
  };
}

async function unlessMissing<T, U>(promise: Promise<T>, absent: U): Promise<T | U> {
  try {
    return await promise;
  } catch (error) {
    if (isMissing(error)) return absent;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
