/**
 * Paths in archives: which of them stay within the root that they are unpacked to, and their one tidy form.
 */
import { byteLength } from '../base/json.ts';

/** What Linux takes. */
const MAX_PATH_BYTES = 4096;
const MAX_COMPONENT_BYTES = 255;

/** What is wrong with the name of an entry; nothing where it leads into the root. */
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
 * What is wrong with the target of a symbolic link. An absolute one is meant from the root of the image; a relative one
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

/** The folder that a path lies in; empty for the root. */
export function parentOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? '' : path.slice(0, slash);
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 200));
}
