/**
 * Mirror sets of all kinds combined: for every source its mirrors, in order, and whether the source itself may be
 * contacted; and the findings per set.
 *
 * An invalid entry affects its source alone. The source is then held: nodes keep their present configuration for it
 * (`held`) until the entry is fixed, and all other sources are updated.
 */
import {
  type ImageContentSourcePolicy,
  type ImageDigestMirrorSet,
  type ImageTagMirrorSet,
  imageContentSourcePolicy,
  imageDigestMirrorSet,
  imageTagMirrorSet,
} from '../../api/index.ts';
import { compareBytes } from '../../base/json.ts';
import { quoted } from '../../base/text/index.ts';
import { type Finding, type FindingReason, type ObjectReference, referenceTo } from './finding.ts';
import { orderMirrors } from './order-mirrors.ts';
import { isMirror, isSource } from './scope.ts';

export type MirrorObjects = {
  readonly digestMirrorSets: readonly ImageDigestMirrorSet[];
  readonly tagMirrorSets: readonly ImageTagMirrorSet[];
  readonly contentSourcePolicies: readonly ImageContentSourcePolicy[];
};

/** The kind of reference that a mirror serves. */
export type MirrorUse = 'digest-only' | 'tag-only';

export type SourceMirrors = {
  readonly source: string;
  readonly use: MirrorUse;
  readonly mirrors: readonly string[];
  /** The source itself is not contacted when the mirrors fail. */
  readonly isNeverContacted: boolean;
};

export type MirrorSets = {
  /** Digest mirrors first, then tag mirrors; each sorted by source. */
  readonly sources: readonly SourceMirrors[];
  /** Sources with an invalid or conflicting entry. */
  readonly held: ReadonlySet<string>;
  /** Whether there is any valid set, even an empty one. */
  readonly isAnyUsable: boolean;
  readonly findings: readonly Finding[];
};

export function readMirrorSets(objects: MirrorObjects): MirrorSets {
  const entries = mirrorEntries(objects);
  const checked = entries.map((entry) => ({ entry, fault: faultOf(entry) }));
  const named = checked.filter(({ fault }) => fault?.concerns !== 'entry');
  const conflicting = conflictingSources(named.map(({ entry }) => entry));
  const findings: Finding[] = [];
  const held = new Set<string>(conflicting);
  for (const { entry, fault } of checked) {
    if (fault !== undefined) findings.push(findingOn(entry, fault));
    if (fault?.concerns === 'source') held.add(entry.source);
    if (fault?.concerns !== 'entry' && conflicting.has(entry.source))
      findings.push(findingOn(entry, conflict(entry)));
  }
  const usable = named.map(({ entry }) => entry).filter(({ source }) => !held.has(source));
  return {
    sources: [...merged(usable, 'digest-only'), ...merged(usable, 'tag-only')],
    held,
    isAnyUsable: usable.length > 0 || hasEmptySet(objects),
    findings,
  };
}

function hasEmptySet({ digestMirrorSets, tagMirrorSets, contentSourcePolicies }: MirrorObjects): boolean {
  return (
    digestMirrorSets.some(({ spec }) => (spec.imageDigestMirrors ?? []).length === 0) ||
    tagMirrorSets.some(({ spec }) => (spec.imageTagMirrors ?? []).length === 0) ||
    contentSourcePolicies.some(({ spec }) => (spec.repositoryDigestMirrors ?? []).length === 0)
  );
}

type Entry = {
  readonly about: ObjectReference;
  readonly use: MirrorUse;
  readonly source: string;
  readonly mirrors: readonly string[];
  readonly isNeverContacted: boolean;
};

/** Of all sets, in their order: valid ones and others. */
export function mirrorEntries({
  digestMirrorSets,
  tagMirrorSets,
  contentSourcePolicies,
}: MirrorObjects): readonly Entry[] {
  const digests = digestMirrorSets.flatMap(({ metadata, spec }) =>
    (spec.imageDigestMirrors ?? []).map((given) =>
      entryOf(referenceTo(imageDigestMirrorSet, metadata), 'digest-only', given),
    ),
  );
  const older = contentSourcePolicies.flatMap(({ metadata, spec }) =>
    (spec.repositoryDigestMirrors ?? []).map((given) =>
      entryOf(referenceTo(imageContentSourcePolicy, metadata), 'digest-only', given),
    ),
  );
  const tags = tagMirrorSets.flatMap(({ metadata, spec }) =>
    (spec.imageTagMirrors ?? []).map((given) =>
      entryOf(referenceTo(imageTagMirrorSet, metadata), 'tag-only', given),
    ),
  );
  return [...digests, ...older, ...tags];
}

