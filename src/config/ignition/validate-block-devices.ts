/**
 * Validation of disks, RAID arrays, file systems and LUKS volumes.
 */
import { byteLength, parseJson } from '../../base/json.ts';
import { schemeOf } from '../../base/text/index.ts';
import type { Disk, Filesystem, Luks, Partition, Raid, Storage } from './config.ts';
import { fail, type Report, warn } from './report.ts';
import { pathProblem } from './validate-nodes.ts';
import { resourceProblems } from './validate-resource.ts';

export function validateBlockDevices(storage: Storage, report: Report): void {
  storage.disks?.forEach((disk, index) => {
    validateDisk(disk, `storage.disks[${index}]`, report);
  });
  storage.raid?.forEach((raid, index) => {
    const path = `storage.raid[${index}]`;
    fail(report, `${path}.level`, raidLevelProblem(raid));
    if (raid.devices === undefined) fail(report, `${path}.devices`, 'raid devices required');
    raid.devices?.forEach((device, position) => {
      fail(report, `${path}.devices[${position}]`, pathProblem(device));
    });
  });
  storage.filesystems?.forEach((filesystem, index) => {
    const path = `storage.filesystems[${index}]`;
    if (filesystem.path) fail(report, `${path}.path`, pathProblem(filesystem.path));
    fail(report, `${path}.device`, pathProblem(filesystem.device));
    fail(report, `${path}.format`, formatProblemOf(filesystem));
    fail(report, `${path}.label`, filesystemLabelProblem(filesystem));
    const disk = storage.disks?.find((candidate) => candidate.device === filesystem.device);
    warn(report, `${path}.device`, overwriteWarning(filesystem, disk));
  });
  storage.luks?.forEach((luks, index) => {
    validateLuks(luks, `storage.luks[${index}]`, report);
  });
}

function validateDisk(disk: Disk, path: string, report: Report): void {
  if (disk.device === '') {
    fail(report, `${path}.device`, 'disk device is required');
    return;
  }
  fail(report, `${path}.device`, pathProblem(disk.device));
  const partitions = disk.partitions ?? [];
  partitions.forEach((partition, index) => {
    validatePartition(partition, `${path}.partitions[${index}]`, report);
  });
  const numbers = partitions.map(({ number }) => (number === 0 ? undefined : number));
  reportFirst(repeatedIn(numbers), `${path}.partitions`, 'partition numbers collide', report);
  reportFirst(overlappingIn(partitions), `${path}.partitions`, 'partitions overlap', report);
  if (partitions.some((one) => one.shouldExist === false) && partitions.some((one) => !one.number)) {
    const text = 'shouldExist is false for a partition and other partition(s) has start or size 0';
    fail(report, `${path}.partitions`, text);
  }
  const labels = partitions.map(({ label }) => label);
  reportFirst(repeatedIn(labels), `${path}.partitions`, 'cannot use the same partition label twice', report);
}

function reportFirst(index: number | undefined, path: string, message: string, report: Report): void {
  if (index !== undefined) fail(report, `${path}[${index}]`, message);
}

function repeatedIn(values: readonly (string | number | undefined)[]): number | undefined {
  const seen = new Set<string | number>();
  for (const [index, value] of values.entries()) {
    if (value === undefined) continue;
    if (seen.has(value)) return index;
    seen.add(value);
  }
  return undefined;
}

/** Only partitions with a place of their own can be judged: a start of 0 means "wherever there is room". */
function overlappingIn(partitions: readonly Partition[]): number | undefined {
  const placed = partitions.flatMap(({ startMiB, sizeMiB }, index) => {
    if (startMiB === undefined || startMiB === 0 || sizeMiB === undefined) return [];
    return [{ index, start: startMiB, end: sizeMiB === 0 ? startMiB : startMiB + sizeMiB - 1 }];
  });
  return placed.length > MAX_COMPARED ? sweptOverlap(placed) : firstOverlapped(placed);
}

/** Comparing each with each takes the square of their number; no disk has more partitions than this. */
const MAX_COMPARED = 1000;

/** A partition of a negative size ends before it starts. */
type Placed = { readonly index: number; readonly start: number; readonly end: number };

/** Of the first partition that overlaps another one, Ignition names that other one. */
function firstOverlapped(placed: readonly Placed[]): number | undefined {
  for (const one of placed) {
    const other = placed.find((candidate) => candidate.index !== one.index && overlaps(one, candidate));
    if (other !== undefined) return other.index;
  }
  return undefined;
}

/** As Ignition puts it, which is not the same in both directions where sizes are negative. */
function overlaps(one: Placed, other: Placed): boolean {
  const isWithin = (place: number) => place >= other.start && place <= other.end;
  return isWithin(one.start) || isWithin(one.end) || (one.start < other.start && one.end > other.end);
}

/** Sorted by their beginning, an overlap of any two shows as an overlap of one with the furthest end before it. */
function sweptOverlap(placed: readonly Placed[]): number | undefined {
  const spans = placed.map(({ index, start, end }) => ({
    index,
    from: Math.min(start, end),
    to: Math.max(start, end),
  }));
  let furthest = Number.NEGATIVE_INFINITY;
  for (const { index, from, to } of spans.toSorted((a, b) => a.from - b.from || a.index - b.index)) {
    if (from <= furthest) return index;
    furthest = Math.max(furthest, to);
  }
  return undefined;
}

