/** The note on the disk of the last request to apply everything again that an update has completed. */
import type { Host } from '../../host/index.ts';
import { RETRIED } from '../state-paths.ts';

const MAX_BYTES = 1024;

/** Something unreadable names no request. */
export async function readRetried({ files }: Pick<Host, 'files'>): Promise<string | undefined> {
  const there = await files.stat(RETRIED);
  if (there?.kind !== 'file' || there.sizeBytes > MAX_BYTES) return undefined;
  return new TextDecoder().decode(await files.read(RETRIED, MAX_BYTES)).trim();
}

export async function writeRetried({ files }: Pick<Host, 'files'>, request: string): Promise<void> {
  // Whatever it is: a folder in its place must not stop a daemon.
  if ((await files.stat(RETRIED))?.kind === 'folder') await files.removeFolder(RETRIED);
  await files.write(RETRIED, { bytes: new TextEncoder().encode(`${request}\n`), mode: 0o600 });
}
