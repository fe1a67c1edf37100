/**
 * Routing of registry paths.
 */
import { isRepositoryName } from '../../images/index.ts';

export type Route =
  | { readonly kind: 'base' }
  | { readonly kind: 'catalog' }
  | { readonly kind: 'tags'; readonly name: string }
  | { readonly kind: 'manifest'; readonly name: string; readonly reference: string }
  | { readonly kind: 'blob'; readonly name: string; readonly digest: string }
  | { readonly kind: 'uploads'; readonly name: string }
  | { readonly kind: 'upload'; readonly name: string; readonly id: string }
  | { readonly kind: 'referrers'; readonly name: string; readonly digest: string }
  | { readonly kind: 'badName'; readonly name: string }
  | { readonly kind: 'moved' }
  | { readonly kind: 'none' };

const MAX_PATH_LENGTH = 2_048;
const WITHIN_REPOSITORY =
  /^\/v2\/(.+)\/(tags\/list|(?:manifests|referrers|blobs)\/[^/]+|blobs\/uploads\/[^/]*)$/;

/** `path` is still escaped. */
export function routeOf(escapedPath: string): Route {
  if (escapedPath.length > MAX_PATH_LENGTH) return { kind: 'none' };
  const path = unescaped(escapedPath);
  if (path === '/v2') return { kind: 'moved' };
  if (path === '/v2/') return { kind: 'base' };
  if (path === '/v2/_catalog') return { kind: 'catalog' };
  const [, name, what] = WITHIN_REPOSITORY.exec(path) ?? [];
  if (name === undefined || what === undefined) return { kind: 'none' };
  if (!isRepositoryName(name)) return { kind: 'badName', name };
  const slash = what.lastIndexOf('/');
  const last = what.slice(slash + 1);
  switch (what.slice(0, slash)) {
    case 'tags':
      return { kind: 'tags', name };
    case 'manifests':
      return { kind: 'manifest', name, reference: last };
    case 'referrers':
      return { kind: 'referrers', name, digest: last };
    case 'blobs/uploads':
      return last === '' ? { kind: 'uploads', name } : { kind: 'upload', name, id: last };
    default:
      // The trailing slash is optional: no digest has this name.
      return last === 'uploads' ? { kind: 'uploads', name } : { kind: 'blob', name, digest: last };
  }
}

/** Undefined if malformed. */
function unescaped(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return '';
  }
}
