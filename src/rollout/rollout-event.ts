/** The content of an event. The function that returns it documents the object it is about. */
export type RolloutEvent = {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
};

/** The reporting component of events about rollouts and drains. */
export const ROLLOUT_COMPONENT = 'machineconfigcontroller-nodecontroller';
