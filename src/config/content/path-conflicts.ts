/**
 * Files whose path is a folder of another file of the same config: no machine can have both.
 */
import type { Problem } from '../../base/errors.ts';
import { quoted } from '../../base/text/index.ts';
import type { IgnitionConfig } from '../ignition/index.ts';

const UNITS = '/etc/systemd/system';

/** Paths of problems are those of the Ignition config. */
export function pathConflictProblems({ storage, systemd }: IgnitionConfig): readonly Problem[] {
  const files = storage?.files ?? [];
  const units = (systemd?.units ?? []).flatMap(({ name, dropins = [] }) => [
    `${UNITS}/${name}`,
    ...dropins.map((dropin) => `${UNITS}/${name}.d/${dropin.name}`),
  ]);
  /** By folder, one path below it. */
  const folders = new Map<string, string>();
  for (const path of [...files.map((file) => file.path), ...units]) {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end);
      // Its own folders are known too.
      if (folders.has(folder)) break;
      folders.set(folder, path);
    }
  }
  return files.flatMap(({ path }, index) => {
    const below = folders.get(path);
    if (below === undefined) return [];
    const message = `file ${quoted(path)} is a folder of ${quoted(below)}, which the config has too: no machine can have both. Remove one of them`;
    return [{ path: `storage.files[${index}].path`, message, reason: 'FieldValueInvalid' as const }];
  });
}
