/**
 * Reads the source directory of an OS image.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { Failure, formatProblem } from '../../base/errors.ts';
import { baseOf, type ImageFolder, parseImageDescription } from './image-folder.ts';

const DESCRIPTION = 'image.json';

/** Such as `images/base-os` of the package. */
export async function readImageFolder(folder: string): Promise<ImageFolder> {
  const own = await readFile(join(folder, DESCRIPTION), 'utf8');
  const base = baseOf(own);
  const below = base === undefined ? undefined : join(folder, '..', base);
  const inherited = below === undefined ? '{}' : await readFile(join(below, DESCRIPTION), 'utf8');
  const description = parseImageDescription(own, inherited);
  if (description.kind === 'invalid') {
    const problems = description.problems.map(formatProblem).join('; ');
    throw new Failure('stalled', 'BadImageFolder', `${join(folder, DESCRIPTION)}: ${problems}`);
  }
  const files = new Map([...(below === undefined ? [] : await filesOf(below)), ...(await filesOf(folder))]);
  return { description: description.value, files };
}

async function filesOf(folder: string): Promise<ReadonlyMap<string, Uint8Array>> {
  const root = join(folder, 'rootfs');
  const files = new Map<string, Uint8Array>();
  for (const item of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (!item.isFile()) continue;
    const path = join(item.parentPath, item.name);
    files.set(relative(root, path).split(sep).join('/'), new Uint8Array(await readFile(path)));
  }
  return files;
}
