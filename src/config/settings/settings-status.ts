/**
 * What is said on the objects themselves: were their settings taken, and if not, why.
 *
 * Both kinds keep a list of what was said, the newest last; its last entry is what counts. Times move with the status
 * alone, and what is said already is not said again.
 */
import type { LegacyCondition } from '../../kubernetes/meta/index.ts';
import type { GeneratingObject } from './generating-object.ts';

/** The message of a refusal is whole, with `Error: ` in front where that belongs. */
export type Verdict = { readonly kind: 'accepted' } | { readonly kind: 'refused'; readonly message: string };

export type SettingsStatus = {
  readonly observedGeneration: number;
  readonly conditions: readonly LegacyCondition[];
};

/** So much of what was said is kept. */
const MAX_ACCEPTED = 3;
const MAX_SAID = 10;

/** `Accepted`, and behind it the older `Success` or `Failure` that tools still look for. `now`: RFC 3339. */
export function kubeletConfigStatus(object: GeneratingObject, verdict: Verdict, now: string): SettingsStatus {
  const said = (object.status?.conditions ?? []).filter(({ type }) => type === 'Accepted');
  const message = messageOf(verdict);
  const status = verdict.kind === 'accepted' ? 'True' : 'False';
  const last = said.at(-1);
  const time = last?.status === status ? (last.lastTransitionTime ?? now) : now;
  const isSaid = last?.message === message && last.status === status;
  const accepted = { type: 'Accepted', status, message, lastTransitionTime: time };
  return {
    observedGeneration: object.metadata.generation ?? 0,
    conditions: [...(isSaid ? said : [...said, accepted]).slice(-MAX_ACCEPTED), olderForm(verdict, time)],
  };
}

/** `Success` or `Failure`. */
export function containerRuntimeConfigStatus(
  object: GeneratingObject,
  verdict: Verdict,
  now: string,
): SettingsStatus {
  const said = object.status?.conditions ?? [];
  const last = said.at(-1);
  const type = olderForm(verdict, now).type;
  const time = last?.type === type ? (last.lastTransitionTime ?? now) : now;
  const isSaid = last?.type === type && last?.message === messageOf(verdict);
  return {
    observedGeneration: object.metadata.generation ?? 0,
    conditions: (isSaid ? said : [...said, olderForm(verdict, time)]).slice(-MAX_SAID),
  };
}

function messageOf(verdict: Verdict): string {
  return verdict.kind === 'accepted' ? 'Success' : verdict.message;
}

function olderForm(verdict: Verdict, time: string) {
  const type = verdict.kind === 'accepted' ? 'Success' : 'Failure';
  return { type, status: 'True', message: messageOf(verdict), lastTransitionTime: time };
}
