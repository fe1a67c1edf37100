/**
 * A config that turns the kubelet off: its unit is masked, or disabled, so nothing starts it after the reboot.
 */
import { listed, parseUnitFile } from '../../config/systemd/index.ts';
import type { NodeConfig } from '../plan/index.ts';
import { type Finding, type Needs, type PreflightChange, type PreflightSnapshot, refusal } from './check.ts';
import { KUBELET_SERVICES } from './kubelet-command.ts';

/** Services without which a node has no kubelet. */
const SERVICES = [...KUBELET_SERVICES, 'rke2-server.service', 'rke2-agent.service'];

/** Settings of other units by which a disabled one is started. */
const STARTING = ['Wants', 'Requires', 'BindsTo', 'Upholds'];

/** What `offFindings` reads of the machine. */
export function offNeeds(change: PreflightChange): Needs {
  const services = offUnits(change).map(({ name }) => name);
  return { units: services, commandLines: services };
}

/** Only where the service starts now: a node of k3s may have a kubelet.service that nobody uses. */
export function offFindings(snapshot: PreflightSnapshot): readonly Finding[] {
  const { to, node } = snapshot;
  return offUnits(snapshot).flatMap(({ name, mask }) => {
    const facts = node.units.get(name);
    if (facts?.isMasked === true || startsAnother(to, name)) return [];
    const isEnabled = facts?.isEnabled === true;
    if (mask === true) {
      if (!isEnabled && !node.commandLines.has(name)) return [];
      const why = 'the config masks it, so the kubelet would not start again';
      return [refusal(name, { why, remedy: 'remove mask from the config' })];
    }
    if (!isEnabled || isStartedBy(to, name)) return [];
    const why = 'the config disables it, and it is enabled on the node, so the kubelet would not start again';
    return [refusal(name, { why, remedy: 'set enabled: true, or leave it out' })];
  });
}

/** Of the units that the update changes. */
function offUnits({ to, change, isForced }: PreflightChange) {
  const changed = new Set(change.changedUnits);
  return (to.ignition.systemd?.units ?? []).filter(
    ({ name, mask, enabled }) =>
      SERVICES.includes(name) && (isForced || changed.has(name)) && (mask === true || enabled === false),
  );
}

/** The config may replace one kubelet by another. */
function startsAnother({ ignition }: NodeConfig, service: string): boolean {
  return (ignition.systemd?.units ?? []).some(
    ({ name, enabled, mask }) =>
      name !== service && SERVICES.includes(name) && enabled === true && mask !== true,
  );
}

function isStartedBy({ ignition }: NodeConfig, service: string): boolean {
  return (ignition.systemd?.units ?? [])
    .flatMap(({ contents, dropins }) => [contents, ...(dropins ?? []).map((one) => one.contents)])
    .some((text) => {
      const unit = parseUnitFile(text ?? '');
      return STARTING.some((key) => listed(unit, 'Unit', key).includes(service));
    });
}
