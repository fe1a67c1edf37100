/**
 * `/healthz`, `/livez` and `/readyz`, with those checks of kube-apiserver that apply here, under their names. A
 * server that answers is healthy.
 */
import { quoted } from '../../base/text/index.ts';
import type { Request, Response } from './http/http.ts';
import { plainTextResponse } from './response.ts';
import type { Query } from './verbs/query-options.ts';

const LIVE = ['ping', 'log', 'etcd'];
const CHECKS: ReadonlyMap<string, readonly string[]> = new Map([
  ['healthz', LIVE],
  ['livez', LIVE],
  ['readyz', [...LIVE, 'etcd-readiness', 'informer-sync', 'shutdown']],
]);

export function healthResponse(path: string, request: Request, query: Query): Response | undefined {
  const [, root = '', check, ...rest] = path.split('/');
  const checks = CHECKS.get(root);
  if (checks === undefined || rest.length > 0) return undefined;
  if (check !== undefined) return checks.includes(check) ? plainTextResponse(200, 'ok', request) : undefined;
  if (!query.has('verbose')) return plainTextResponse(200, 'ok', request);
  const excluded = new Set(query.all('exclude'));
  const lines = checks.map((name) => `[+]${name} ${excluded.has(name) ? 'excluded: ok' : 'ok'}\n`);
  const unknown = [...excluded].filter((name) => !checks.includes(name)).sort();
  if (unknown.length > 0) {
    const names = unknown.map((name) => quoted(name)).join(',');
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names}\n`);
  }
  return plainTextResponse(200, `${lines.join('')}${root} check passed\n`, request);
}
