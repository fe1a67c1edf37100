/**
 * Paths of a machine, as text. Nothing here accesses a disk.
 */
import { isPathWithinLimits } from '../../base/text/index.ts';
import { DiskError } from './disk.ts';

/** The components of a path, including `..`. Throws on paths that Linux rejects. */
export function namesOf(path: string): readonly string[] {
  checkPath(path);
  return path.split('/').filter((name) => name !== '' && name !== '.');
}

/** Throws on paths that Linux rejects. */
export function checkPath(path: string): void {
  if (!path.startsWith('/') || path.includes('\0')) throw new DiskError('EINVAL', path);
  if (!isPathWithinLimits(path)) throw new DiskError('ENAMETOOLONG', path);
}

/** Of a clean path. The parent of the root is the root. */
export function folderOf(path: string): string {
  const end = path.lastIndexOf('/');
  return end <= 0 ? '/' : path.slice(0, end);
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

export function inFolder(folder: string, name: string): string {
  return folder === '/' ? `/${name}` : `${folder}/${name}`;
}

export function isWithin(folder: string, path: string): boolean {
  return folder === '/' || path === folder || path.startsWith(`${folder}/`);
}
