/**
 * Events about the OS of a node that are not part of a report.
 */

import type { Node } from '../../kubernetes/types/index.ts';
import type { DaemonContext } from './context.ts';
import type { OsOutcome } from './step-os.ts';
import type { StepContext } from './steps.ts';
import { eventSubject } from './update-events.ts';

export function emitOsStarted(
  { events }: DaemonContext,
  node: Node | undefined,
  stepContext: StepContext,
): void {
  const { step, journal, to } = stepContext;
  const about = eventSubject(node);
  if (about === undefined || step.kind !== 'os') return;
  const { osImage, extensions, kernelType, isLayered } = journal.plan.change;
  if (osImage || extensions || kernelType || isLayered) {
    events.normal(about, 'InClusterUpgrade', `Updating from oscontainer ${to.osImage}`);
  }
  events.normal(about, 'OSUpdateStarted', step.reasons.join('; '));
}

export function emitOsStaged(
  { events, nodeEvents }: DaemonContext,
  node: Node | undefined,
  { from, to }: StepContext,
  outcome: Extract<OsOutcome, { readonly kind: 'staged' }>,
): void {
  const about = eventSubject(node);
  if (about === undefined) return;
  if (outcome.isRebase) {
    const text = `OS upgrade applied; new MachineConfig (${to.name}) has new OS image (${to.osImage})`;
    events.normal(about, 'OSUpgradeApplied', text);
  } else {
    const text = `OS upgrade skipped; new MachineConfig (${to.name}) has same OS image (${to.osImage}) as old MachineConfig (${from.name})`;
    events.normal(about, 'OSUpgradeSkipped', text);
  }
  // Upstream has this one in another namespace than the others.
  nodeEvents.normal(about, 'OSUpdateStaged', 'Changes to OS staged');
}
