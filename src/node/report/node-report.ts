/**
 * Computes what a node reports: its annotations, the status of its MachineConfigNode and events, all from the same progress.
 *
 *     const { annotations, status, events } = nodeReport({ node, machineConfigNode, progress, nowMs })
 *
 * Several progress events give one report, so a step costs at most one write of each object. An event that was reported
 * already changes nothing.
 */
import type { MachineConfigNode, MachineConfigNodeStatus } from '../../api/index.ts';
import { oneLine } from '../../base/text/index.ts';
import type { Node } from '../../kubernetes/types/index.ts';
import { applyEvent } from './apply-event.ts';
import { ReportDraft } from './draft.ts';
import type { NodeEvent } from './node-events.ts';
import type { ProgressEvent } from './progress-event.ts';
import { reconcileState } from './state.ts';

export { drainRequested, uncordonRequested } from './drain.ts';
export { type NodeEvent, postActionFailure, rebootRationale } from './node-events.ts';

type NodeReportInput = {
  readonly node: Node;
  readonly machineConfigNode: MachineConfigNode | undefined;
  /** What has happened since the last report, in order. */
  readonly progress: readonly ProgressEvent[];
  readonly nowMs: number;
  readonly featureGates?: FeatureGates;
};

export type FeatureGates = { readonly imageModeStatusReporting?: boolean };

export type NodeReport = {
  /** The annotations that change; `null` removes one. Written before the status. */
  readonly annotations: { readonly [key: string]: string | null };
  /** The whole status, or `undefined` where there is nothing to write. */
  readonly status: MachineConfigNodeStatus | undefined;
  /** Only a part of the status can be written now: what follows is computed once that is written. */
  readonly isPartial?: true;
  readonly events: readonly NodeEvent[];
  /** Why the node fails, at every attempt: events in the namespace where people look for those of a Node. */
  readonly failures: readonly NodeEvent[];
};

export function nodeReport(snapshot: NodeReportInput): NodeReport {
  const { node, machineConfigNode, progress, nowMs, featureGates = {} } = snapshot;
  const isImageReported = featureGates.imageModeStatusReporting === true;
  const draft = new ReportDraft({ node, machineConfigNode, nowMs, isImageReported });
  // Manual changes are reconciled first, so that the events apply to a consistent state.
  reconcileState(draft);
  for (const event of progress) applyEvent(draft, inOneLine(event));
  reconcileState(draft);
  return {
    annotations: draft.annotations(),
    status: machineConfigNode === undefined ? undefined : draft.status(),
    ...(machineConfigNode !== undefined && draft.isPartial ? { isPartial: true } : {}),
    events: draft.events(),
    failures: draft.failures(),
  };
}

/** Errors of commands may have several lines; what is reported has one. */
function inOneLine(event: ProgressEvent): ProgressEvent {
  if (!('error' in event)) return event;
  const error = oneLine(event.error);
  if (!('event' in event) || event.event?.message === undefined) return { ...event, error };
  return { ...event, error, event: { ...event.event, message: oneLine(event.event.message) } };
}
