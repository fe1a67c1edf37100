/**
 * Whether a unit is there once the update is applied.
 */
import { templateOf } from '../../config/systemd/index.ts';
import { type NodeConfig, unitPath } from '../plan/index.ts';
import type { PreflightSnapshot, UnitFacts } from './check.ts';
import { configText } from './written-texts.ts';

/** `unknown`: the machine may have it. Nothing is refused for that. */
type Presence = 'present' | 'masked' | 'absent' | 'unknown';

export function unitPresence(snapshot: PreflightSnapshot, name: string): Presence {
  const template = templateOf(name);
  const found = presenceOf(snapshot, name);
  if (template === undefined || found === 'present' || found === 'masked') return found;
  const ofTemplate = presenceOf(snapshot, template);
  return ofTemplate === 'absent' ? found : ofTemplate;
}

function presenceOf(snapshot: PreflightSnapshot, name: string): Presence {
  const { from, to, node } = snapshot;
  if (isMaskedBy(to, name)) return 'masked';
  if (configText(to, unitPath(name)) !== undefined) return 'present';
  const facts = node.units.get(name);
  if (facts === undefined) return 'unknown';
  // What the old config put there goes, and what was there before it comes back.
  const goes = isMaskedBy(from, name) || configText(from, unitPath(name)) !== undefined;
  if (facts.isMasked && !goes) return 'masked';
  return goes ? withoutOldConfig(facts) : withoutChange(snapshot, facts);
}

function withoutOldConfig({ isInImage }: UnitFacts): Presence {
  return isInImage === true ? 'present' : 'unknown';
}

function withoutChange({ to, change, node }: PreflightSnapshot, facts: UnitFacts): Presence {
  if (facts.isInEtc || facts.isInImage === true) return 'present';
  if (node.nextOs === 'unknown') return 'unknown';
  if (node.nextOs === 'booted') {
    if (facts.isKnown) return 'present';
    return change.extensions ? 'unknown' : 'absent';
  }
  const mayBeAdded = node.hasLayeredPackages || to.extensions.length > 0 || facts.isInImage === undefined;
  return mayBeAdded ? 'unknown' : 'absent';
}

function isMaskedBy({ ignition }: NodeConfig, name: string): boolean {
  return (ignition.systemd?.units ?? []).some((unit) => unit.name === name && unit.mask === true);
}
