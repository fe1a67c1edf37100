/**
 * Files of the machine that the update replaces: they were there before any config. Nothing is refused: their contents are kept,
 * and come back when the file leaves the config. But an administrator should know.
 */
import { isDaemonState } from '../../config/content/index.ts';
import { newPaths } from '../plan/index.ts';
import { type Check, type PreflightChange, warning } from './check.ts';
import { configText, writtenPaths } from './written-texts.ts';

/** A message names this many. */
const MAX_NAMED = 5;

export const overwrittenFiles: Check = {
  name: 'overwritten-files',
  needs: (change) => ({ files: replacedPaths(change) }),
  run(snapshot) {
    const replaced = replacedPaths(snapshot).filter((path) => {
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

/** Of those that only the new config writes. */
function replacedPaths(change: PreflightChange): readonly string[] {
  const written = new Set(writtenPaths(change));
  return newPaths(change)
    .filter((path) => written.has(path) && !isDaemonState(path))
    .sort();
}
