/** What discovery looks at in a request. */

export type DiscoveryRequest = {
  /** Without the query: `/apis/apps/v1`. */
  readonly path: string;
  /** The header `Accept`; empty or absent where anything goes. */
  readonly accept?: string;
  /** The header `If-None-Match`. */
  readonly ifNoneMatch?: string;
  /** Behind the question mark, as it came. */
  readonly query?: string;
  /** The header `User-Agent`: what people read along is indented. */
  readonly userAgent?: string;
  /** Where clients find this server, such as `127.0.0.1:6443`. */
  readonly serverAddress?: string;
};

/** Programs that show answers to people. */
const READERS = ['curl/', 'Wget/', 'Mozilla/'];
/** What Go takes for true. */
const TRUTHS: readonly string[] = ['1', 't', 'T', 'true', 'TRUE', 'True'];

export function wantsIndent({ query, userAgent = '' }: DiscoveryRequest): boolean {
  const asked = new URLSearchParams(query).get('pretty') ?? '';
  return asked === '' ? READERS.some((reader) => userAgent.startsWith(reader)) : TRUTHS.includes(asked);
}
