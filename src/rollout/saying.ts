/** A condition without its times, which belong to whoever writes it. */
export type Saying = {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
};
