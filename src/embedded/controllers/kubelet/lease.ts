/**
 * The heartbeat lease of a node.
 */

import { formatMicroTimestamp } from '../../../base/text/index.ts';
import type { Lease, Node } from '../../../kubernetes/types/index.ts';
import type { NodeSettings } from '../node-settings.ts';
import { fractionOf } from './digest.ts';

type LeaseSettings = Pick<NodeSettings, 'leaseDurationSeconds'>;

export function newLease(
  { metadata: { name, uid = '' } }: Node,
  {
    namespace,
    nowMs,
    settings,
  }: { readonly namespace: string; readonly nowMs: number; readonly settings: LeaseSettings },
): Lease {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, namespace, ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid }] },
    spec: renewal(name, { nowMs, settings }),
  };
}

export function renewal(
  holderIdentity: string,
  { nowMs, settings }: { readonly nowMs: number; readonly settings: LeaseSettings },
): Lease['spec'] {
  const { leaseDurationSeconds } = settings;
  return { holderIdentity, leaseDurationSeconds, renewTime: formatMicroTimestamp(nowMs) };
}

/** The last scheduled renewal. Nodes have different offsets, to spread the load. */
export function leaseDueMs(
  name: string,
  { nowMs, everyMs }: { readonly nowMs: number; readonly everyMs: number },
): number {
  const offsetMs = Math.floor(fractionOf(name, 'lease') * everyMs);
  return nowMs - ((((nowMs - offsetMs) % everyMs) + everyMs) % everyMs);
}
