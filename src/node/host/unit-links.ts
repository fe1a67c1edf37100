/**
 * Enables and disables units with symlinks, as systemd does. Does not run them.
 */

import {
  type Install,
  installOf,
  isInstallable,
  parseUnitFile,
  templateOf,
  type UnitFile,
} from '../../config/systemd/index.ts';
import type { FileStat, HostFiles } from './host.ts';
import { installLinks, isReadableInstall } from './install-links.ts';
import { isPresetEnabled } from './unit-presets.ts';

/** The search path of unit files; earlier folders take precedence. */
const CONFIG = '/etc/systemd/system';
const RUNTIME = '/run/systemd/system';
export const UNIT_FOLDERS: readonly string[] = [CONFIG, RUNTIME, '/usr/lib/systemd/system'];
const PRESET_FOLDERS = [
  '/etc/systemd/system-preset',
  '/run/systemd/system-preset',
  '/usr/lib/systemd/system-preset',
];
const MAX_UNIT_BYTES = 1024 ** 2;
/** `Also=` may be nested. */
const MAX_ALSO = 100;

export type FoundUnit = {
  /** The path of the file; for an instance, of its template. */
  readonly path: string;
  readonly isMasked: boolean;
  readonly isRuntime: boolean;
  readonly unit: UnitFile;
  readonly install: Install;
  /** The file is an alias: a link to another unit. */
  readonly aliasOf: string | undefined;
};

export async function findUnit(files: HostFiles, name: string): Promise<FoundUnit | undefined> {
  const template = templateOf(name);
  for (const candidate of template === undefined ? [name] : [name, template]) {
    for (const folder of UNIT_FOLDERS) {
      const path = `${folder}/${candidate}`;
      const stat = await files.stat(path);
      if (stat === undefined || stat.kind === 'folder') continue;
      return await readUnit(files, { path, name, stat });
    }
  }
  return undefined;
}

type Reading = { readonly path: string; readonly name: string; readonly stat: FileStat };

async function readUnit(files: HostFiles, { path, name, stat }: Reading): Promise<FoundUnit> {
  const isRuntime = path.startsWith(RUNTIME);
  const isToNull = stat.kind === 'link' && stat.target === '/dev/null';
  const bytes = isToNull ? undefined : await files.read(path, MAX_UNIT_BYTES);
  const unit = parseUnitFile(new TextDecoder().decode(bytes));
  const targetName = stat.kind === 'link' ? (stat.target ?? '').split('/').at(-1) : undefined;
  return {
    path,
    isMasked: isToNull || (stat.kind === 'file' && stat.sizeBytes === 0 && path.startsWith(CONFIG)),
    isRuntime,
    unit,
    install: installOf(unit, name),
    aliasOf: targetName === name ? undefined : targetName,
  };
}

/** The output of `systemctl is-enabled`. */
export async function enablementOf(files: HostFiles, name: string): Promise<string> {
  const found = await findUnit(files, name);
  if (found === undefined) return 'not-found';
  if (found.isMasked) return found.isRuntime ? 'masked-runtime' : 'masked';
  if ((await linksTo(files, CONFIG, name)).length > 0) return 'enabled';
  if ((await linksTo(files, RUNTIME, name)).length > 0) return 'enabled-runtime';
  if (found.aliasOf !== undefined) return 'alias';
  if (isInstallable(found.install)) return 'disabled';
  return found.install.also.length > 0 ? 'indirect' : 'static';
}

export type LinkOutcome = { readonly kind: 'done' } | { readonly kind: 'refused'; readonly stderr: string };

const DONE: LinkOutcome = { kind: 'done' };

