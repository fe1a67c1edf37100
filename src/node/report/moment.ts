/**
 * What happens to a node on its way, as the daemon sees it. What the cluster is told follows from these moments alone
 * (`nodeReport`).
 *
 * In the order in which an update goes through them:
 *
 *     update-found ─> prepared ─> drain-asked, drain-told … ─> applying ─> applied ─┬─> rebooting ~~> rebooted ─┐
 *                        └─────> drain-not-required ──────────┘                     └─> post-action-done ───────┤
 *                                                                                                               ▼
 *                                                            up-to-date <─ done <─ drain-told <─ completing <───┘
 *
 * A moment may be said again, and one that was never said is made up for by the next.
 */
import type { ConfigChange, PostAction } from '../plan/index.ts';

export type Moment =
  /** The node gets its first words, from the first-boot file. What it says already stays. */
  | { readonly kind: 'joined'; readonly annotations: { readonly [key: string]: string } }
  /** Somebody wants another config, or the same one again: the desired one if nothing else is said. */
  | { readonly kind: 'update-found'; readonly to?: string }
  /** The new config cannot be followed by this node. The text is the whole error; no `failed` is said for it. */
  | { readonly kind: 'unreconcilable'; readonly from: string; readonly to: string; readonly error: string }
  /** What is to be done afterwards cannot be told. It is a failure: no `failed` need be said for it. */
  | { readonly kind: 'actions-unknown'; readonly from: string; readonly to: string; readonly error: string }
  | { readonly kind: 'prepared'; readonly needsDrain: boolean; readonly to?: string }
  | { readonly kind: 'drain-not-required' }
  /** The node asks to be drained, for the sake of this config. */
  | { readonly kind: 'drain-asked'; readonly config: string }
  /** The drain controller has said something on the Node; see `drainConditions`. */
  | { readonly kind: 'drain-told' }
  | { readonly kind: 'applying'; readonly change: ConfigChange }
  /** An image is fetched from its registry. Told only with the feature gate ImageModeStatusReporting. */
  | { readonly kind: 'pulling' | 'pulled'; readonly image: string; readonly isExtensions?: boolean }
  | {
      readonly kind: 'pull-failed';
      readonly image: string;
      readonly error: string;
      readonly isExtensions?: boolean;
    }
  | { readonly kind: 'applied'; readonly change: ConfigChange }
  /** Into which config; the desired one if nothing is said. */
  | { readonly kind: 'rebooting'; readonly config?: string }
  | { readonly kind: 'rebooted' }
  | { readonly kind: 'post-action-done'; readonly action: PostAction }
  /** The disk holds the desired config, and the node asks to be uncordoned. */
  | { readonly kind: 'completing'; readonly config: string }
  /** The first look of a daemon at its node is over. The config is empty on a node that has just joined. */
  | { readonly kind: 'first-look-over'; readonly config: string }
  /** The node is back in service with this config, and with this image in image mode. */
  | { readonly kind: 'done'; readonly config: string; readonly image?: string }
  | { readonly kind: 'update-succeeded' }
  /** Anything that went wrong: in which phase, and with which event where there is one of its own. */
  | {
      readonly kind: 'failed';
      readonly error: string;
      readonly phase?: 'files' | 'os';
      readonly event?: FailureEvent;
    }
  /** There is nothing to do. */
  | { readonly kind: 'up-to-date' };

export type FailureEvent = {
  readonly reason:
    | 'OnDiskStateValidationFailed'
    | 'PreflightConfigDriftCheckFailed'
    | 'ConfigDriftDetected'
    | 'FailedToDrain'
    | 'FailedToUncordon'
    | 'FailedServiceReload'
    | 'FailedServiceRestart';
  /** The error itself if nothing else is said. */
  readonly message?: string;
};
