/**
 * The registry settings of the Image `cluster`: allowed, blocked and insecure registries, and search registries.
 */
import { type Image, image as imageKind } from '../../api/index.ts';
import { quoted } from '../../base/text/index.ts';
import { type Finding, type ObjectReference, referenceTo } from './finding.ts';
import type { SourceMirrors } from './mirror-sets.ts';
import { isMirror, isSource, isWithin, narrowest, repositoryOf, restWithin } from './scope.ts';

export type ImageSettings = {
  readonly insecure: readonly string[];
  /** For registries.conf: never contacted. */
  readonly blocked: readonly string[];
  /** For policy.json: images from there are rejected, whichever mirror serves them. */
  readonly rejected: readonly string[];
  /** For policy.json: only these are accepted. Empty where there is no such limit. */
  readonly allowed: readonly string[];
  readonly search: readonly string[];
  /** Whether the field is set, even to an empty list. */
  readonly hasInsecure: boolean;
  /** Whether the settings are valid. */
  readonly isUsable: boolean;
  readonly findings: readonly Finding[];
};

/** The settings of a cluster without an Image. */
const NONE: ImageSettings = {
  ...{ insecure: [], blocked: [], rejected: [], allowed: [], search: [] },
  ...{ hasInsecure: false, isUsable: true, findings: [] },
};

/** `payload` is the release image, if known: it must stay reachable. */
export function readImageSettings(
  image: Image | undefined,
  sources: readonly SourceMirrors[],
  payload: string | undefined,
): ImageSettings {
  const given = image?.spec.registrySources;
  if (image === undefined || given === undefined) return NONE;
  const about = referenceTo(imageKind, image.metadata);
  const protectedRepository = payload === undefined ? undefined : repositoryOf(payload);
  const findings: Finding[] = [];
  const valid = (what: string, names: readonly string[] = [], isValid = isSource) =>
    names.filter((name) => {
      const isFine = isValid(name);
      if (!isFine)
        findings.push(
          findingOn(about, `invalid entry for ${what} registries ${quoted(name)}; it is ignored`),
        );
      return isFine;
    });

  const insecure = valid('insecure', given.insecureRegistries);
  const asked = valid('blocked', given.blockedRegistries);
  const allowed = valid('allowed', given.allowedRegistries);
  const search = valid('search', given.containerRuntimeSearchRegistries, isMirror);
  const isOnlyPayload = allowed.length === 1 && allowed[0] === protectedRepository;
  const isUsable = asked.length === 0 || allowed.length === 0 || isOnlyPayload;
  if (!isUsable) {
    const text = 'invalid images config: only one of AllowedRegistries or BlockedRegistries may be specified';
    findings.push(findingOn(about, `${text}; until this is fixed, nodes keep their present registries`));
  }
  const sparing = sparingPayload(asked, sources, protectedRepository);
  for (const scope of sparing.skipped) {
    const text = `error adding [${quoted(scope)}] to blocked registries, cannot block the repository being used by the payload, skipping....`;
    findings.push(findingOn(about, text));
  }
  return {
    ...{ insecure, blocked: sparing.blocked, rejected: sparing.rejected, search },
    allowed: [...sparing.allowed, ...allowed],
    hasInsecure: given.insecureRegistries !== undefined,
    ...{ isUsable, findings },
  };
}

function findingOn(about: ObjectReference, message: string): Finding {
  return { about, reason: 'InvalidImageConfig', message };
}

type Sparing = {
  readonly blocked: readonly string[];
  readonly rejected: readonly string[];
  readonly allowed: readonly string[];
  readonly skipped: readonly string[];
};

/** The registry of the release image may be blocked only if a mirror of it remains, from which it is then pulled. */
function sparingPayload(
  asked: readonly string[],
  sources: readonly SourceMirrors[],
  payload: string | undefined,
): Sparing {
  if (payload === undefined) return { blocked: asked, rejected: asked, allowed: [], skipped: [] };
  const around = asked.filter((scope) => isWithin(payload, scope));
  const hasMirror = mirrorsOf(payload, sources).some(
    (mirror) => !asked.some((scope) => isWithin(mirror, scope)),
  );
  const skipped = hasMirror ? [] : around;
  const blocked = asked.filter((scope) => !skipped.includes(scope));
  const isMirrored = hasMirror && around.length > 0;
  return {
    blocked,
    rejected: blocked.filter((scope) => !(isMirrored && scope === payload)),
    allowed: isMirrored ? [payload] : [],
    skipped,
  };
}

/** The digest mirrors of its images. */
function mirrorsOf(repository: string, sources: readonly SourceMirrors[]): readonly string[] {
  const digests = sources.filter(({ use }) => use === 'digest-only');
  const found = narrowest(
    repository,
    digests.map(({ source, mirrors }) => ({ scope: source, mirrors })),
  );
  if (found === undefined) return [];
  const rest = restWithin(repository, found.scope);
  return found.mirrors.map((mirror) => `${mirror}${rest}`);
}
