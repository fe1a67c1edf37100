/** An event as people will read it; about which object, its maker says. */
export type RolloutEvent = {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
};

/** The component under whose name events of the rollout and of drains are recorded. */
export const ROLLOUT_COMPONENT = 'machineconfigcontroller-nodecontroller';