export async function enableUnits(
  files: HostFiles,
  names: readonly string[],
  verb: 'enable' | 'preset' = 'enable',
): Promise<LinkOutcome> {
  const units: { name: string; found: FoundUnit }[] = [];
  const open = [...names];
  const seen = new Set<string>();
  for (let name = open.shift(); name !== undefined && seen.size < MAX_ALSO; name = open.shift()) {
    if (seen.has(name)) continue;
    seen.add(name);
    const found = await findUnit(files, name);
    // A unit that another one brings along may be missing.
    if (found === undefined && !names.includes(name)) continue;
    if (found === undefined) return refused(verb, [`Unit file ${name} does not exist.`]);
    if (found.isMasked) return refused(verb, [`Unit file ${found.path} is masked.`]);
    if (!isReadableInstall(found.install)) return refused(verb, ['Invalid argument']);
    units.push({ name, found });
    open.push(...found.install.also);
  }
  const problems: string[] = [];
  for (const { name, found } of units) problems.push(...(await linkUnit(files, name, found)));
  return problems.length === 0 ? DONE : refused(verb, problems);
}

/** Returns why some of its links were not made. */
async function linkUnit(
  files: HostFiles,
  name: string,
  { path, install }: FoundUnit,
): Promise<readonly string[]> {
  const { paths, problems } = installLinks(name, install);
  for (const link of paths) await files.link(`${CONFIG}/${link}`, path);
  return problems;
}

export async function disableUnits(files: HostFiles, names: readonly string[]): Promise<LinkOutcome> {
  const open = [...names];
  const seen = new Set<string>();
  for (let name = open.shift(); name !== undefined && seen.size < MAX_ALSO; name = open.shift()) {
    if (seen.has(name)) continue;
    seen.add(name);
    const found = await findUnit(files, name);
    const links = await linksTo(files, CONFIG, name);
    if (found === undefined && links.length === 0 && names.includes(name)) {
      return refused('disable', [`Unit file ${name} does not exist.`]);
    }
    for (const link of links) await files.remove(link);
    if (found !== undefined && isReadableInstall(found.install)) open.push(...found.install.also);
  }
  return DONE;
}

export async function presetUnit(files: HostFiles, name: string): Promise<LinkOutcome> {
  if ((await findUnit(files, name)) === undefined) {
    return refused('preset', [`Unit file ${name} does not exist.`]);
  }
  return isPresetEnabled(await readPresets(files), name)
    ? await enableUnits(files, [name], 'preset')
    : await disableUnits(files, [name]);
}

async function readPresets(files: HostFiles): Promise<ReadonlyMap<string, string>> {
  const presets = new Map<string, string>();
  for (const folder of PRESET_FOLDERS) {
    for (const name of (await files.list(folder)) ?? []) {
      if (!name.endsWith('.preset') || presets.has(name)) continue;
      const bytes = await files.read(`${folder}/${name}`, MAX_UNIT_BYTES);
      presets.set(name, new TextDecoder().decode(bytes));
    }
  }
  return presets;
}

/** The links that enable a unit: in `.wants` and similar folders, and aliases. */
async function linksTo(files: HostFiles, folder: string, name: string): Promise<readonly string[]> {
  const links: string[] = [];
  const instances = name.includes('@.')
    ? new RegExp(`^${escaped(name).replace('@\\.', '@[^@]+\\.')}$`)
    : undefined;
  const isOfUnit = (other: string) => other === name || instances?.test(other) === true;
  for (const entry of (await files.list(folder)) ?? []) {
    const path = `${folder}/${entry}`;
    if (/\.(wants|requires)$/.test(entry)) {
      for (const other of (await files.list(path)) ?? []) if (isOfUnit(other)) links.push(`${path}/${other}`);
      continue;
    }
    const stat = entry === name ? undefined : await files.stat(path);
    if (stat?.kind === 'link' && isOfUnit((stat.target ?? '').split('/').at(-1) ?? '')) links.push(path);
  }
  return links;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function refused(verb: string, why: readonly string[]): LinkOutcome {
  return { kind: 'refused', stderr: why.map((one) => `Failed to ${verb} unit: ${one}\n`).join('') };
}
