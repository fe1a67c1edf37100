/** The effective user of a request: the authenticated one, or the impersonated one (`kubectl --as`). */
import { authorize, forbiddenText, impersonation, type RuleSource, type User } from '../rbac/index.ts';
import { forbidden, plainTextError } from '../status/index.ts';
import type { Request } from './http/http.ts';

export function impersonated(rules: RuleSource, request: Request, asking: User): User {
  if (!hasHeaders(request)) return asking;
  const uri = request.query === '' ? request.path : `${request.path}?${request.query}`;
  const result = impersonation(separateHeaders(request), asking, uri);
  if (result.kind === 'none') return asking;
  if (result.kind === 'failed') throw plainTextError(result.body);
  for (const check of result.checks) {
    const { allowed, reason } = authorize(check, rules);
    if (allowed) continue;
    const { group, resource: plural, name } = check;
    throw forbidden({ group, plural }, name, forbiddenText(check, reason));
  }
  return result.user;
}

function hasHeaders({ headers }: Request): boolean {
  for (const name in headers) if (name.startsWith('impersonate-')) return true;
  return false;
}

/** Repeated headers were joined by the transport. */
function separateHeaders({ headers }: Request): { readonly [name: string]: readonly string[] } {
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    name.startsWith('impersonate-') && value !== undefined ? [[name, valuesOf(name, value)] as const] : [],
  );
  return Object.fromEntries(entries);
}

function valuesOf(name: string, value: string): readonly string[] {
  return name === 'impersonate-user' || name === 'impersonate-uid' ? [value] : value.split(', ');
}
