/**
 * In which phase of an update a node is, and since when.
 *
 *     starting > preparing > cordoning > draining > applying … > post-action | rebooting > resuming > uncordoning > finishing
 *
 * The MachineConfigNode tells, in conditions that everybody knows. What the Node itself says of drain, reboot and uncordon is
 * newer, because it is written first, and it is there also where no MachineConfigNode is.
 */

import { annotations, type MachineConfigNode } from '../api/index.ts';
import { objectsAt, stringAt } from '../base/json-fields.ts';
import { annotationOf } from '../kubernetes/meta/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import { drainState, isCordoned, isManaged } from '../rollout/index.ts';
import { since } from './moment-text.ts';

export type Phase =
  /** Its daemon has not spoken yet. */
  | 'joining'
  /** It has been told where to go, and has not answered. */
  | 'starting'
  | 'preparing'
  | 'cordoning'
  | 'draining'
  | 'pulling-image'
  | 'applying-files'
  | 'applying-os'
  | 'applying-files-and-os'
  /** The disk is changed; services are reloaded or restarted, or a reboot is about to begin. */
  | 'post-action'
  | 'rebooting'
  | 'resuming'
  | 'uncordoning'
  | 'finishing'
  /** Nothing tells what it is doing. */
  | 'working';

type PhaseSeen = { readonly phase: Phase; readonly since?: string };

/** For a node that is on its way. */
export function phaseOf(node: Node, record: MachineConfigNode | undefined): PhaseSeen {
  if (!isManaged(node)) return { phase: 'joining' };
  const said = saidBy(record);
  return phaseOfNode(node, said) ?? phaseOfConditions(said) ?? { phase: 'working' };
}

/** Since when the node has been on its way; `undefined` while it has not said so. */
export function underWaySince(record: MachineConfigNode | undefined): string | undefined {
  const updated = saidBy(record).get('Updated');
  return updated?.status === 'False' ? updated.since : undefined;
}

/** Whether the node has rebooted in the update under way. */
export function hasRebooted(record: MachineConfigNode | undefined): boolean {
  return saidBy(record).get('RebootedNode')?.status === 'True';
}

type Said = { readonly status: string; readonly since?: string };
type Sayings = ReadonlyMap<string, Said>;

/** The first condition of each type. */
function saidBy(record: MachineConfigNode | undefined): Sayings {
  const said = new Map<string, Said>();
  for (const condition of objectsAt(record?.status, 'conditions')) {
    const type = stringAt(condition, 'type');
    if (said.has(type)) continue;
    said.set(type, { status: stringAt(condition, 'status'), ...since(condition.lastTransitionTime) });
  }
  return said;
}

/** What is asked and not answered, or about to happen. */
function phaseOfNode(node: Node, said: Sayings): PhaseSeen | undefined {
  if (annotationOf(node, annotations.postConfigAction) === 'Rebooting') {
    return { phase: 'rebooting', ...timeOf(said.get('RebootedNode'), 'Unknown') };
  }
  const { isPending, request, currentRecord } = drainState(node);
  if (!isPending) return undefined;
  if (request?.verb === 'uncordon') return { phase: 'uncordoning', ...timeOf(said.get('Resumed'), 'True') };
  if (request?.verb !== 'drain') return undefined;
  if (currentRecord === undefined || !isCordoned(node)) {
    return { phase: 'cordoning', ...timeOf(said.get('UpdatePrepared'), 'True') };
  }
  return { phase: 'draining', ...since(currentRecord.beganMs) };
}

/** From the last phase to the first: the first row that holds tells. */
const CONDITIONS: readonly (readonly [type: string, status: string, phase: Phase])[] = [
  ['UpdateComplete', 'True', 'finishing'],
  ['Resumed', 'True', 'uncordoning'],
  ['RebootedNode', 'True', 'resuming'],
  ['UpdatePostActionComplete', 'True', 'resuming'],
  ['RebootedNode', 'Unknown', 'rebooting'],
  ['UpdatePostActionComplete', 'Unknown', 'post-action'],
  ['ImagePulledFromRegistry', 'Unknown', 'pulling-image'],
  ['AppliedFilesAndOS', 'Unknown', 'applying-files-and-os'],
  ['AppliedFiles', 'Unknown', 'applying-files'],
  ['AppliedOSImage', 'Unknown', 'applying-os'],
  ['UpdateExecuted', 'True', 'post-action'],
  ['Drained', 'Unknown', 'draining'],
  // It is about to change its disk, which it says at once.
  ['Drained', 'True', 'draining'],
  ['UpdateExecuted', 'Unknown', 'preparing'],
  ['UpdatePrepared', 'True', 'preparing'],
  ['UpdatePrepared', 'Unknown', 'preparing'],
  ['Updated', 'False', 'preparing'],
  ['Updated', 'True', 'starting'],
];

function phaseOfConditions(said: Sayings): PhaseSeen | undefined {
  // Both at once is one phase.
  const areBoth = ['AppliedFiles', 'AppliedOSImage'].every((type) => said.get(type)?.status === 'Unknown');
  const row = CONDITIONS.find(([type, status]) => said.get(type)?.status === status);
  if (row === undefined) return undefined;
  const [type, status, phase] = row;
  // A node that has not begun has been where it is since long before.
  const time = phase === 'starting' ? {} : timeOf(said.get(type), status);
  return { phase: areBoth && phase === 'applying-files' ? 'applying-files-and-os' : phase, ...time };
}

function timeOf(said: Said | undefined, status: string): { readonly since?: string } {
  return said?.status !== status || said.since === undefined ? {} : { since: said.since };
}
