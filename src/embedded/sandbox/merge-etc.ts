/**
 * What becomes of /etc when another OS takes over: its new defaults, with everything on top that was changed here.
 */
import { isSameEntry, type OwnedEntry, type OwnedTree } from './disk-trees.ts';

type EtcTrees = {
  /** The defaults of the OS that ran so far. */
  readonly oldDefaults: OwnedTree;
  /** What there is now. */
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

/** What was changed here stands in folders, whatever the new OS would have put there. */
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
