/**
 * The entries of registries.conf: for every configured scope its mirrors, and whether it is blocked or insecure.
 *
 * Readers use only the narrowest matching entry, so the settings of a wider scope are repeated in each entry within
 * it.
 */
import type { MirrorUse, SourceMirrors } from './mirror-sets.ts';
import type { Registry } from './registries-conf.ts';
import { isWildcard, isWithin, narrowest, restWithin } from './scope.ts';

export type RegistryEntry = {
  readonly scope: string;
  readonly isInsecure: boolean;
  readonly isBlocked: boolean;
  readonly mirrors: readonly RegistryMirror[];
};

export type RegistryMirror = {
  readonly location: string;
  readonly isInsecure: boolean;
  readonly use: MirrorUse;
};

/** The entry in registries.conf. A wildcard is only ever a prefix: images keep the host of their name. */
export function registryOf({ scope, isInsecure, isBlocked, mirrors }: RegistryEntry): Registry {
  return {
    prefix: isWildcard(scope) ? scope : '',
    location: isWildcard(scope) ? '' : scope,
    insecure: isInsecure,
    blocked: isBlocked,
    pullFromMirror: '',
    mirrorByDigestOnly: false,
    mirrors: mirrors.map((mirror) => ({
      location: mirror.location,
      insecure: mirror.isInsecure,
      pullFromMirror: mirror.use,
    })),
  };
}

/** Reads an entry back from registries.conf, as far as `registryOf` writes it. */
export function entryOf({ prefix, location, insecure, blocked, mirrors }: Registry): RegistryEntry {
  return {
    scope: prefix || location,
    isInsecure: insecure,
    isBlocked: blocked,
    mirrors: mirrors.map((mirror) => ({
      location: mirror.location,
      isInsecure: mirror.insecure,
      use: mirror.pullFromMirror === 'tag-only' ? 'tag-only' : 'digest-only',
    })),
  };
}

type EntryInput = {
  readonly sources: readonly SourceMirrors[];
  readonly blocked: readonly string[];
  readonly insecure: readonly string[];
};

/** In order of first appearance: sources, blocked, insecure. */
export function registryEntries({ sources, blocked, insecure }: EntryInput): readonly RegistryEntry[] {
  const own = new Map<string, Own>();
  for (const one of sources) own.set(one.source, withMirrors(own.get(one.source), one));
  for (const scope of [...blocked, ...insecure]) if (!own.has(scope)) own.set(scope, { ...NOTHING, scope });

  const mirrored = [...own.values()].filter(({ mirrors }) => mirrors.length > 0);
  const isIn = (scope: string, scopes: readonly string[]) => scopes.some((one) => isWithin(scope, one));
  return [...own.values()].map((entry) => {
    const { scope, mirrors, isNeverContacted } =
      entry.mirrors.length > 0 ? entry : inherited(entry, mirrored);
    return {
      scope,
      isInsecure: isIn(scope, insecure),
      isBlocked: isNeverContacted || isIn(scope, blocked),
      mirrors: mirrors.map((mirror) => ({ ...mirror, isInsecure: isIn(mirror.location, insecure) })),
    };
  });
}

type Own = {
  readonly scope: string;
  readonly mirrors: readonly Pick<RegistryMirror, 'location' | 'use'>[];
  readonly isNeverContacted: boolean;
};

const NOTHING: Omit<Own, 'scope'> = { mirrors: [], isNeverContacted: false };

function withMirrors(known: Own | undefined, { source, use, mirrors, isNeverContacted }: SourceMirrors): Own {
  const before = known ?? { ...NOTHING, scope: source };
  return {
    scope: source,
    mirrors: [...before.mirrors, ...mirrors.map((location) => ({ location, use }))],
    isNeverContacted: before.isNeverContacted || isNeverContacted,
  };
}

/** An entry that exists for another reason must keep the mirrors that its images would have had without it. */
function inherited(entry: Own, mirrored: readonly Own[]): Own {
  const parent = narrowest(entry.scope, mirrored);
  if (parent === undefined) return entry;
  const rest = restWithin(entry.scope, parent.scope);
  const mirrors = parent.mirrors.map(({ location, use }) => ({ location: `${location}${rest}`, use }));
  return { scope: entry.scope, mirrors, isNeverContacted: parent.isNeverContacted };
}
