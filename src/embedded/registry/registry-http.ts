/**
 * A request to our registry and its answer as plain objects: the shell makes the former from a socket and writes the
 * latter to it, tests and simulation call the registry with them directly.
 */
export type RegistryRequest = {
  readonly method: string;
  /** As it came, still escaped. */
  readonly path: string;
  /** Behind the question mark, as it came; empty where there is none. */
  readonly query: string;
  /** Names in lower case. */
  readonly headers: { readonly [name: string]: string | undefined };
  /** Read at most once, and not at all where the answer does not depend on it. */
  readonly body: AsyncIterable<Uint8Array>;
};

export type RegistryResponse = {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
};

export type RegistryHandler = (request: RegistryRequest) => Promise<RegistryResponse>;
