/**
 * Paths in archives: whether they stay within the root, and their normalized form.
 */
import { byteLength } from '../base/json.ts';

/** The limits of Linux. */
const MAX_PATH_BYTES = 4096;
const MAX_COMPONENT_BYTES = 255;

/** The problem of an entry's name; undefined where it stays within the root. */
export function pathProblem(name: string): string | undefined {
  if (name === '') return 'a name is empty';
  if (name.startsWith('/')) return `${shown(name)}: the path is absolute`;
  if (name.includes('\0')) return `${shown(name)}: the path holds a zero byte`;
  if (byteLength(name) > MAX_PATH_BYTES) return `${shown(name)}: the path is too long`;
  for (const component of name.split('/')) {
    if (component === '..') return `${shown(name)}: the path leads out with ..`;
    if (byteLength(component) > MAX_COMPONENT_BYTES) return `${shown(name)}: a part of the path is too long`;
  }
  return undefined;
}

/** `./usr//lib/` is `usr/lib`; the root itself is empty. */
export function tidyPath(name: string): string {
  return name
    .split('/')
    .filter((component) => component !== '' && component !== '.')
    .join('/');
}

/**
 * The problem of a symbolic link's target. An absolute one starts at the root of the image; a relative one
 * may go up, but not above that root.
 */
export function symlinkProblem(path: string, target: string): string | undefined {
  if (target === '') return 'its target is empty';
  if (target.includes('\0')) return 'its target holds a zero byte';
  if (byteLength(target) > MAX_PATH_BYTES) return 'its target is too long';
  let depth = target.startsWith('/') ? 0 : path.split('/').length - 1;
  for (const component of target.split('/')) {
    if (component === '..') depth -= 1;
    else if (component !== '' && component !== '.') depth += 1;
    if (depth < 0) return 'its target leads out of the root';
  }
  return undefined;
}

/** The parent folder; empty for the root. */
export function parentOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? '' : path.slice(0, slash);
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 200));
}
