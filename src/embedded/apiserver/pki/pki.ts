/**
 * The keys and certificates of one embedded cluster, as texts: what the data directory keeps and the server uses.
 */

export type PemPair = { readonly certPem: string; readonly keyPem: string };

export type Pki = {
  /** Signs the others, and client certificates are proved with it. */
  readonly authority: PemPair;
  readonly server: PemPair;
  /** May do anything. */
  readonly admin: PemPair;
  /** Signs the tokens of service accounts. */
  readonly tokenKey: Uint8Array;
};

/** What was found of them. A pair of which one half is missing is missing. */
export type StoredPki = { readonly [Part in keyof Pki]?: Pki[Part] };

export const TOKEN_KEY_BYTES = 32;
