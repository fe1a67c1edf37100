/**
 * Events about the machine, its OS and its daemon that belong to no progress of an update.
 */
import type { EventSubject } from '../../kubernetes/client/index.ts';
import type { Node } from '../../kubernetes/types/index.ts';
import type { DaemonContext } from './context.ts';
import type { OsOutcome } from './step-os.ts';
import type { StepContext } from './steps.ts';

export function eventSubject(node: Node | undefined): EventSubject | undefined {
  if (node === undefined) return undefined;
  const { name, uid } = node.metadata;
  return { apiVersion: 'v1', kind: 'Node', name, ...(uid === undefined ? {} : { uid }) };
}

/** While an update is in progress, a step that has begun ends before the daemon does. */
export function emitProtected({ events }: DaemonContext, node: Node | undefined): void {
  const about = eventSubject(node);
  if (about !== undefined) events.normal(about, 'AddSigtermProtection', 'Adding SIGTERM protection');
}

export function emitUnprotected({ events }: DaemonContext, node: Node | undefined): void {
  const about = eventSubject(node);
  if (about !== undefined) events.normal(about, 'RemoveSigtermProtection', 'Removing SIGTERM protection');
}

/** The last shutdown could not finalize the staged OS. */
export function emitFailedFinalization(
  { events, nodeEvents }: DaemonContext,
  node: Node,
  failure: string,
): void {
  const about = eventSubject(node);
  if (about === undefined) return;
  for (const recorder of [events, nodeEvents]) recorder.warning(about, 'FailedFinalization', failure);
}

/** State files of the daemon were damaged, and have been repaired. */
export function emitRepaired(
  { nodeEvents }: DaemonContext,
  node: Node,
  memory: { repaired: readonly string[] },
): void {
  const about = eventSubject(node);
  if (about === undefined) return;
  for (const text of memory.repaired) nodeEvents.warning(about, 'DaemonStateRepaired', text);
  memory.repaired = [];
}

/** An administrator has asked for another attempt. */
export function emitRetried({ nodeEvents }: DaemonContext, node: Node | undefined, text: string): void {
  const about = eventSubject(node);
  if (about !== undefined) nodeEvents.normal(about, 'RetryRequested', text);
}

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
