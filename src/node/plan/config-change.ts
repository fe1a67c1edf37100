/**
 * What differs between two configs.
 *
 * Lists of named items are compared by name: their order does not matter to a node. Only the order of kernel arguments does.
 */

import { jsonEqual } from '../../base/json.ts';
import { type ContributionKind, type IgnitionConfig, itemsOfKind } from '../../config/ignition/index.ts';
import type { ConfigChange, NodeConfig } from './plan-types.ts';
import { sshKeysFile } from './ssh-keys.ts';

export function configChange(
  before: NodeConfig,
  after: NodeConfig,
  { isForced = false }: { readonly isForced?: boolean } = {},
): ConfigChange {
  const changedFiles = changedItems('file', before.ignition, after.ignition);
  const changedUnits = changedItems('unit', before.ignition, after.ignition);
  // Without an image in the config the node keeps its OS.
  const isAnotherImage =
    after.osImage !== '' && (before.osImage !== after.osImage || before.layeredImage !== after.layeredImage);
  return {
    osImage: isForced || isAnotherImage,
    kernelArguments: !jsonEqual(before.kernelArguments, after.kernelArguments),
    fips: before.isFips !== after.isFips,
    passwd: (['user', 'group'] as const).some(
      (kind) => changedItems(kind, before.ignition, after.ignition).length > 0,
    ),
    sshKeys: sshKeysFile(before).text !== sshKeysFile(after).text,
    files: changedFiles.length > 0,
    units: changedUnits.length > 0,
    kernelType: before.kernelType !== after.kernelType,
    extensions: !jsonEqual(asSet(before.extensions), asSet(after.extensions)),
    isLayered: before.layeredImage !== undefined || after.layeredImage !== undefined,
    leavesImageMode: before.layeredImage !== undefined && after.layeredImage === undefined,
    changedFiles,
    changedUnits,
  };
}

/** Whether nothing but possibly the name differs. */
export function isNoChange(change: ConfigChange): boolean {
  const { osImage, kernelArguments, fips, passwd, files, units, kernelType, extensions } = change;
  return !(osImage || kernelArguments || fips || passwd || files || units || kernelType || extensions);
}

/** Whether the next deployment changes: then the change needs a reboot. */
export function changesBoot(change: ConfigChange): boolean {
  const { osImage, kernelArguments, fips, kernelType, extensions } = change;
  return osImage || kernelArguments || fips || kernelType || extensions;
}

/** In the form of upstream's log. */
export function changeText(change: ConfigChange): string {
  const flags = [
    ['osUpdate', change.osImage],
    ['kargs', change.kernelArguments],
    ['fips', change.fips],
    ['passwd', change.passwd],
    ['files', change.files],
    ['units', change.units],
    ['kernelType', change.kernelType],
    ['extensions', change.extensions],
    ['oclEnabled', change.isLayered],
    ['revertFromOCL', change.leavesImageMode],
  ];
  return `&{${flags.map((flag) => flag.join(':')).join(' ')}}`;
}

/** Whole items are compared, so the same contents in another encoding count as changed. */
function changedItems(
  kind: ContributionKind,
  before: IgnitionConfig,
  after: IgnitionConfig,
): readonly string[] {
  const old = itemsOfKind(before, kind);
  const now = itemsOfKind(after, kind);
  const names = new Set([...old.keys(), ...now.keys()]);
  return [...names].filter((name) => !jsonEqual(old.get(name), now.get(name))).sort();
}

function asSet(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort();
}
