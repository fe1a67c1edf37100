/**
 * Scopes: sets of images by name. A registry, a repository or a prefix of its path (`quay.io/team`), or every host
 * below a domain (`*.example.com`).
 *
 * Readers of registries.conf use only the narrowest matching entry. So containment matters: settings of a wider scope
 * must be repeated for the narrower one.
 */
import { MIRROR_PATTERN, SOURCE_PATTERN } from '../../api/index.ts';
import { compareBytes } from '../../base/json.ts';
import { compileRegex, isFound } from '../../base/text/index.ts';

/** Whether all images of the inner scope belong to the outer one. Every scope contains itself. */
export function isWithin(scope: string, outer: string): boolean {
  if (scope === outer || scope.startsWith(`${outer}/`)) return true;
  return isWildcard(outer) && hostOf(scope).endsWith(outer.slice(1));
}

export function isWildcard(scope: string): boolean {
  return scope.startsWith('*.');
}

/** The suffix that maps a mirror of the outer scope to a mirror of the inner one: `/app`, or nothing. */
export function restWithin(scope: string, outer: string): string {
  if (!isWildcard(outer)) return scope.slice(outer.length);
  const slash = scope.indexOf('/');
  return slash < 0 ? '' : scope.slice(slash);
}

/** The narrowest scope that contains it; of two with the same length the one without a wildcard. */
export function narrowest<T extends { readonly scope: string }>(
  scope: string,
  among: Iterable<T>,
): T | undefined {
  let found: T | undefined;
  for (const one of among) {
    if (!isWithin(scope, one.scope)) continue;
    if (found === undefined || isNarrower(one.scope, found.scope)) found = one;
  }
  return found;
}

function isNarrower(scope: string, other: string): boolean {
  if (scope.length !== other.length) return scope.length > other.length;
  if (isWildcard(scope) !== isWildcard(other)) return isWildcard(other);
  return compareBytes(scope, other) < 0;
}

/** The repository of an image. A registry keeps its port. */
export function repositoryOf(image: string): string {
  const [named = ''] = image.split('@', 1);
  const slash = named.lastIndexOf('/');
  const colon = slash < 0 ? -1 : named.indexOf(':', slash);
  return colon < 0 ? named : named.slice(0, colon);
}

function hostOf(scope: string): string {
  const [host = ''] = scope.split('/', 1);
  const colon = host.indexOf(':');
  return colon < 0 ? host : host.slice(0, colon);
}

/** A valid mirror source, also for registry settings. */
export function isSource(text: string): boolean {
  return matches(SOURCE_PATTERN, text);
}

/** A valid mirror: no wildcards. */
export function isMirror(text: string): boolean {
  return matches(MIRROR_PATTERN, text);
}

function matches(pattern: string, text: string): boolean {
  const regex = compileRegex(pattern);
  return regex.kind === 'regex' && isFound(regex, text);
}
