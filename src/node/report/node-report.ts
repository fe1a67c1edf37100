/**
 * What the cluster is told of a node: its annotations, the status of its MachineConfigNode and events, all from the same
 * moments, so that they cannot disagree.
 *
 *     const { annotations, status, events } = nodeReport({ node, machineConfigNode, moments, nowMs })
 *
 * Several moments give one report, so a step costs one write of each at most. A moment that was told already changes nothing.
 *
 * Start with `moment.ts`, then `state.ts`; the words are in `sayings.ts`.
 */
import type { MachineConfigNode, MachineConfigNodeStatus } from '../../api/index.ts';
import type { Node } from '../../kubernetes/types/index.ts';
import { ReportDraft } from './draft.ts';
import type { NodeEvent } from './events.ts';
import type { Moment } from './moment.ts';
import { tell } from './moments.ts';
import { settle } from './state.ts';

export { drainAsked, uncordonAsked } from './drain.ts';
export { type NodeEvent, postActionFailure, rebootRationale } from './events.ts';

type NodeSeen = {
  readonly node: Node;
  readonly machineConfigNode: MachineConfigNode | undefined;
  /** What has happened since the last report, in order. */
  readonly moments: readonly Moment[];
  readonly nowMs: number;
  readonly featureGates?: FeatureGates;
};

export type FeatureGates = { readonly imageModeStatusReporting?: boolean };

export type NodeReport = {
  /** What changes of the annotations of the Node; `null` takes one away. Written first, then the status. */
  readonly annotations: { readonly [key: string]: string | null };
  /** The whole status, or `undefined` where there is nothing to write. */
  readonly status: MachineConfigNodeStatus | undefined;
  readonly events: readonly NodeEvent[];
};

export function nodeReport(seen: NodeSeen): NodeReport {
  const { node, machineConfigNode, moments, nowMs, featureGates = {} } = seen;
  const isImageReported = featureGates.imageModeStatusReporting === true;
  const draft = new ReportDraft({ node, machineConfigNode, nowMs, isImageReported });
  // What somebody changed by hand meanwhile is brought into line first, so that what follows rests on it.
  settle(draft);
  for (const moment of moments) tell(draft, moment);
  settle(draft);
  return {
    annotations: draft.annotations(),
    status: machineConfigNode === undefined ? undefined : draft.status(),
    events: draft.events(),
  };
}
