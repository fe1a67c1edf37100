/**
 * Where a node stands and where it goes, as the status of its MachineConfigNode has it: `configVersion`, and with the
 * feature gate ImageModeStatusReporting `configImage`.
 *
 * `desired` moves when an update is found, `current` only when the node says that it is updated: in between the status
 * speaks of one update, whatever happens to the annotations meanwhile.
 */

import type { MachineConfigNode, MachineConfigNodeStatus } from '../../api/index.ts';
import { stringAt, valueAt } from '../../base/json-fields.ts';
import { checkDnsSubdomain } from '../../kubernetes/meta/index.ts';

/** Stands where a name is required and none is known. */
const NOT_YET_SET = 'not-yet-set';

/** Empty texts stand for what is not known, or not there. */
export type Place = { readonly config: string; readonly image: string };
export type Course = { readonly current: Place; readonly desired: Place };

/** What the server would refuse counts as unknown: it would take the rest of the status with it. */
export function place(config: string, image: string): Place {
  return { config: isName(config) ? config : '', image: isPullSpec(image) ? image : '' };
}

export function isSamePlace(a: Place, b: Place): boolean {
  return a.config === b.config && a.image === b.image;
}

/** Where the one is not known, the other. A known one without an image has none. */
export function known(place: Place, other: Place): Place {
  return place.config === '' ? other : place;
}

/** Images count only where they are reported. */
export function courseOf(status: unknown, isImageReported: boolean): Course {
  const version = valueAt(status, 'configVersion');
  const image = isImageReported ? valueAt(status, 'configImage') : undefined;
  const desired = stringAt(version, 'desired');
  return {
    current: place(stringAt(version, 'current'), stringAt(image, 'currentImage')),
    desired: place(desired === NOT_YET_SET ? '' : desired, stringAt(image, 'desiredImage')),
  };
}

/** What the spec wants. A placeholder in it is quoted as it stands. */
export function specPlace(machineConfigNode: MachineConfigNode | undefined, isImageReported: boolean): Place {
  return {
    config: stringAt(machineConfigNode, 'spec', 'configVersion', 'desired') || NOT_YET_SET,
    image: isImageReported ? stringAt(machineConfigNode, 'spec', 'configImage', 'desiredImage') : '',
  };
}

/** What a condition is prefixed with once it belongs to the past. */
export function pastPrefix(target: Place, runningImage: string): string {
  if (target.image === runningImage) return `Action during update to ${target.config || NOT_YET_SET}: `;
  return `Action during update to ${target.image || 'disable image mode'}: `;
}

/** The two fields of the status. */
export function courseFields(
  { current, desired }: Course,
  isImageReported: boolean,
): Pick<MachineConfigNodeStatus, 'configVersion' | 'configImage'> {
  const configVersion = {
    desired: desired.config || NOT_YET_SET,
    ...(current.config === '' ? {} : { current: current.config }),
  };
  const configImage = {
    ...(current.image === '' ? {} : { currentImage: current.image }),
    ...(desired.image === '' ? {} : { desiredImage: desired.image }),
  };
  const hasImage = isImageReported && Object.keys(configImage).length > 0;
  return { configVersion, ...(hasImage ? { configImage } : {}) };
}

function isName(text: string): boolean {
  return text !== '' && checkDnsSubdomain(text).length === 0;
}

const MAX_PULL_SPEC = 447;

/** As the kind demands it of an image by digest. */
function isPullSpec(text: string): boolean {
  return (
    text.length <= MAX_PULL_SPEC &&
    /^([a-zA-Z0-9-]+\.)+[a-zA-Z0-9-]+(:[0-9]{2,5})?\/([a-zA-Z0-9-_]{0,61}\/)?[a-zA-Z0-9-_.]*@sha256:[a-f0-9]{64}$/.test(
      text,
    )
  );
}
