/**
 * What happens to a node during an update, as the daemon sees it. Everything that is reported follows from these events
 * (`nodeReport`).
 *
 * In the order of an update:
 *
 *     update-found ─> prepared ─┬─> [fetching ─> fetched ─>] drain-requested, drain-progressed … ─┬─> applying ─> applied ─┬─> rebooting ~~> rebooted ─┐
 *                               └─> drain-not-required ──────────────────┘                        └─> post-action-done ───────┤
 *                                                                                                                             │
 *                                           up-to-date <── done <── drain-progressed <── completing <─────────────────────────┘
 *
 * An event may be reported again, and one that was missed is made up for by the next.
 */
import type { SetState } from '../pinned/index.ts';
import type { ConfigChange, PostAction } from '../plan/index.ts';

export type ProgressEvent =
  /** The node gets its initial annotations. Those that it has already stay. */
  | { readonly kind: 'joined'; readonly annotations: { readonly [key: string]: string } }
  /** Another config is to be applied, or the same one again. `to`: by default the desired one. */
  | { readonly kind: 'update-found'; readonly to?: string }
  /** This node cannot apply the new config. No `failed` follows. */
  | { readonly kind: 'unreconcilable'; readonly from: string; readonly to: string; readonly error: string }
  /** The post actions cannot be determined. That is a failure: no `failed` follows. */
  | { readonly kind: 'actions-unknown'; readonly from: string; readonly to: string; readonly error: string }
  /** The update cannot begin, by default for no reason of its config. That is a failure: no `failed` follows. */
  | {
      readonly kind: 'unprepared';
      readonly from: string;
      readonly to: string;
      readonly error: string;
      readonly isIncompatible?: boolean;
      readonly event?: FailureEvent;
    }
  /** `warnings`: what looks doubtful, and does not keep the node from following. */
  | {
      readonly kind: 'prepared';
      readonly needsDrain: boolean;
      readonly to?: string;
      readonly warnings?: readonly string[];
    }
  | { readonly kind: 'drain-not-required' }
  /** The node requests to be drained for this config. */
  | { readonly kind: 'drain-requested'; readonly config: string }
  /** The node was drained for this config and takes pods again: it requests that to be recorded, and another drain then. */
  | { readonly kind: 'drain-withdrawn'; readonly config: string }
  /** The drain controller may have reported progress on the Node; see `drainConditions`. */
  | { readonly kind: 'drain-progressed' }
  | { readonly kind: 'applying'; readonly change: ConfigChange }
  /** Before the drain: the OS image is being downloaded, or is there. */
  | { readonly kind: 'fetching' | 'fetched'; readonly image: string }
  /** Reported only with the feature gate ImageModeStatusReporting. */
  | { readonly kind: 'pulling' | 'pulled'; readonly image: string; readonly isExtensions?: boolean }
  | {
      readonly kind: 'pull-failed';
      readonly image: string;
      readonly error: string;
      readonly isExtensions?: boolean;
    }
  | { readonly kind: 'applied'; readonly change: ConfigChange }
  /** `config`: by default the desired one. */
  | { readonly kind: 'rebooting'; readonly config?: string }
  | { readonly kind: 'rebooted' }
  /** `hasMore`: other actions follow. */
  | { readonly kind: 'post-action-done'; readonly action: PostAction; readonly hasMore?: boolean }
  /** The disk holds the desired config, and the node requests to be uncordoned. */
  | { readonly kind: 'completing'; readonly config: string }
  /** The daemon has started up. The config is empty on a node that has just joined. */
  | { readonly kind: 'started'; readonly config: string }
  /** The node is uncordoned with this config, and with this image in image mode. */
  | { readonly kind: 'done'; readonly config: string; readonly image?: string }
  | { readonly kind: 'update-succeeded' }
  /** Any failure: with its phase, and its event where it has one of its own. */
  | {
      readonly kind: 'failed';
      readonly error: string;
      readonly phase?: FailedPhase;
      readonly event?: FailureEvent;
      /** What was applied is being undone, or is undone: then the failure was reported already, when the rollback began. */
      readonly rollback?: 'begun' | 'done';
    }
  /** The node has the config that it had before it failed, and is in service: nothing has to be applied. `up-to-date` follows. */
  | { readonly kind: 'recovered' }
  /** There is nothing to do. */
  | { readonly kind: 'up-to-date' }
  /** How far the PinnedImageSets of the node are, all of them. Independent of updates. */
  | { readonly kind: 'pinned-images'; readonly sets: readonly SetState[] };

/** What was being done when it failed. */
export type FailedPhase = 'files' | 'os' | 'post-action' | 'reboot';

export type FailureEvent = {
  readonly reason:
    | 'OnDiskStateValidationFailed'
    | 'PreflightConfigDriftCheckFailed'
    | 'PreflightRefused'
    | 'ConfigDriftDetected'
    | 'FailedToDrain'
    | 'FailedToUncordon'
    | 'FailedServiceReload'
    | 'FailedServiceRestart';
  /** By default the error itself. */
  readonly message?: string;
};
