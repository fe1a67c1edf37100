/** The templates of the base MachineConfigs, which are part of the package. */
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { TemplateTree } from '../../config/render/index.ts';

export async function readTemplates(packageRoot: string): Promise<TemplateTree> {
  const folder = join(packageRoot, 'templates');
  const tree = new Map<string, string>();
  for (const item of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!item.isFile()) continue;
    const path = join(item.parentPath, item.name);
    tree.set(relative(folder, path).split(sep).join('/'), await readFile(path, 'utf8'));
  }
  return tree;
}
