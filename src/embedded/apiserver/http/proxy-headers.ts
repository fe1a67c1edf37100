/**
 * Which headers go on to somebody else, and which come back: those about the connection stay with it, and what proves
 * who asks is for this server alone.
 */
import type { Request, Response } from './http.ts';

/** About one connection, not about what goes over it. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade'],
]);

/** The body has come whole, and goes with its own length to another host. */
const OWN: ReadonlySet<string> = new Set(['authorization', 'content-length', 'expect', 'host']);
const PROOF = /^(impersonate|x-remote)-/;

export function passedOnHeaders(headers: Request['headers']): { readonly [name: string]: string } {
  const named = namedBy(headers.connection);
  const kept = Object.entries(headers).flatMap(([name, value]) => {
    const stays = HOP_BY_HOP.has(name) || OWN.has(name) || PROOF.test(name) || named.has(name);
    return stays || value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(kept);
}

export function passedBackHeaders(headers: Response['headers']): Response['headers'] {
  const named = new Set(
    headers.flatMap(([name, value]) => (name.toLowerCase() === 'connection' ? [...namedBy(value)] : [])),
  );
  return headers.filter(([name]) => {
    const known = name.toLowerCase();
    return !HOP_BY_HOP.has(known) && !named.has(known);
  });
}

/** A connection may have more headers of its own, which it names. */
function namedBy(connection: string | undefined): ReadonlySet<string> {
  return new Set((connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
}
