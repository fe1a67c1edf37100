/** The headers that a proxy forwards and returns: without hop-by-hop headers and credentials. */
import type { Request, Response } from './http.ts';

/** Hop-by-hop headers. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The body is complete, and has a length of its own on the way to another host. */
const OWN: ReadonlySet<string> = new Set(['authorization', 'content-length', 'expect', 'host']);
const PROOF = /^(impersonate|x-remote)-/;

export function forwardedHeaders(headers: Request['headers']): { readonly [name: string]: string } {
  const named = namedBy(headers.connection);
  const kept = Object.entries(headers).flatMap(([name, value]) => {
    const stays = HOP_BY_HOP.has(name) || OWN.has(name) || PROOF.test(name) || named.has(name);
    return stays || value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(kept);
}

export function returnedHeaders(headers: Response['headers']): Response['headers'] {
  const named = new Set(
    headers.flatMap(([name, value]) => (name.toLowerCase() === 'connection' ? [...namedBy(value)] : [])),
  );
  return headers.filter(([name]) => {
    const known = name.toLowerCase();
    return !HOP_BY_HOP.has(known) && !named.has(known);
  });
}

/** Further hop-by-hop headers, named by `Connection`. */
function namedBy(connection: string | undefined): ReadonlySet<string> {
  return new Set((connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
}
