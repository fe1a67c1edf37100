/**
 * The three-way merge of /etc for a new deployment: new defaults plus local changes.
 */
import { isSameEntry, type OwnedEntry, type OwnedTree } from './disk-trees.ts';

type EtcTrees = {
  /** The defaults of the previous OS. */
  readonly oldDefaults: OwnedTree;
  /** The current /etc. */
  readonly current: OwnedTree;
  readonly newDefaults: OwnedTree;
};

export function mergeEtc({ oldDefaults, current, newDefaults }: EtcTrees): OwnedTree {
  const merged = new Map(newDefaults);
  for (const path of oldDefaults.keys()) if (!current.has(path)) removeAt(merged, path);
  for (const [path, entry] of current) {
    const before = oldDefaults.get(path);
    if (before !== undefined && isSameEntry(before, entry)) continue;
    if (entry.kind !== 'folder') removeAt(merged, path);
    makeWay(merged, path);
    merged.set(path, entry);
  }
  return merged;
}

/** Local changes need parent directories, whatever the new OS has at their paths. */
function makeWay(merged: Map<string, OwnedEntry>, path: string): void {
  const names = path.split('/');
  for (let count = 2; count < names.length; count++) {
    const above = names.slice(0, count).join('/');
    if (merged.get(above)?.kind !== 'folder') {
      merged.set(above, { kind: 'folder', mode: 0o755, owner: { uid: 0, gid: 0 } });
    }
  }
}

function removeAt(merged: Map<string, OwnedEntry>, path: string): void {
  for (const other of [...merged.keys()]) {
    if (other === path || other.startsWith(`${path}/`)) merged.delete(other);
  }
}
