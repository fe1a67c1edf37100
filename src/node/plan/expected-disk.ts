/**
 * What a config expects on the disk, as a list to compare with the machine.
 *
 * Contents are digests: the list of a large config is small, so the daemon can keep it. In the order of the check: files, then
 * for each unit its drop-ins, its own file and its enablement.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { isDaemonState } from '../../config/content/index.ts';
import { contentFacts, type File, type Unit, versionOf } from '../../config/ignition/index.ts';
import {
  CLOUD_CA,
  DEFAULT_MODE,
  dropinPath,
  INTERNAL_PULL_SECRET,
  KUBELET_CA,
  unitPath,
} from './node-paths.ts';
import type { NodeConfig } from './plan-types.ts';

export type Expectation =
  | {
      readonly kind: 'file';
      readonly path: string;
      readonly mode: number;
      readonly sizeBytes: number;
      readonly digest: string;
    }
  /** Missing or empty: a drop-in without contents. */
  | { readonly kind: 'emptiness'; readonly path: string }
  | { readonly kind: 'mask'; readonly path: string }
  | { readonly kind: 'enablement'; readonly unit: string; readonly isEnabled: boolean }
  /** A file that no node can write. */
  | { readonly kind: 'impossible'; readonly path: string; readonly why: string };

export type ExpectedDisk = {
  /** For messages: the image in image mode, else the config. */
  readonly name: string;
  /** Empty where the config has none. */
  readonly osImage: string;
  readonly kernelArguments: readonly string[];
  readonly items: readonly Expectation[];
};

export function expectedDisk(config: NodeConfig): ExpectedDisk {
  const { storage, systemd } = config.ignition;
  const version = versionOf(config.machineConfig.spec?.config);
  const checksEnablement = typeof version === 'string' || version.major >= 3;
  return {
    name: config.layeredImage ?? config.name,
    osImage: config.osImage,
    kernelArguments: config.kernelArguments,
    items: [
      ...(storage?.files ?? []).filter(({ path }) => !isOthers(path)).map(expectedFile),
      ...(systemd?.units ?? []).flatMap((unit) => expectedUnit(unit, checksEnablement)),
    ],
  };
}

/** What must be observed. One list for observation and check, so that they cannot disagree. */
type WhatToObserve = {
  /** Contents are read only where the size matches. */
  readonly paths: readonly { readonly path: string; readonly sizeBytes: number }[];
  readonly units: readonly string[];
};

export function whatToObserve({ items }: ExpectedDisk): WhatToObserve {
  const paths = new Map<string, number>();
  const units = new Set<string>();
  for (const item of items) {
    if (item.kind === 'enablement') units.add(item.unit);
    else if (item.kind !== 'impossible') paths.set(item.path, item.kind === 'file' ? item.sizeBytes : 0);
  }
  return {
    paths: [...paths].map(([path, sizeBytes]) => ({ path, sizeBytes })),
    units: [...units],
  };
}

/** They come with a config first and are updated by other means; the daemon's state may be in a config of an older version. */
function isOthers(path: string): boolean {
  return OTHERS_FILES.has(path) || isDaemonState(path);
}

const OTHERS_FILES: ReadonlySet<string> = new Set([KUBELET_CA, CLOUD_CA, INTERNAL_PULL_SECRET]);

function expectedFile({ path, append, contents, mode = DEFAULT_MODE }: File): Expectation {
  if (append !== undefined && append.length > 0) {
    return { kind: 'impossible', path, why: `ignition file ${path} includes append` };
  }
  const facts = contentFacts(contents);
  if (facts.kind === 'ok') {
    return { kind: 'file', path, mode, sizeBytes: facts.sizeBytes, digest: facts.digest };
  }
  const why = facts.problems.map(({ message }) => message).join(', ');
  return { kind: 'impossible', path, why: `contents of file ${path} cannot be read: ${why}` };
}

function expectedUnit(unit: Unit, checksEnablement: boolean): readonly Expectation[] {
  const path = unitPath(unit.name);
  const dropins = (unit.dropins ?? []).map(({ name, contents }): Expectation => {
    const place = dropinPath(unit.name, name);
    return contents ? textOf(place, contents) : { kind: 'emptiness', path: place };
  });
  // Without contents the unit is the OS's own, and may not exist.
  if (!unit.contents) return dropins;
  if (unit.mask === true) return [...dropins, { kind: 'mask', path }];
  const enablement: readonly Expectation[] =
    unit.enabled === undefined || !checksEnablement
      ? []
      : [{ kind: 'enablement', unit: unit.name, isEnabled: unit.enabled }];
  return [...dropins, textOf(path, unit.contents), ...enablement];
}

const utf8 = new TextEncoder();

function textOf(path: string, text: string): Expectation {
  const bytes = utf8.encode(text);
  const digest = bytesToHex(sha256(bytes));
  return { kind: 'file', path, mode: DEFAULT_MODE, sizeBytes: bytes.length, digest };
}