type Given = {
  readonly source: string;
  readonly mirrors?: readonly string[];
  readonly mirrorSourcePolicy?: string;
};

function entryOf(
  about: ObjectReference,
  use: MirrorUse,
  { source, mirrors = [], mirrorSourcePolicy }: Given,
): Entry {
  return { about, use, source, mirrors, isNeverContacted: mirrorSourcePolicy === 'NeverContactSource' };
}

type Fault = {
  readonly reason: FindingReason;
  readonly message: string;
  /** The scope of the finding: `entry` where the source is unknown, `nothing` for information only. */
  readonly concerns: 'source' | 'entry' | 'nothing';
};

function faultOf(entry: Entry): Fault | undefined {
  const { source, mirrors, isNeverContacted } = entry;
  const reason = 'InvalidMirrorSet';
  if (!isSource(source)) {
    return { reason, message: `invalid format for source ${quoted(source)}`, concerns: 'entry' };
  }
  const wrong = mirrors.find((mirror) => !isMirror(mirror));
  if (wrong !== undefined) {
    return { reason, message: `invalid format for mirror ${quoted(wrong)}`, concerns: 'source' };
  }
  if (!isNeverContacted) return undefined;
  if (mirrors.includes(source)) {
    const message = `cannot set mirrorSourcePolicy: NeverContactSource if the source ${quoted(source)} is one of the mirrors`;
    return { reason, message, concerns: 'source' };
  }
  if (hasRealMirror(entry)) return undefined;
  const message = `mirrorSourcePolicy: NeverContactSource has no effect for the source ${quoted(source)}, which has no mirrors: to keep nodes from it, name it in spec.registrySources.blockedRegistries of the Image cluster`;
  return { reason: 'UnusedMirrorSourcePolicy', message, concerns: 'nothing' };
}

function conflict({ source }: Entry): Fault {
  const message = `conflicting mirrorSourcePolicy is set for the same source ${quoted(source)} in imagedigestmirrorsets, imagetagmirrorsets, or imagecontentsourcepolicies`;
  return { reason: 'ConflictingMirrorSets', message, concerns: 'source' };
}

function findingOn({ about }: Entry, { reason, message, concerns }: Fault): Finding {
  switch (concerns) {
    case 'nothing':
      return { about, reason, message };
    case 'entry':
      return { about, reason, message: `${message}; the entry is ignored` };
    case 'source':
      return {
        about,
        reason,
        message: `${message}; until this is fixed, nodes keep their present configuration for this source`,
      };
  }
}

/** `mirrorSourcePolicy` must be the same in all entries of a source, for digests and tags. */
function conflictingSources(entries: readonly Entry[]): ReadonlySet<string> {
  const never = new Set(entries.filter((one) => one.isNeverContacted).map(({ source }) => source));
  const maybe = new Set(entries.filter((one) => !one.isNeverContacted).map(({ source }) => source));
  return new Set([...never].filter((source) => maybe.has(source)));
}

/** One per source, sorted by source. Entries without mirrors of their own are ignored, including their source policy. */
function merged(entries: readonly Entry[], use: MirrorUse): readonly SourceMirrors[] {
  const bySource = new Map<string, Entry[]>();
  for (const entry of entries) {
    if (entry.use !== use || !hasRealMirror(entry)) continue;
    bySource.set(entry.source, [...(bySource.get(entry.source) ?? []), entry]);
  }
  return [...bySource]
    .sort(([a], [b]) => compareBytes(a, b))
    .map(([source, sets]) => ({
      source,
      use,
      mirrors: orderMirrors(
        source,
        sets.map(({ mirrors }) => mirrors),
      ),
      isNeverContacted: sets.some((one) => one.isNeverContacted),
    }));
}

function hasRealMirror({ source, mirrors }: Entry): boolean {
  return mirrors.some((mirror) => mirror !== source);
}
