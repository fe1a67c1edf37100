/**
 * Tells CRI-O which images it must not remove: by a drop-in, which it reads when it is reloaded.
 *
 *     note: ours, to be reloaded ─> drop-in ─> reload ─> note: ours
 *
 * A daemon that is killed in between reloads when it starts again. A drop-in of somebody else is never removed; where images are
 * to be pinned it is kept aside, and comes back after the last image.
 */
import { DROP_IN_PATH, pinnedDropIn } from '../../pinned/index.ts';
import type { HostContext } from '../context.ts';
import { forgetOriginals, keepOriginal, revertFile } from '../originals.ts';
import { PINNED_IMAGES } from '../state-paths.ts';

const MAX_DROP_IN_BYTES = 64 * 1024 ** 2;
const MAX_NOTE_BYTES = 1024;
const RELOAD = 'reload\n';

/** `images`: sorted. Repeating it changes nothing. */
export async function pinImages({ host, log }: HostContext, images: readonly string[]): Promise<void> {
  const { files, units } = host;
  const content = pinnedDropIn(images);
  const note = await readNote(host);
  const isWritten =
    content === undefined ? note === undefined : note !== undefined && (await holds(host, content));
  if (isWritten && (note === undefined || note === '')) return;
  if (note !== RELOAD) await writeNote(host, RELOAD);
  if (content === undefined) {
    await revertFile(host, DROP_IN_PATH);
    await forgetOriginals(host, [DROP_IN_PATH]);
    log.line(`Removed ${DROP_IN_PATH}: no image is pinned`);
  } else if (!isWritten) {
    await keepOriginal(host, DROP_IN_PATH, { isForeign: note === undefined });
    await files.write(DROP_IN_PATH, { bytes: new TextEncoder().encode(content), mode: 0o644 });
    log.line(`Pinned ${images.length === 1 ? '1 image' : `${images.length} images`} in ${DROP_IN_PATH}`);
  }
  await units.reload('crio');
  if (content === undefined) await files.removeFolder(PINNED_IMAGES);
  else await writeNote(host, '');
}

/** Undefined where the drop-in is not the daemon's; something unreadable counts as to be reloaded. */
async function readNote({ files }: HostContext['host']): Promise<string | undefined> {
  const stat = await files.stat(PINNED_IMAGES);
  if (stat === undefined) return undefined;
  if (stat.kind !== 'file' || stat.sizeBytes > MAX_NOTE_BYTES) return RELOAD;
  return new TextDecoder().decode(await files.read(PINNED_IMAGES, MAX_NOTE_BYTES));
}

async function writeNote({ files }: HostContext['host'], text: string): Promise<void> {
  if ((await files.stat(PINNED_IMAGES))?.kind === 'folder') await files.removeFolder(PINNED_IMAGES);
  await files.write(PINNED_IMAGES, { bytes: new TextEncoder().encode(text), mode: 0o644 });
}

async function holds({ files }: HostContext['host'], content: string): Promise<boolean> {
  const stat = await files.stat(DROP_IN_PATH);
  if (stat?.kind !== 'file' || stat.mode !== 0o644 || stat.sizeBytes > MAX_DROP_IN_BYTES) return false;
  const bytes = await files.read(DROP_IN_PATH, MAX_DROP_IN_BYTES);
  return new TextDecoder().decode(bytes).trim() === content.trim();
}
