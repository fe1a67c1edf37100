/** What a list says of itself. */
export type ListMetadata = {
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
};
