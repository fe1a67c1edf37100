/**
 * How long the last updates of a node took, in an annotation of the Node: `[{"seconds":95,"rebooted":true}, …]`, the newest
 * first.
 *
 * The conditions of a MachineConfigNode cannot tell: they are reset when an update ends, and with them their times.
 */
import { annotations } from '../../api/index.ts';
import { isObject, parseJson } from '../../base/json.ts';
import { parseTimestamp } from '../../base/text/index.ts';
import { annotationOf } from '../../kubernetes/meta/index.ts';
import type { Node } from '../../kubernetes/types/index.ts';
import type { ReportDraft } from './draft.ts';

export type RecentUpdate = { readonly seconds: number; readonly rebooted: boolean };

const KEPT = 5;

export function recentUpdates(node: Node): readonly RecentUpdate[] {
  return parsed(annotationOf(node, annotations.recentUpdates) ?? '');
}

/** When an update has ended well. One that failed on the way says nothing about how long updates take. */
export function recordUpdate(draft: ReportDraft): void {
  const updated = draft.condition('Updated');
  const beganMs = parseTimestamp(updated?.status === 'False' ? updated.lastTransitionTime : undefined);
  if (beganMs === undefined || draft.annotation(annotations.state) !== 'Working') return;
  const update: RecentUpdate = {
    seconds: Math.max(0, Math.round((draft.nowMs - beganMs) / 1_000)),
    rebooted: draft.hasCondition('RebootedNode', 'True'),
  };
  const earlier = parsed(draft.annotation(annotations.recentUpdates));
  draft.annotate(annotations.recentUpdates, JSON.stringify([update, ...earlier].slice(0, KEPT)));
}

/** What cannot be read is left out: anybody may edit annotations. */
function parsed(text: string): readonly RecentUpdate[] {
  const value = parseJson(text);
  if (!Array.isArray(value)) return [];
  return value.flatMap((one) => {
    const { seconds, rebooted } = isObject(one) ? one : {};
    if (typeof seconds !== 'number' || !(seconds >= 0) || typeof rebooted !== 'boolean') return [];
    return [{ seconds, rebooted }];
  });
}
