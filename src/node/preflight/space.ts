/**
 * Space for the files of the update. A disk that becomes full in the middle of an update fails it, and with it the programs that
 * share the disk.
 */
import { contentFacts } from '../../config/ignition/index.ts';
import { type Check, type Finding, type PathSpace, type PreflightChange, refusal, warning } from './check.ts';
import { configText, writtenPaths } from './written-texts.ts';

/** For the journal, originals that are kept, and what else runs meanwhile. */
const MARGIN_BYTES = 16 * 1024 ** 2;

export const space: Check = {
  name: 'space',
  needs: (change) => ({ spaces: writtenPaths(change) }),
  run(snapshot) {
    const sizes = writtenSizes(snapshot);
    const byFileSystem = new Map<string, { path: string; written: number; there: PathSpace }[]>();
    for (const [path, written] of sizes) {
      const there = snapshot.node.spaces.get(path);
      if (there === undefined) continue;
      const files = byFileSystem.get(there.fileSystem) ?? [];
      byFileSystem.set(there.fileSystem, [...files, { path, written, there }]);
    }
    return [...byFileSystem.values()].flatMap(spaceFindings);
  },
};

/** Bytes that the update writes, by path. */
function writtenSizes(change: PreflightChange): ReadonlyMap<string, number> {
  const files = new Map((change.to.ignition.storage?.files ?? []).map((file) => [file.path, file]));
  return new Map(
    writtenPaths(change).map((path) => {
      const file = files.get(path);
      if (file === undefined) return [path, configText(change.to, path)?.length ?? 0];
      const facts = contentFacts(file.contents);
      return [path, facts.kind === 'ok' ? facts.sizeBytes : 0];
    }),
  );
}

type Written = { readonly path: string; readonly written: number; readonly there: PathSpace };

/** A file is written beside the old one, which is then replaced: that is the least that has to fit. */
function spaceFindings(files: readonly Written[]): readonly Finding[] {
  const [largest] = [...files].sort((a, b) => b.written - a.written);
  if (largest === undefined) return [];
  const free = Math.min(...files.map(({ there }) => there.freeBytes));
  const all = files.reduce((sum, { written }) => sum + written, 0);
  const growth = files.reduce((sum, { written, there }) => sum + written - there.sizeBytes, 0);
  const needed = Math.max(largest.written, growth);
  const why = `the file system has ${mebibytes(free)} free`;
  if (needed > free) {
    const remedy = 'free space on the node, or write less';
    return [refusal(largest.path, { why: `${why}, and the update writes ${mebibytes(all)} there`, remedy })];
  }
  if (all + MARGIN_BYTES <= free) return [];
  return [
    warning(largest.path, { why: `${why}, little more than the ${mebibytes(all)} that the update writes` }),
  ];
}

function mebibytes(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
}
