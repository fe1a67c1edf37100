/** Reads the templates of the base MachineConfigs from the package. */
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { TemplateTree } from '../../config/render/index.ts';

export async function readTemplates(packageRoot: string): Promise<TemplateTree> {
  const directory = join(packageRoot, 'templates');
  const tree = new Map<string, string>();
  for (const item of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!item.isFile()) continue;
    const path = join(item.parentPath, item.name);
    tree.set(relative(directory, path).split(sep).join('/'), await readFile(path, 'utf8'));
  }
  return tree;
}
