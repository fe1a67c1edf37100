/**
 * What a request asks for.
 */
import { checkDnsSubdomain } from '../kubernetes/meta/index.ts';
import type { ConfigRequest } from './request.ts';

type Route =
  | { readonly kind: 'health' }
  | {
      readonly kind: 'config';
      readonly pool: string;
      /** In the query, for clients that cannot send headers. */
      readonly token?: string;
    }
  | { readonly kind: 'error'; readonly status: 404 | 405 };

const CONFIG_PREFIX = '/config/';

/** The pool is the last part of the path, as upstream takes it. */
export function routeOf({ method, target }: Pick<ConfigRequest, 'method' | 'target'>): Route {
  if (method !== 'GET' && method !== 'HEAD') return { kind: 'error', status: 405 };
  const [path = '', query = ''] = target.split('?', 2);
  if (path === '/healthz') return { kind: 'health' };
  if (!path.startsWith(CONFIG_PREFIX)) return { kind: 'error', status: 404 };
  const pool = path.slice(path.lastIndexOf('/') + 1);
  // No pool has such a name, and it need not be looked for.
  if (checkDnsSubdomain(pool).length > 0) return { kind: 'error', status: 404 };
  const token = query
    .split('&')
    .find((part) => part.startsWith('token='))
    ?.slice('token='.length);
  return { kind: 'config', pool, ...(token === undefined ? {} : { token }) };
}
