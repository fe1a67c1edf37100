/**
 * Writes units: drop-ins, then the mask or the contents, then the enablement of all units at once.
 */
import { Failure } from '../../base/errors.ts';
import { quoted } from '../../base/text/index.ts';
import type { Unit } from '../../config/ignition/index.ts';
import { DEFAULT_MODE, dropinPath, MASK_TARGET, type NodeConfig, unitPath } from '../plan/index.ts';
import type { HostContext } from './context.ts';
import { ensureFile, type Keeping, keepOriginal, keepOriginalUnit } from './originals.ts';

type UnitsToWrite = {
  readonly names: readonly string[];
  /** Paths at which a file is someone else's. */
  readonly foreign: ReadonlySet<string>;
};

/** Writes the named units, as far as they are part of the config. */
export async function writeUnits(
  work: HostContext,
  config: NodeConfig,
  { names, foreign }: UnitsToWrite,
): Promise<void> {
  const desired = new Set(names);
  const enabled: string[] = [];
  const disabled: string[] = [];
  for (const unit of config.ignition.systemd?.units ?? []) {
    if (!desired.has(unit.name)) continue;
    await writeUnit(work, unit, foreign);
    if (unit.mask === true) continue;
    if (unit.enabled === undefined) await tryPreset(work, unit.name);
    else if (await canBeEnabled(work, unit)) (unit.enabled ? enabled : disabled).push(unit.name);
  }
  const { host } = work;
  if (enabled.length > 0) {
    await host.units.enable(enabled);
    work.log.line(`Enabled systemd units: [${enabled.join(' ')}]`);
  }
  if (disabled.length > 0) {
    await host.units.disable(disabled);
    work.log.line(`Disabled systemd units: [${disabled.join(' ')}]`);
  }
}

async function writeUnit(work: HostContext, unit: Unit, foreign: ReadonlySet<string>): Promise<void> {
  const { host, log } = work;
  const keeping = (place: string) => ({ isForeign: foreign.has(place) });
  for (const { name, contents } of unit.dropins ?? []) {
    const dropin = { unit: unit.name, name, contents: contents ?? '' };
    await writeDropin(work, dropin, keeping(dropinPath(unit.name, name)));
  }
  const path = unitPath(unit.name);
  if (unit.mask === true) {
    log.line(`Systemd unit masked ${quoted(unit.name)}`);
    await keepOriginalUnit(host, path, keeping(path));
    await host.files.link(path, MASK_TARGET);
    return;
  }
  if (unit.contents) {
    log.line(`Writing systemd unit ${quoted(unit.name)}`);
    await keepOriginalUnit(host, path, keeping(path));
    // Its links would survive a change of its [Install] section.
    if ((await host.units.isEnabled(unit.name)) === 'enabled') await host.units.disable([unit.name]);
    await ensureFile(host, path, { ...root, bytes: utf8(unit.contents) });
    return;
  }
  if (unit.mask === false) {
    log.line(`Ensuring systemd unit ${quoted(unit.name)} has no mask at ${quoted(path)}`);
    if ((await host.files.stat(path))?.target === MASK_TARGET) await host.files.remove(path);
    return;
  }
  log.line(`Unit ${quoted(unit.name)} has no content, skipping write`);
}

type Dropin = { readonly unit: string; readonly name: string; readonly contents: string };

async function writeDropin(
  { host, log }: HostContext,
  { unit, name, contents }: Dropin,
  keeping: Keeping,
): Promise<void> {
  const path = dropinPath(unit, name);
  if (contents === '') {
    log.line(`Dropin for ${quoted(name)} has no content, skipping write`);
    const there = await host.files.stat(path);
    if (there !== undefined && there.kind !== 'folder') await host.files.remove(path);
    return;
  }
  log.line(`Writing systemd unit dropin ${quoted(name)}`);
  await keepOriginal(host, path, keeping);
  await ensureFile(host, path, { ...root, bytes: utf8(contents) });
}

async function canBeEnabled({ host, log }: HostContext, unit: Unit): Promise<boolean> {
  if (unit.contents || (await host.units.isKnown(unit.name))) return true;
  const verb = unit.enabled === true ? 'enable' : 'disable';
  log.line(`Could not find unit ${quoted(unit.name)}, so it is not ${verb}d`);
  return false;
}

/** Resets the enablement of a unit to the machine's presets. A unit that systemd does not know has none, which is no failure. */
export async function tryPreset({ host, log }: HostContext, unit: string): Promise<void> {
  try {
    await host.units.preset(unit);
  } catch (error) {
    if (!(error instanceof Failure) || error.kind === 'cancelled') throw error;
    log.line(`Failed to reset unit preset for ${quoted(unit)}: ${error.message}`);
  }
}

const root = { mode: DEFAULT_MODE, owner: { uid: 0, gid: 0 } };

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
