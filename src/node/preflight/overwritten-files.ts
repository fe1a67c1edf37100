/**
 * Files of the machine that the update replaces: they were there before any config. Nothing is refused: their contents are kept,
 * and come back when the file leaves the config. But an administrator should know.
 */
import { isDaemonState } from '../../config/content/index.ts';
import { KUBELET_CA, pathsOf } from '../plan/index.ts';
import { type Check, type PreflightChange, warning } from './check.ts';
import { configText, writtenPaths } from './written-texts.ts';

/** A message names this many. */
const MAX_NAMED = 5;

export const overwrittenFiles: Check = {
  name: 'overwritten-files',
  needs: (change) => ({ files: newPaths(change) }),
  run(snapshot) {
    const replaced = newPaths(snapshot).filter((path) => {
      const there = snapshot.node.files.get(path);
      return there !== undefined && there !== configText(snapshot.to, path);
    });
    if (replaced.length === 0) return [];
    const more = replaced.length > MAX_NAMED ? ` and ${replaced.length - MAX_NAMED} more` : '';
    const why =
      'it exists on the node with other contents, which are kept and come back when the config no longer has it';
    return [warning(`${replaced.slice(0, MAX_NAMED).join(', ')}${more}`, { why })];
  },
};

/** Paths that only the new config writes. */
function newPaths(change: PreflightChange): readonly string[] {
  const before = new Set(pathsOf(change.from));
  return writtenPaths(change).filter(
    (path) => !before.has(path) && path !== KUBELET_CA && !isDaemonState(path),
  );
}
