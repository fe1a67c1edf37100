/**
 * Events about the machine and its daemon that belong to no progress of an update.
 */
import type { EventSubject } from '../../kubernetes/client/index.ts';
import type { Node } from '../../kubernetes/types/index.ts';
import type { DaemonContext } from './context.ts';

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
