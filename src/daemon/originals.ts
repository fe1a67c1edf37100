/**
 * What the OS had where a config puts something: kept beside, and brought back when the config takes its hands off.
 *
 *     of the OS ──────> a copy of it is kept, once            orig/<path>.mcdorig
 *     of nobody ──────> a stamp says that there was nothing   noorig/<path>.mcdnoorig
 */
import type { Host } from '../host/index.ts';
import { inTheWayPath, noOriginalPath, originalPath } from './state-paths.ts';

type Files = Pick<Host, 'files'>;

const STAMP = { bytes: new Uint8Array(), mode: 0o644 };

/** Before anything is written to the path. Done again it does nothing. */
export async function keepOriginal({ files }: Files, path: string): Promise<void> {
  const original = originalPath(path);
  const stamp = noOriginalPath(path);
  if (await files.isOfOs(path)) {
    if ((await files.stat(original)) !== undefined) return;
    const source = (await files.stat(path)) === undefined ? `/usr${path}` : path;
    if ((await files.stat(source))?.kind !== 'folder') await files.copy(source, original);
    return;
  }
  if ((await files.stat(stamp)) !== undefined) return;
  await files.remove(original);
  await files.write(stamp, STAMP);
}

/** Of units the OS has its own below /usr; what is there counts, not what somebody made of it. */
export async function keepOriginalUnit({ files }: Files, path: string): Promise<void> {
  const original = originalPath(path);
  if ((await files.stat(`/usr${path}`)) === undefined || (await files.stat(original)) !== undefined) return;
  await files.copy(`/usr${path}`, original);
}

/**
 * Takes away what a config had put at the path, or brings back what the OS has there. `kept`: something of the OS stands
 * there again, and its copy stays until the update has ended: done again without it, this would take away the OS' own.
 * A folder is left alone: no config makes one.
 */
export async function takeBack(
  { files }: Files,
  path: string,
  { isUnit = false }: { readonly isUnit?: boolean } = {},
): Promise<'removed' | 'kept' | 'nothing'> {
  const original = originalPath(path);
  const stamp = noOriginalPath(path);
  if ((await files.stat(stamp)) !== undefined) {
    await files.remove(stamp);
  } else if ((await files.stat(original)) !== undefined) {
    if (isUnit || (await files.isOfOs(path))) {
      await files.copy(original, path);
      return 'kept';
    }
    await files.remove(original);
  }
  const there = await files.stat(path);
  if (there === undefined || there.kind === 'folder') return 'nothing';
  await files.remove(path);
  return 'removed';
}

/** At the end of an update: what was brought back is no longer kept. */
export async function forgetOriginals({ files }: Files, paths: readonly string[]): Promise<void> {
  for (const path of paths) await files.remove(originalPath(path));
}

/**
 * A file of nobody that the new config writes over is gone for good once the update has succeeded. Until then it is kept,
 * so that an update that fails leaves the machine as it was.
 */
export async function keepWhatIsInTheWay({ files }: Files, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const there = await files.stat(path);
    if (there === undefined || (there.kind !== 'file' && there.kind !== 'link')) continue;
    if (await files.isOfOs(path)) continue;
    await files.copy(path, inTheWayPath(path));
  }
}

export async function bringBackWhatWasInTheWay({ files }: Files, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const kept = inTheWayPath(path);
    if ((await files.stat(kept)) !== undefined) await files.copy(kept, path);
  }
}
