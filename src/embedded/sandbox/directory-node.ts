/**
 * A disk in a directory, for sandboxes: without root, and with real syncs.
 *
 * The directory contains the files of the disk, plus records of attributes that only root could set.
 */
import * as fs from 'node:fs';
import type { Random } from '../../base/env.ts';
import type { Disk } from '../../node/host/index.ts';
import { createRealDisk } from '../../node/host/index.ts';
import { createRecordingDisk } from './recording-disk.ts';

const RECORDS = '/owners';

/** Created if missing. */
export function createDirectoryDisk({
  folder,
  random,
}: {
  readonly folder: string;
  readonly random: Random;
}): Disk {
  fs.mkdirSync(folder, { recursive: true });
  const disk = createRealDisk({ platform: fs, root: folder });
  return createRecordingDisk({ disk, records: RECORDS, random });
}
