/** The keys and certificates of an embedded cluster, as in its data directory. */

import type { PemPair } from '../../../certificates/index.ts';

export type Pki = {
  /** The CA of server and client certificates. */
  readonly authority: PemPair;
  readonly server: PemPair;
  /** In the group `system:masters`. */
  readonly admin: PemPair;
  /** Signs service account tokens. */
  readonly tokenKey: Uint8Array;
};

/** What the data directory contains. A pair without one of its halves is missing. */
export type StoredPki = { readonly [Part in keyof Pki]?: Pki[Part] };

export const TOKEN_KEY_BYTES = 32;
