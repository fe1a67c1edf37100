/**
 * Has the node something to do?
 *
 * The disk wins over what the Node says of the current config: a cluster may be restored from a backup, a disk is what it is.
 * A node that is where it should be but is not Done runs an update all the same; that is how it heals.
 */
import { formatDrainRequest, parseDrainRequest } from '../../api/index.ts';

/** A config by name, with the image of image mode; '' where there is none. */
export type ConfigName = { readonly config: string; readonly image: string };

export type UpdateNeedInput = {
  /** What the disk holds; absent on a machine that has not stored any. */
  readonly disk?: ConfigName;
  /** What the Node's annotations say. */
  readonly current: ConfigName;
  readonly desired: ConfigName;
  /** Missing counts as Done. */
  readonly state?: string;
  readonly desiredDrain?: string;
  readonly lastAppliedDrain?: string;
};

type UpdateNeed =
  | { readonly kind: 'none' }
  /** The drain controller has not answered yet; its answer is what to wait for. */
  | { readonly kind: 'wait'; readonly log: string }
  | {
      readonly kind: 'update';
      readonly from: ConfigName;
      readonly to: ConfigName;
      /** A warning, where it is not plain why. */
      readonly log?: string;
    };

export function updateNeed(input: UpdateNeedInput): UpdateNeed {
  const { disk, current, desired, state = 'Done' } = input;
  if (isWaiting(input)) {
    const log =
      'A previously requested drain has not yet completed. Waiting for machine-config-controller to finish draining node.';
    return { kind: 'wait', log };
  }
  const from = disk ?? current;
  // Where only the Node says otherwise, the update ends with telling it.
  if (!isSame(from, desired) || !isSame(current, desired)) return { kind: 'update', from, to: desired };
  if (state === 'Done') return { kind: 'none' };
  const log = `current+desiredConfig is ${desired.config} but state is ${state}`;
  return { kind: 'update', from, to: desired, log };
}

/** `done`: the node is drained for this config. `asked`: not yet. Another config needs another request. */
export function drainProgress(
  config: string,
  { desiredDrain = '', lastAppliedDrain = '' }: Pick<UpdateNeedInput, 'desiredDrain' | 'lastAppliedDrain'>,
): 'done' | 'asked' | 'not-asked' {
  const request = formatDrainRequest({ verb: 'drain', config });
  // A later request, such as to uncordon, undoes what was applied before.
  if (desiredDrain !== request) return 'not-asked';
  return lastAppliedDrain === request ? 'done' : 'asked';
}

/** What was asked for the sake of another config is overtaken: the node may be on its way back from it. */
function isWaiting({ desired, desiredDrain = '', lastAppliedDrain = '' }: UpdateNeedInput): boolean {
  const request = parseDrainRequest(desiredDrain);
  return request?.config === desired.config && desiredDrain !== lastAppliedDrain;
}

function isSame(a: ConfigName, b: ConfigName): boolean {
  return a.config === b.config && a.image === b.image;
}
