/**
 * Events about the OS of a node that no moment of an update carries.
 */

import type { EventSubject } from '../../kubernetes/client/index.ts';
import type { Node } from '../../kubernetes/types/index.ts';
import type { DaemonContext } from './context.ts';
import type { OsOutcome } from './step-os.ts';
import type { Stepping } from './steps.ts';

export function tellOsStarted({ events }: DaemonContext, node: Node | undefined, stepping: Stepping): void {
  const { step, journal, to } = stepping;
  const about = subject(node);
  if (about === undefined || step.kind !== 'os') return;
  const { osImage, extensions, kernelType, isLayered } = journal.plan.change;
  if (osImage || extensions || kernelType || isLayered) {
    events.normal(about, 'InClusterUpgrade', `Updating from oscontainer ${to.osImage}`);
  }
  events.normal(about, 'OSUpdateStarted', step.reasons.join('; '));
}

export function tellOsStaged(
  { events }: DaemonContext,
  node: Node | undefined,
  { from, to }: Stepping,
  outcome: Extract<OsOutcome, { readonly kind: 'staged' }>,
): void {
  const about = subject(node);
  if (about === undefined) return;
  if (outcome.isRebase) {
    const text = `OS upgrade applied; new MachineConfig (${to.name}) has new OS image (${to.osImage})`;
    events.normal(about, 'OSUpgradeApplied', text);
  } else {
    const text = `OS upgrade skipped; new MachineConfig (${to.name}) has same OS image (${to.osImage}) as old MachineConfig (${from.name})`;
    events.normal(about, 'OSUpgradeSkipped', text);
  }
  events.normal(about, 'OSUpdateStaged', 'Changes to OS staged');
}

export function subject(node: Node | undefined): EventSubject | undefined {
  if (node === undefined) return undefined;
  const { name, uid } = node.metadata;
  return { apiVersion: 'v1', kind: 'Node', name, ...(uid === undefined ? {} : { uid }) };
}
