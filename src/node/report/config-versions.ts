/**
 * The current and the desired config in the status of a MachineConfigNode: `configVersion`, and with the feature gate
 * ImageModeStatusReporting `configImage`.
 *
 * `desired` changes once the new config was validated, `current` only when the node is updated: in between, the status
 * describes one update, even if the annotations change.
 */

import type { MachineConfigNode, MachineConfigNodeStatus } from '../../api/index.ts';
import { stringAt, valueAt } from '../../base/json-fields.ts';
import { checkDnsSubdomain } from '../../kubernetes/meta/index.ts';
import type { ConfigName } from '../plan/index.ts';

/** Used where a name is required and none is known. */
const NOT_YET_SET = 'not-yet-set';

export type ConfigVersions = { readonly current: ConfigName; readonly desired: ConfigName };

/** Values that the API server would reject count as unknown: it would reject the whole status. */
export function validConfigName(config: string, image: string): ConfigName {
  return { config: isName(config) ? config : '', image: isPullSpec(image) ? image : '' };
}

export function isSameConfig(a: ConfigName, b: ConfigName): boolean {
  return a.config === b.config && a.image === b.image;
}

/** The name, or the other one where the config is not known. A known config without an image has none. */
export function knownOr(name: ConfigName, other: ConfigName): ConfigName {
  return name.config === '' ? other : name;
}

/** Images are part of it only where they are reported. */
export function configVersionsOf(status: unknown, isImageReported: boolean): ConfigVersions {
  const version = valueAt(status, 'configVersion');
  const image = isImageReported ? valueAt(status, 'configImage') : undefined;
  const desired = stringAt(version, 'desired');
  return {
    current: validConfigName(stringAt(version, 'current'), stringAt(image, 'currentImage')),
    desired: validConfigName(desired === NOT_YET_SET ? '' : desired, stringAt(image, 'desiredImage')),
  };
}

/** The target of the spec. A placeholder is kept. */
export function specTarget(
  machineConfigNode: MachineConfigNode | undefined,
  isImageReported: boolean,
): ConfigName {
  return {
    config: stringAt(machineConfigNode, 'spec', 'configVersion', 'desired') || NOT_YET_SET,
    image: isImageReported ? stringAt(machineConfigNode, 'spec', 'configImage', 'desiredImage') : '',
  };
}

/** The prefix of a condition's message once it belongs to the past. */
export function pastPrefix(target: ConfigName, runningImage: string): string {
  if (target.image === runningImage) return `${PAST}${target.config || NOT_YET_SET}: `;
  return `${PAST}${target.image || 'disable image mode'}: `;
}

export function isOfThePast(message: string): boolean {
  return message.startsWith(PAST);
}

/** The prefix of such a message, with the name of its update; empty where it has none. */
export function pastPrefixOf(message: string): string {
  return isOfThePast(message) ? message.slice(0, message.indexOf(': ', PAST.length) + 2) : '';
}

const PAST = 'Action during update to ';

/** The two fields of the status. */
export function configVersionFields(
  { current, desired }: ConfigVersions,
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

/** The pattern of the CRD for an image by digest. */
function isPullSpec(text: string): boolean {
  return (
    text.length <= MAX_PULL_SPEC &&
    /^([a-zA-Z0-9-]+\.)+[a-zA-Z0-9-]+(:[0-9]{2,5})?\/([a-zA-Z0-9-_]{0,61}\/)?[a-zA-Z0-9-_.]*@sha256:[a-f0-9]{64}$/.test(
      text,
    )
  );
}
