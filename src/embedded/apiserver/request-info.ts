/**
 * What a request is about, read off its path and query: `/apis/GROUP/VERSION/namespaces/NS/RESOURCE/NAME/DOOR`, or a
 * path that leads to no resource.
 */
import { quoted } from '../../base/text/index.ts';
import { badRequest } from '../status/index.ts';
import { joinBytes } from './http/join-bytes.ts';

export type RequestInfo = ResourceInfo | { readonly kind: 'path'; readonly path: string };

export type ResourceInfo = {
  readonly kind: 'resource';
  readonly group: string;
  readonly version: string;
  /** Empty for all namespaces, and for what has none. */
  readonly namespace: string;
  /** The plural. */
  readonly resource: string;
  /** Empty for a collection. */
  readonly name: string;
  readonly subresource: string;
  /** What stands behind the door: `/proxy/some/path`. */
  readonly rest: readonly string[];
  /** The path began with `watch/`, as it did before there was a parameter for it. */
  readonly isOldWatch: boolean;
};

/**
 * Undefined where the path has escapes that stand for nothing. Escapes are undone before the path is taken apart, so that
 * a slash is a slash however it was written: no name holds one.
 */
export function requestInfo(escapedPath: string): RequestInfo | undefined {
  const path = unescaped(escapedPath);
  if (path === undefined) return undefined;
  const parts = path.split('/').slice(1);
  if (parts.at(-1) === '') parts.pop();
  const [prefix, ...rest] = parts;
  if (prefix === 'api' && rest.length >= 2) return resourceInfo('', rest[0] ?? '', rest.slice(1));
  if (prefix === 'apis' && rest.length >= 3) return resourceInfo(rest[0] ?? '', rest[1] ?? '', rest.slice(2));
  return { kind: 'path', path };
}

/** Of a namespace, and not of what lies in it. */
const DOORS_OF_NAMESPACES: ReadonlySet<string> = new Set(['status', 'finalize']);

function resourceInfo(group: string, version: string, parts: readonly string[]): ResourceInfo {
  const isOldWatch = parts[0] === 'watch' && parts.length > 1;
  const own = isOldWatch ? parts.slice(1) : parts;
  const isWithin =
    own[0] === 'namespaces' && own.length > 2 && !(group === '' && DOORS_OF_NAMESPACES.has(own[2] ?? ''));
  const [resource = '', name = '', subresource = '', ...rest] = isWithin ? own.slice(2) : own;
  // What is said of a namespace itself counts as being within it: rights there are given so.
  const namespace = isWithin || (own[0] === 'namespaces' && own.length > 1) ? (own[1] ?? '') : '';
  return { kind: 'resource', group, version, namespace, resource, name, subresource, rest, isOldWatch };
}

/** What is no UTF-8 becomes characters that no name has. */
function unescaped(path: string): string | undefined {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return /%(?![0-9a-fA-F]{2})/.test(path) ? undefined : unescapedBytes(path);
  }
}

function unescapedBytes(path: string): string {
  const pieces = path
    .split(/(%[0-9a-fA-F]{2})/)
    .map((part) =>
      part.startsWith('%')
        ? Uint8Array.of(Number.parseInt(part.slice(1), 16))
        : new TextEncoder().encode(part),
    );
  return new TextDecoder().decode(joinBytes(pieces));
}

/** Rejects names that would change the meaning of the path. */
export function checkPathName(name: string): void {
  const why = ['.', '..'].includes(name)
    ? `may not be '${name}'`
    : name.includes('%')
      ? "may not contain '%'"
      : undefined;
  if (why !== undefined) throw badRequest(`Name parameter invalid: ${quoted(name)}: ${why}`);
}
