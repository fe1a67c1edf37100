/** The parts of a request that discovery uses. */

export type DiscoveryRequest = {
  /** Without the query: `/apis/apps/v1`. */
  readonly path: string;
  /** The header `Accept`; empty or absent where the client accepts everything. */
  readonly accept?: string;
  /** The header `If-None-Match`. */
  readonly ifNoneMatch?: string;
  /** The query string, undecoded, without the question mark. */
  readonly query?: string;
  /** The header `User-Agent`: responses to browsers and curl are indented. */
  readonly userAgent?: string;
  /** The address of this server, such as `127.0.0.1:6443`. */
  readonly serverAddress?: string;
};

/** Programs that show responses to people. */
const READERS = ['curl/', 'Wget/', 'Mozilla/'];
/** The strings that Go parses as true. */
const TRUTHS: readonly string[] = ['1', 't', 'T', 'true', 'TRUE', 'True'];

export function wantsIndent({ query, userAgent = '' }: DiscoveryRequest): boolean {
  const asked = new URLSearchParams(query).get('pretty') ?? '';
  return asked === '' ? READERS.some((reader) => userAgent.startsWith(reader)) : TRUTHS.includes(asked);
}
