/**
 * Writes units: drop-ins, then the mask or the contents, then the enablement of all units at once. Units that no config has any
 * more are enabled or disabled as before a config had them.
 */
import { Failure } from '../../base/errors.ts';
import { quoted } from '../../base/text/index.ts';
import type { Unit } from '../../config/ignition/index.ts';
import { DEFAULT_MODE, dropinPath, MASK_TARGET, type NodeConfig, unitPath } from '../plan/index.ts';
import type { HostContext } from './context.ts';
import { ensureFile, type Keeping, keepOriginal, keepOriginalUnit } from './originals.ts';
import { enablementPath } from './state-paths.ts';

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
    if (unit.enabled === undefined) await keepEnablement(work, unit, enabled);
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

/** The config does not say: the presets decide, but they never disable what the machine had enabled. */
async function keepEnablement(work: HostContext, unit: Unit, enabled: string[]): Promise<void> {
  if ((await enablementBefore(work, unit.name)) !== 'enabled') await tryPreset(work, unit.name);
  // It was disabled before its contents were written.
  else if (unit.contents) enabled.push(unit.name);
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

/**
 * The config no longer has the unit. Where nothing is known of the time before, the presets decide, while the file is still the
 * config's; otherwise its links are removed, which may be other ones than those of the machine's own file.
 */
export async function releaseEnablement(
  work: HostContext,
  { name, isOurs }: { readonly name: string; readonly isOurs: boolean },
): Promise<void> {
  const { units } = work.host;
  if ((await enablementBefore(work, name)) === undefined) await tryPreset(work, name);
  else if (isOurs && (await units.isEnabled(name)) === 'enabled') await units.disable([name]);
}

/** The config no longer has the unit, whose own file is in its place again, or none. */
export async function restoreEnablement(work: HostContext, unit: string): Promise<void> {
  const before = await enablementBefore(work, unit);
  if (before === undefined || !(await work.host.units.isKnown(unit))) return;
  if (before === 'enabled') await work.host.units.enable([unit]);
  else await work.host.units.disable([unit]);
}

/** Resets the enablement of a unit to the machine's presets. A unit that systemd does not know has none, which is no failure. */
async function tryPreset({ host, log }: HostContext, unit: string): Promise<void> {
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

type Change = { readonly from: NodeConfig; readonly to: NodeConfig };

/**
 * Records whether units that are new in the config are enabled: the kubelet, k3s or the container runtime of whoever installed the
 * machine. Many distributions disable by preset what their installers enable: a node that follows its presets would not come back
 * from its next boot. Called before the step begins, and repeated until it has begun.
 */
export async function recordEnablement({ host }: HostContext, change: Change): Promise<void> {
  for (const unit of unitsOnlyIn(change.to, change.from)) {
    const state = await host.units.isEnabled(unit);
    const path = enablementPath(unit);
    if (isRestorable(state)) await host.files.write(path, { bytes: utf8(state), mode: 0o644 });
    else await host.files.remove(path);
  }
}

/** Undefined where it is not known, or there was no such unit: then the presets of the machine decide. */
async function enablementBefore(
  { host }: Pick<HostContext, 'host'>,
  unit: string,
): Promise<'enabled' | 'disabled' | undefined> {
  const bytes = await host.files.read(enablementPath(unit));
  const text = bytes === undefined ? '' : new TextDecoder().decode(bytes);
  return isRestorable(text) ? text : undefined;
}

/** At the end of the update that removed the units from the config. */
export async function forgetEnablement({ host }: Pick<HostContext, 'host'>, change: Change): Promise<void> {
  for (const unit of unitsOnlyIn(change.from, change.to)) await host.files.remove(enablementPath(unit));
}

function unitsOnlyIn(config: NodeConfig, other: NodeConfig): readonly string[] {
  const others = new Set((other.ignition.systemd?.units ?? []).map(({ name }) => name));
  return (config.ignition.systemd?.units ?? []).map(({ name }) => name).filter((name) => !others.has(name));
}

function isRestorable(state: string): state is 'enabled' | 'disabled' {
  return state === 'enabled' || state === 'disabled';
}
