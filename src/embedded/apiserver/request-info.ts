/**
 * What a request is for, from its method, path and query, as kube-apiserver's RequestInfo. Authorization, flow control,
 * negotiation and dispatch all use the one verb that is computed here.
 */
import { quoted } from '../../base/text/index.ts';
import { parseFieldSelector } from '../../kubernetes/selectors/index.ts';
import type { Verb } from '../../kubernetes/types/index.ts';
import { badRequest } from '../status/index.ts';
import { nameInFieldSelector } from './field-selector.ts';
import type { Request } from './http/http.ts';
import { joinBytes } from './http/join-bytes.ts';
import type { Query } from './verbs/query-options.ts';

export type RequestInfo = ResourceInfo | NonResourceInfo;

export type ResourceInfo = ResourcePath & {
  readonly verb: Verb;
  /** The name in the path or, for lists and watches, the one that the field selector requires. */
  readonly targetName: string;
};

type NonResourceInfo = NonResourcePath & {
  /** The method in lower case. */
  readonly verb: string;
};

/** `/apis/GROUP/VERSION/namespaces/NAMESPACE/RESOURCE/NAME/SUBRESOURCE`. */
type ResourcePath = {
  readonly kind: 'resource';
  readonly group: string;
  readonly version: string;
  /** Empty for all namespaces and for cluster-scoped resources. */
  readonly namespace: string;
  /** The plural. */
  readonly resource: string;
  /** Empty for a collection. */
  readonly name: string;
  readonly subresource: string;
  /** The path behind the subresource: `/proxy/some/path`. */
  readonly rest: readonly string[];
  /** The path begins with `watch/`, the deprecated form of the parameter. */
  readonly isOldWatch: boolean;
};

type NonResourcePath = { readonly kind: 'path'; readonly path: string };

/** Undefined if the path has invalid escapes. */
export function requestInfo(
  { method, path }: Pick<Request, 'method' | 'path'>,
  query: Query,
): RequestInfo | undefined {
  const parsed = parsePath(path);
  if (parsed === undefined) return undefined;
  if (parsed.kind === 'path') return { ...parsed, verb: method.toLowerCase() };
  const verb = verbOf(method, parsed, query);
  const isCollection = parsed.name === '' && (verb === 'list' || verb === 'watch');
  return { ...parsed, verb, targetName: isCollection ? selectedName(query) : parsed.name };
}

/** Methods without a verb of their own, such as HEAD, count as GET. */
function verbOf(method: string, { name, isOldWatch }: ResourcePath, query: Query): Verb {
  switch (method) {
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return name === '' ? 'deletecollection' : 'delete';
    default:
      if (isOldWatch || (name === '' && query.flag('watch'))) return 'watch';
      return name === '' ? 'list' : 'get';
  }
}

/** The `metadata.name` that a field selector requires; empty if it requires none. */
export function selectedName(query: Query): string {
  const selector = parseFieldSelector(query.text('fieldSelector'));
  return selector.kind === 'invalid' ? '' : (nameInFieldSelector(selector.value) ?? '');
}

/** Escapes are decoded before the path is split, so an escaped slash separates too: no name contains one. */
function parsePath(escapedPath: string): ResourcePath | NonResourcePath | undefined {
  const path = unescaped(escapedPath);
  if (path === undefined) return undefined;
  const parts = path.split('/').slice(1);
  if (parts.at(-1) === '') parts.pop();
  const [prefix, ...rest] = parts;
  if (prefix === 'api' && rest.length >= 2) return resourcePath('', rest[0] ?? '', rest.slice(1));
  if (prefix === 'apis' && rest.length >= 3) return resourcePath(rest[0] ?? '', rest[1] ?? '', rest.slice(2));
  return { kind: 'path', path };
}

const NAMESPACE_SUBRESOURCES: ReadonlySet<string> = new Set(['status', 'finalize']);

function resourcePath(group: string, version: string, parts: readonly string[]): ResourcePath {
  const isOldWatch = parts[0] === 'watch' && parts.length > 1;
  const own = isOldWatch ? parts.slice(1) : parts;
  const isWithin =
    own[0] === 'namespaces' && own.length > 2 && !(group === '' && NAMESPACE_SUBRESOURCES.has(own[2] ?? ''));
  const [resource = '', name = '', subresource = '', ...rest] = isWithin ? own.slice(2) : own;
  // A request for a namespace itself counts as within it: RoleBindings grant access to it so.
  const namespace = isWithin || (own[0] === 'namespaces' && own.length > 1) ? (own[1] ?? '') : '';
  return { kind: 'resource', group, version, namespace, resource, name, subresource, rest, isOldWatch };
}

/** Invalid UTF-8 becomes replacement characters, which no name contains. */
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
