/** The entries of a layer, complete and in the one order that makes archives reproducible. */
import { compareBytes } from '../base/json.ts';
import type { TarItem } from './tar.ts';
import { parentOf } from './tar-paths.ts';

/** With the parents that are missing. Sorted by bytes, so that directories come before their content. */
export function withParents(items: ReadonlyMap<string, TarItem>, mtime: number): readonly TarItem[] {
  const all = new Map(items);
  for (const path of items.keys()) {
    for (let parent = parentOf(path); parent !== '' && !all.has(parent); parent = parentOf(parent)) {
      all.set(parent, folderItem(parent, mtime));
    }
  }
  return [...all.values()].sort((a, b) => compareBytes(a.path, b.path));
}

export function folderItem(path: string, mtime: number): TarItem {
  return { kind: 'folder', path, mode: 0o755, mtime };
}
