/**
 * Chooses the image of an index for a platform: the best match, the first of several equal ones.
 */
import type { Index, IndexEntry, Platform } from './manifest.ts';

/** The variants that an architecture can run, newest first. */
const VARIANTS: ReadonlyMap<string, readonly string[]> = new Map([
  ['arm', ['v8', 'v7', 'v6', 'v5']],
  ['arm64', ['v8']],
]);

export function choosePlatform(index: Index, wanted: Platform): IndexEntry | undefined {
  for (const variant of acceptableVariants(wanted)) {
    const found = index.manifests.find(
      ({ platform }) =>
        platform !== undefined &&
        platform.os === wanted.os &&
        platform.architecture === wanted.architecture &&
        (platform.variant ?? '') === variant,
    );
    if (found !== undefined) return found;
  }
  return undefined;
}

function acceptableVariants({ architecture, variant }: Platform): readonly string[] {
  const known = VARIANTS.get(architecture) ?? [];
  if (variant === undefined) return ['', ...known];
  const from = known.indexOf(variant);
  return [...(from < 0 ? [variant] : known.slice(from)), ''];
}
