/**
 * A request to the server and its response, as plain objects.
 */

export type ConfigRequest = {
  readonly method: string;
  /** Path and query, as sent. */
  readonly target: string;
  readonly accept?: string | undefined;
  readonly authorization?: string | undefined;
  readonly userAgent?: string | undefined;
  /** The address that the connection comes from. */
  readonly source: string;
};

/** Errors have no body, as upstream's have none: a client could not show it. The log has the reason. */
export type ConfigResponse = {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly body?: Uint8Array;
};

export function refusal(status: number, headers: ConfigResponse['headers'] = {}): ConfigResponse {
  return { status, headers };
}

/** Ignition tries again after a 5xx alone, so what passes is never answered with another code. */
export const TRY_LATER = refusal(503, { 'retry-after': '5' });
