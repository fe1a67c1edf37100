/** A condition without its times, which are set when it is written. */
export type ConditionUpdate = {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
};
