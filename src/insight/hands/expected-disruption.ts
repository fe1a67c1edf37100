/**
 * What the update to the target of their pool will cost nodes: as `millwright plan` predicts it, and so as their daemons plan it.
 */
import type { MachineConfig, MachineConfiguration } from '../../api/index.ts';
import type { Node } from '../../kubernetes/types/index.ts';
import { mergePolicies } from '../../node/plan/index.ts';
import type { PoolTarget } from '../../rollout/index.ts';
import { nodeUpdates } from '../plan/node-updates.ts';
import type { UpdateOutcome } from '../plan/plan-types.ts';

/** What is known of the cluster beside its fleet. */
export type KnownConfigs = {
  readonly machineConfig: (name: string) => MachineConfig | undefined;
  readonly machineConfiguration?: MachineConfiguration | undefined;
};

type Disruption = 'reboot' | 'drain' | 'none' | 'unknown';

/** One text for all of them: `each is drained and rebooted`. */
export function disruptionText(nodes: readonly Node[], target: PoolTarget, known: KnownConfigs): string {
  const config = known.machineConfig(target.config);
  if (config === undefined) return EACH.unknown;
  const image = target.layered?.image ?? '';
  const updates = nodeUpdates(known.machineConfig, nodes, {
    config,
    policies: mergePolicies(known.machineConfiguration?.spec?.nodeDisruptionPolicy),
    ...(image === '' ? {} : { image }),
  });
  const found = new Set(updates.map(({ outcome }) => disruptionOf(outcome)));
  const [only] = found;
  if (found.size === 1 && only !== undefined) return EACH[only];
  if (found.has('unknown')) return EACH.unknown;
  return found.has('reboot')
    ? 'some are drained and rebooted, others are not'
    : 'some are drained, none is rebooted';
}

const EACH: { readonly [disruption in Disruption]: string } = {
  reboot: 'each is drained and rebooted',
  drain: 'each is drained, and not rebooted',
  none: 'none is drained or rebooted',
  unknown: 'whether they are drained and rebooted is not known',
};

function disruptionOf(outcome: UpdateOutcome): Disruption {
  if (outcome.kind !== 'update') return 'unknown';
  if (outcome.needsReboot) return 'reboot';
  return outcome.needsDrain ? 'drain' : 'none';
}
