/** The content of an event. The function that returns it documents the object it is about. */
export type RolloutEvent = {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /** Upstream has no such event: it is recorded where `kubectl describe` finds it, not where upstream records its own. */
  readonly isAdditional?: true;
};

/** The reporting component of events about rollouts and drains. */
export const ROLLOUT_COMPONENT = 'machineconfigcontroller-nodecontroller';
