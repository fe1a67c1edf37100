/**
 * What is pulled, and which sets cannot be complete: their images cannot be inspected, or there is no space for them.
 *
 * Sets are considered in their order: one that does not fit keeps no later, smaller one from being pulled. The space is counted
 * over all of them, since they end up on one disk; a layer that several images have is counted once. It is twice what is
 * downloaded, as layers are unpacked.
 */
import { quoted } from '../../base/text/index.ts';
import type { WantedSet } from './wanted-sets.ts';

/** Of the status, and where the registry or the runtime gave an answer of its own, for the log and the event. */
export type SetFailure = { readonly error: string; readonly detail?: string };

type ImageLayer = { readonly digest: string; readonly sizeBytes: number };
export type Inspection =
  | { readonly kind: 'layers'; readonly layers: readonly ImageLayer[] }
  | { readonly kind: 'failed'; readonly failure: SetFailure };

type PullFacts = {
  readonly nodeName: string;
  readonly sets: readonly WantedSet[];
  readonly present: ReadonlySet<string>;
  /** Of the missing images. */
  readonly inspections: ReadonlyMap<string, Inspection>;
  /** Of the file system of the images, or what the kubelet reports as allocatable. */
  readonly freeBytes: number | undefined;
};

type PullPlan = {
  /** In the order in which sets name them. */
  readonly pulls: readonly string[];
  /** By the name of the set. */
  readonly failures: ReadonlyMap<string, SetFailure>;
};

/** What is left to pods and their logs, as upstream. */
const RESERVED_BYTES = 16 * 1024 ** 3;
/** Downloaded, and unpacked. */
const UNPACKED_FACTOR = 2;

export function planPulls({ nodeName, sets, present, inspections, freeBytes }: PullFacts): PullPlan {
  const pulls = new Set<string>();
  const failures = new Map<string, SetFailure>();
  const counted = new Set<string>();
  let needed = 0;
  for (const set of sets) {
    const missing = set.images.filter((image) => !present.has(image));
    if (missing.length === 0) continue;
    const found = missing.map((image) => inspections.get(image));
    const failed = found.find((one) => one?.kind === 'failed');
    if (failed?.kind === 'failed') {
      failures.set(set.name, failed.failure);
      continue;
    }
    const layers = new Map(
      found.flatMap((one) =>
        one?.kind === 'layers' ? one.layers.map(({ digest, sizeBytes }) => [digest, sizeBytes] as const) : [],
      ),
    );
    const added = [...layers].filter(([digest]) => !counted.has(digest));
    const more = UNPACKED_FACTOR * added.reduce((sum, [, size]) => sum + size, 0);
    const error = spaceProblem({ nodeName, freeBytes, needed: needed + more });
    if (error !== undefined) {
      failures.set(set.name, { error });
      continue;
    }
    needed += more;
    for (const [digest] of added) counted.add(digest);
    for (const image of missing) pulls.add(image);
  }
  return { pulls: [...pulls], failures };
}

type Space = {
  readonly nodeName: string;
  readonly freeBytes: number | undefined;
  readonly needed: number;
};

/** In upstream's words. */
function spaceProblem({ nodeName, freeBytes, needed }: Space): string | undefined {
  if (freeBytes === undefined) return `node ${quoted(nodeName)} has no ephemeral storage capacity`;
  if (freeBytes < RESERVED_BYTES) {
    return `${INSUFFICIENT} capacity: ${binaryQuantity(freeBytes)}, required: ${binaryQuantity(RESERVED_BYTES)}`;
  }
  return needed >= freeBytes - RESERVED_BYTES ? INSUFFICIENT : undefined;
}

const INSUFFICIENT = 'storage available is less than minimum required';
const UNITS = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi'];

/** As Kubernetes prints it: with the largest unit of which it is a whole number. */
function binaryQuantity(bytes: number): string {
  let value = Math.floor(bytes);
  let unit = '';
  for (const larger of UNITS) {
    if (value === 0 || value % 1024 !== 0) break;
    value /= 1024;
    unit = larger;
  }
  return `${value}${unit}`;
}

/** Upstream's text for whatever keeps podman from reading a manifest: the status has no more, the log and the event have it. */
export function inspectFailure(image: string, detail: string): SetFailure {
  return { error: `failed to execute podman manifest inspect for ${quoted(image)}: exit status 125`, detail };
}

type FailedPull = {
  readonly tries: number;
  readonly error: string;
  /** Another attempt would have helped no more. */
  readonly isFinal: boolean;
};

export function pullFailure(image: string, { tries, error, isFinal }: FailedPull): SetFailure {
  const waited = isFinal ? '' : 'timed out waiting for the condition: ';
  return { error: `failed to pull image ${quoted(image)} (${tries} tries): ${waited}${error}` };
}
