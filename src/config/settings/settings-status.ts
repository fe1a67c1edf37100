/**
 * The status of KubeletConfigs and ContainerRuntimeConfigs: were the settings accepted, and if not, why.
 *
 * Both kinds keep a history of conditions; the last one is in effect. The transition time changes only with the
 * status, and an unchanged condition is not appended again.
 */
import type { LegacyCondition } from '../../kubernetes/meta/index.ts';
import type { GeneratingObject } from './generating-object.ts';

/** The message of a rejection is complete, including `Error: ` where upstream has it. */
export type Verdict = { readonly kind: 'accepted' } | { readonly kind: 'refused'; readonly message: string };

export type SettingsStatus = {
  readonly observedGeneration: number;
  readonly conditions: readonly LegacyCondition[];
};

/** The length of the history. */
const MAX_ACCEPTED = 3;
const MAX_CONDITIONS = 10;

/** `Accepted`, followed by the legacy `Success` or `Failure` that tools still read. `now`: RFC 3339. */
export function kubeletConfigStatus(object: GeneratingObject, verdict: Verdict, now: string): SettingsStatus {
  const history = (object.status?.conditions ?? []).filter(({ type }) => type === 'Accepted');
  const message = messageOf(verdict);
  const status = verdict.kind === 'accepted' ? 'True' : 'False';
  const last = history.at(-1);
  const time = last?.status === status ? (last.lastTransitionTime ?? now) : now;
  const isCurrent = last?.message === message && last.status === status;
  const accepted = { type: 'Accepted', status, message, lastTransitionTime: time };
  return {
    observedGeneration: object.metadata.generation ?? 0,
    conditions: [
      ...(isCurrent ? history : [...history, accepted]).slice(-MAX_ACCEPTED),
      legacyCondition(verdict, time),
    ],
  };
}

/** `Success` or `Failure`. */
export function containerRuntimeConfigStatus(
  object: GeneratingObject,
  verdict: Verdict,
  now: string,
): SettingsStatus {
  const history = object.status?.conditions ?? [];
  const last = history.at(-1);
  const type = legacyCondition(verdict, now).type;
  const time = last?.type === type ? (last.lastTransitionTime ?? now) : now;
  const isCurrent = last?.type === type && last?.message === messageOf(verdict);
  return {
    observedGeneration: object.metadata.generation ?? 0,
    conditions: (isCurrent ? history : [...history, legacyCondition(verdict, time)]).slice(-MAX_CONDITIONS),
  };
}

function messageOf(verdict: Verdict): string {
  return verdict.kind === 'accepted' ? 'Success' : verdict.message;
}

function legacyCondition(verdict: Verdict, time: string) {
  const type = verdict.kind === 'accepted' ? 'Success' : 'Failure';
  return { type, status: 'True', message: messageOf(verdict), lastTransitionTime: time };
}
