/**
 * The texts that an update writes to the machine: files, units and drop-ins of the new config. Unit files may be written either
 * way, as units or as files.
 */
import { contentFacts, type File, fileContents } from '../../config/ignition/index.ts';
import { dropinPath, type NodeConfig, unitPath } from '../plan/index.ts';
import type { PreflightChange } from './check.ts';

/** More than any file that a check reads. */
const MAX_TEXT_BYTES = 4 * 1024 ** 2;

/** Paths whose content the update changes, sorted: of files, and of units and drop-ins. */
export function writtenPaths({ to, change, isForced }: PreflightChange): readonly string[] {
  const files = new Set(change.changedFiles);
  const units = new Set(change.changedUnits);
  const paths = new Set<string>();
  for (const { path } of to.ignition.storage?.files ?? []) if (isForced || files.has(path)) paths.add(path);
  for (const unit of to.ignition.systemd?.units ?? []) {
    if (!isForced && !units.has(unit.name)) continue;
    if (unit.contents) paths.add(unitPath(unit.name));
    for (const { name, contents } of unit.dropins ?? []) if (contents) paths.add(dropinPath(unit.name, name));
  }
  return [...paths].sort();
}

/** Texts that the update writes to matching paths. */
export function writtenTexts(
  change: PreflightChange,
  isMeant: (path: string) => boolean,
): readonly { readonly path: string; readonly text: string }[] {
  return writtenPaths(change)
    .filter(isMeant)
    .flatMap((path) => {
      const text = configText(change.to, path);
      return text === undefined ? [] : [{ path, text }];
    });
}

/** Matches files in a folder, not below it, that have this ending. */
export function inFolder(folder: string, ending = ''): (path: string) => boolean {
  return (path) => {
    const name = path.startsWith(folder) ? path.slice(folder.length) : '';
    return name !== '' && !name.includes('/') && !name.startsWith('.') && name.endsWith(ending);
  };
}

/** What a config has at this path, changed or not; undefined where it has nothing, or nothing that can be read as text. */
export function configText({ ignition }: NodeConfig, path: string): string | undefined {
  const file = (ignition.storage?.files ?? []).find((one) => one.path === path);
  if (file !== undefined) return fileText(file);
  for (const unit of ignition.systemd?.units ?? []) {
    if (unit.contents && unitPath(unit.name) === path) return unit.contents;
    const dropin = (unit.dropins ?? []).find(({ name }) => dropinPath(unit.name, name) === path);
    if (dropin?.contents) return dropin.contents;
  }
  return undefined;
}

/** Also of a file that is no text: what its program cannot read is not ours to judge by its bytes. */
function fileText({ contents }: File): string | undefined {
  const facts = contentFacts(contents);
  if (facts.kind === 'invalid' || facts.sizeBytes > MAX_TEXT_BYTES) return undefined;
  const bytes = fileContents(contents);
  return bytes.kind === 'invalid' ? undefined : new TextDecoder().decode(bytes.value);
}

/** Paths of the config's parts of a unit: its file, then its drop-ins in the order in which systemd applies them. */
export function unitTextPaths(config: NodeConfig, unit: string): readonly string[] {
  const folder = dropinPath(unit, '');
  const whole = unitPath(unit);
  const files = (config.ignition.storage?.files ?? []).map(({ path }) => path);
  const given = (config.ignition.systemd?.units ?? []).find(({ name }) => name === unit);
  const dropins = [
    ...files.filter((path) => path.startsWith(folder) && isDropin(path.slice(folder.length))),
    ...(given?.dropins ?? []).filter(({ contents }) => contents).map(({ name }) => dropinPath(unit, name)),
  ];
  const hasWhole = files.includes(whole) || Boolean(given?.contents);
  return [...(hasWhole ? [whole] : []), ...[...new Set(dropins)].sort()];
}

export function isDropin(name: string): boolean {
  return name.endsWith('.conf') && !name.includes('/') && !name.startsWith('.');
}
