/**
 * The record of the images that a build pushed: the ConfigMap `digest-<build>`.
 *
 *     data:
 *       repository: quay.io/example/os
 *       digest: sha256:…            written by the pod, once the image is pushed
 *       former: sha256:… sha256:…   of earlier builds with the same name, which nodes may still run, and of pods that died
 *                                   before they could report what they had pushed
 *       attempts: "1"               how many failed pods of the Job were looked after in this way
 *
 * It is created before the Job and owned by nothing, so that no image is forgotten: it outlives the build, with a copy of the
 * push credentials (which it owns), until the last node has left its images. Then the images are deleted from the registry,
 * and it is deleted.
 */
import type { ConfigMap } from '../../kubernetes/types/index.ts';

export type ImageRecord = {
  readonly repository: string;
  readonly digest: string | undefined;
  readonly former: readonly string[];
};

export function readImageRecord({ data }: Pick<ConfigMap, 'data'>): ImageRecord {
  const digest = data?.digest?.trim() ?? '';
  const former = (data?.former ?? '').split(/\s+/).filter(isDigestText);
  return { repository: data?.repository ?? '', digest: digest === '' ? undefined : digest, former };
}

/** How many failed pods of the Job were looked after. */
export function readAttempts({ data }: Pick<ConfigMap, 'data'>): number {
  const text = data?.attempts ?? '';
  return /^\d{1,6}$/.test(text) ? Number(text) : 0;
}

/** After a pod has failed: it may have pushed what has the tag of the build now. */
export function recordAfterAttempt(record: ImageRecord, tagged: string | undefined): ImageRecord {
  const former = new Set([...record.former, ...(tagged === undefined ? [] : [tagged])]);
  return { ...record, former: [...former].slice(-MAX_FORMER) };
}

/** For the next build with the same name: the digest of the last one becomes a former one. `tagged`: what has its tag now. */
export function recordForNextBuild(
  { repository, digest, former }: ImageRecord,
  tagged?: string,
): ImageRecord {
  const known = [...former, digest, tagged].filter((one) => one !== undefined);
  return { repository, digest: undefined, former: [...new Set(known)].slice(-MAX_FORMER) };
}

/** For a merge patch: null removes. */
export function recordData({ repository, digest, former }: ImageRecord): {
  readonly [key: string]: string | null;
} {
  return { repository, digest: digest ?? null, former: former.length === 0 ? null : former.join(' ') };
}

/** A build that is repeated more often while nodes hold on to older images would be strange. */
const MAX_FORMER = 20;

type RecordDecision = {
  /** Images by digest, to be deleted from the registry. */
  readonly unused: readonly string[];
  /** What is left; undefined where the record is no longer needed. */
  readonly rest: ImageRecord | undefined;
};

type RecordUse = {
  /** Without a build nothing will be added any more. */
  readonly hasBuild: boolean;
  /** While its Job runs, what has the tag may be the image that the next pod is about to report. */
  readonly isBuilding: boolean;
  /** By a node, a build or a MachineOSConfig. */
  readonly isUsed: (image: string) => boolean;
};

export function decideRecord(
  record: ImageRecord,
  { hasBuild, isBuilding, isUsed }: RecordUse,
): RecordDecision {
  const { repository, digest, former } = record;
  const imageOf = (one: string) => `${repository}@${one}`;
  const unusedFormer = former.filter((one) => !isBuilding && one !== digest && !isUsed(imageOf(one)));
  const isDigestUnused = digest !== undefined && !hasBuild && !isUsed(imageOf(digest));
  const restFormer = former.filter((one) => !unusedFormer.includes(one));
  const restDigest = isDigestUnused ? undefined : digest;
  const isEmpty = !hasBuild && restDigest === undefined && restFormer.length === 0;
  return {
    unused: [...unusedFormer, ...(isDigestUnused && digest !== undefined ? [digest] : [])].map(imageOf),
    rest: isEmpty ? undefined : { repository, digest: restDigest, former: restFormer },
  };
}

function isDigestText(text: string): boolean {
  return /^sha256:[0-9a-f]{64}$/.test(text);
}
