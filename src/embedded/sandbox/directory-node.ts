/**
 * A disk in a directory, for sandboxes: no root needed, everything really synced. For shells alone.
 *
 * The directory holds whatever the disk holds, plus the records of what only root could set.
 */
import * as fs from 'node:fs';
import type { Random } from '../../base/env.ts';
import type { Disk } from '../../node/host/index.ts';
import { createRealDisk } from '../../node/host/index.ts';
import { createRecordingDisk } from './recording-disk.ts';

const RECORDS = '/owners';

/** Made where it is missing. */
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
