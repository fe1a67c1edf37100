/**
 * registries.d: where signatures are looked up. Signatures of images are stored beside them in the registry, also in
 * mirrors.
 */
import { compareBytes } from '../../base/json.ts';
import { formatYaml } from '../../base/yaml/index.ts';
import type { RegistryEntry } from './registry-entries.ts';
import { isWithin, narrowest, repositoryOf, restWithin } from './scope.ts';

export function formatSigstoreRegistries(
  scopes: Iterable<string>,
  entries: readonly RegistryEntry[],
): string {
  const places = new Set<string>();
  for (const scope of scopes) {
    places.add(scope);
    for (const mirror of mirrorsOf(scope, entries)) places.add(mirror);
  }
  const attached = [...places]
    .sort(compareBytes)
    .map((place) => [place, { 'use-sigstore-attachments': true }] as const);
  return formatYaml({ docker: Object.fromEntries(attached) });
}

/** The mirrors of the entry that contains the scope, and of all entries within the scope. */
function mirrorsOf(scope: string, entries: readonly RegistryEntry[]): readonly string[] {
  const around = narrowest(repositoryOf(scope), entries);
  const inside = entries.filter((entry) => entry !== around && isWithin(entry.scope, scope));
  return [
    ...(around?.mirrors ?? []).map(
      ({ location }) => `${location}${restWithin(scope, around?.scope ?? scope)}`,
    ),
    ...inside.flatMap(({ mirrors }) => mirrors.map(({ location }) => location)),
  ];
}
