/**
 * Requests and responses of the registry as plain objects, independent of sockets.
 */
export type RegistryRequest = {
  readonly method: string;
  /** Still escaped. */
  readonly path: string;
  /** The raw query without the question mark; may be empty. */
  readonly query: string;
  /** Names in lower case. */
  readonly headers: { readonly [name: string]: string | undefined };
  /** Read at most once. */
  readonly body: AsyncIterable<Uint8Array>;
};

export type RegistryResponse = {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
};

export type RegistryHandler = (request: RegistryRequest) => Promise<RegistryResponse>;