const GUID = /^(|[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$/;

function validatePartition(partition: Partition, path: string, report: Report): void {
  const { label, guid, typeGuid, startMiB, sizeMiB } = partition;
  if (partition.shouldExist === false) {
    if (label !== undefined || typeGuid || guid || startMiB !== undefined || sizeMiB !== undefined) {
      fail(report, path, 'shouldExist specified false with other options also specified');
    }
  }
  if (!partition.number && label === undefined) {
    fail(report, path, 'a partition number >= 1 or a label must be specified');
  }
  if (label !== undefined && byteLength(label) > 36) {
    fail(report, `${path}.label`, 'partition labels may not exceed 36 characters');
  } else if (label?.includes(':')) {
    fail(report, `${path}.label`, 'partition label will be truncated to text before the colon');
  }
  for (const [name, value] of Object.entries({ guid, typeGuid })) {
    if (value !== undefined && !GUID.test(value)) {
      fail(report, `${path}.${name}`, `doesn't match the form "01234567-89AB-CDEF-EDCB-A98765432101"`);
    }
  }
}

const PLAIN_LEVELS = new Set(['linear', 'raid0', '0', 'stripe']);
const SPARE_LEVELS = new Set([
  'raid1',
  '1',
  'mirror',
  'raid4',
  '4',
  'raid5',
  '5',
  'raid6',
  '6',
  'raid10',
  '10',
]);

function raidLevelProblem({ level, spares }: Raid): string | undefined {
  if (!level) return 'raid level is required';
  if (PLAIN_LEVELS.has(level)) return spares ? 'spares unsupported for linear and raid0 arrays' : undefined;
  return SPARE_LEVELS.has(level) ? undefined : 'unrecognized raid level';
}

const FORMATS = new Set(['ext4', 'btrfs', 'xfs', 'swap', 'vfat', 'none']);
const LABEL_LIMITS: { readonly [format: string]: number } = {
  ext4: 16,
  btrfs: 256,
  xfs: 12,
  swap: 15,
  vfat: 11,
};

function formatProblemOf(filesystem: Filesystem): string | undefined {
  const { format, path, label, uuid, wipeFilesystem, options, mountOptions } = filesystem;
  if (format) return FORMATS.has(format) ? undefined : 'invalid filesystem format';
  const needsFormat = path || label || uuid || wipeFilesystem || options || mountOptions;
  return needsFormat
    ? 'format cannot be empty when path, label, uuid, wipeFilesystem, options, or mountOptions is specified'
    : undefined;
}

function filesystemLabelProblem({ format, label }: Filesystem): string | undefined {
  if (!label) return undefined;
  if (!format) return 'filesystem must specify format if label is specified';
  const limit = Object.hasOwn(LABEL_LIMITS, format) ? LABEL_LIMITS[format] : undefined;
  if (limit === undefined || byteLength(label) <= limit) return undefined;
  return `filesystem labels cannot be longer than ${limit} characters when using ${format}`;
}

function overwriteWarning(filesystem: Filesystem, disk: Disk | undefined): string | undefined {
  if (disk === undefined || !filesystem.format || filesystem.format === 'none') return undefined;
  if (disk.partitions !== undefined) return 'filesystem overwrites partitioned device';
  if (disk.wipeTable !== true || filesystem.wipeFilesystem === true) return undefined;
  return 'device matches disk with wipeTable enabled; filesystem will be wiped';
}

const PINS = new Set(['tpm2', 'tang', 'sss']);

function validateLuks(luks: Luks, path: string, report: Report): void {
  const { clevis, cex, keyFile } = luks;
  if (luks.name.includes('/')) fail(report, `${path}.name`, 'device names cannot contain slashes');
  if (luks.label && byteLength(luks.label) > 47) {
    fail(report, `${path}.label`, 'luks device labels cannot be longer than 47 characters');
  }
  fail(report, `${path}.device`, luks.device ? pathProblem(luks.device) : 'disk device is required');
  if (keyFile !== undefined) resourceProblems(keyFile, `${path}.keyFile`, report);
  const hasOtherPins = clevis?.tang !== undefined || clevis?.tpm2 === true || !!clevis?.threshold;
  if (clevis?.custom?.pin && hasOtherPins) {
    fail(report, `${path}.clevis`, 'cannot use custom clevis config with tpm2, tang, or threshold');
  }
  if (cex?.enabled === true && (clevis?.custom?.pin || hasOtherPins)) {
    fail(report, `${path}.cex`, 'cannot use cex with clevis');
  }
  if (cex?.enabled === true && keyFile?.source) fail(report, `${path}.cex`, 'cannot use key file with cex');
  if (clevis?.custom !== undefined) validateCustomPin(clevis.custom, `${path}.clevis.custom`, report);
  clevis?.tang?.forEach((tang, index) => {
    const tangPath = `${path}.clevis.tang[${index}]`;
    fail(report, `${tangPath}.url`, tangUrlProblem(tang.url));
    if (!tang.thumbprint) fail(report, `${tangPath}.thumbprint`, 'thumbprint is required');
    if (tang.advertisement && parseJson(tang.advertisement) === undefined) {
      fail(report, `${tangPath}.advertisement`, 'advertisement is not valid JSON');
    }
  });
}

function tangUrlProblem(url: string): string | undefined {
  const scheme = schemeOf(url);
  if (scheme === undefined) return 'unable to parse url';
  return scheme === 'http' || scheme === 'https' ? undefined : 'invalid url scheme';
}

type CustomPin = NonNullable<NonNullable<Luks['clevis']>['custom']>;

function validateCustomPin(custom: CustomPin, path: string, report: Report): void {
  if (!custom.pin && !custom.config && custom.needsNetwork !== true) return;
  if (!custom.pin) fail(report, `${path}.pin`, 'missing required custom clevis pin');
  else if (!PINS.has(custom.pin)) fail(report, `${path}.pin`, 'unsupported clevis pin');
  if (!custom.config) fail(report, `${path}.config`, 'missing required custom clevis config');
}
