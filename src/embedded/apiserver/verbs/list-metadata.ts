export type ListMetadata = {
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
};
