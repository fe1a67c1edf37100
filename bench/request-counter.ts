/**
 * Counts the requests of a process by what they do: `patch nodes`, `list pods`, `watch pods`.
 */
import type { Transport, TransportRequest } from '../src/kubernetes/client/index.ts';

export type RequestCounts = { readonly [what: string]: number };

export class RequestCounter {
  readonly #counts = new Map<string, number>();

  wrap(transport: Transport): Transport {
    return {
      send: (request) => {
        const what = requestName(request);
        this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
        return transport.send(request);
      },
    };
  }

  counts(): RequestCounts {
    return Object.fromEntries(this.#counts);
  }
}

/** What was counted between two looks. */
export function counted(before: RequestCounts, after: RequestCounts): RequestCounts {
  return Object.fromEntries(
    Object.entries(after)
      .map(([what, count]) => [what, count - (before[what] ?? 0)] as const)
      .filter(([, count]) => count > 0),
  );
}

export function sumOf(counts: RequestCounts): number {
  return Object.values(counts).reduce((sum, one) => sum + one, 0);
}

const VERBS: { readonly [method: string]: string } = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** `list pods`. */
export function requestName({
  method,
  path,
  query,
}: Pick<TransportRequest, 'method' | 'path' | 'query'>): string {
  // `/api/v1/…` or `/apis/GROUP/VERSION/…`, possibly with `namespaces/NAME/` before the resource.
  const [, ...rest] = path.split('/').slice(path.startsWith('/api/') ? 2 : 3);
  const [resource = '', name, subresource] =
    rest[0] === 'namespaces' && rest.length > 2 ? rest.slice(2) : rest;
  const suffix = subresource === undefined ? '' : `/${subresource}`;
  if (method !== 'GET') return `${VERBS[method] ?? method} ${resource}${suffix}`;
  if (query.includes('watch=true')) return `watch ${resource}`;
  return `${name === undefined ? 'list' : 'get'} ${resource}${suffix}`;
}
