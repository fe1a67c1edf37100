/**
 * Reads the source directory of an OS image.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { Failure, formatProblem } from '../../base/errors.ts';
import { type ImageFolder, parseImageDescription } from './image-folder.ts';

/** Such as `images/base-os` of the package. */
export async function readImageFolder(folder: string): Promise<ImageFolder> {
  const description = parseImageDescription(await readFile(join(folder, 'image.json'), 'utf8'));
  if (description.kind === 'invalid') {
    const problems = description.problems.map(formatProblem).join('; ');
    throw new Failure('stalled', 'BadImageFolder', `${join(folder, 'image.json')}: ${problems}`);
  }
  const root = join(folder, 'rootfs');
  const files = new Map<string, Uint8Array>();
  for (const item of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (!item.isFile()) continue;
    const path = join(item.parentPath, item.name);
    files.set(relative(root, path).split(sep).join('/'), new Uint8Array(await readFile(path)));
  }
  return { description: description.value, files };
}
