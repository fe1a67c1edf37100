/**
 * Conditions of a CRD.
 */
import type { Crd } from './crd.ts';

export type ConditionText = {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
};

/** Replaces the condition of the same type, or appends it. `lastTransitionTime` changes only with `status`. */
export function withCondition(crd: Crd, condition: ConditionText, now: string): Crd {
  const conditions = crd.status?.conditions ?? [];
  const before = conditions.find(({ type }) => type === condition.type);
  const hasChanged = before === undefined || before.status !== condition.status || !before.lastTransitionTime;
  const { type, status, reason, message } = condition;
  const lastTransitionTime = hasChanged ? now : (before.lastTransitionTime ?? now);
  const changed = { type, status, lastTransitionTime, reason, message };
  return {
    ...crd,
    status: {
      ...crd.status,
      conditions:
        before === undefined
          ? [...conditions, changed]
          : conditions.map((one) => (one === before ? changed : one)),
    },
  };
}
