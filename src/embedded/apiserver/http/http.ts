/** Requests and responses as plain data. The socket server converts them; tests and components in the same process pass them directly. */
import type { User } from '../../rbac/index.ts';

export type Request = {
  readonly method: string;
  /** Escaped: `/api/v1/namespaces/a%20b`. */
  readonly path: string;
  /** Escaped, without the question mark; empty if there is none. */
  readonly query: string;
  /** Names in lower case. */
  readonly headers: { readonly [name: string]: string | undefined };
  readonly body: Uint8Array;
  /** The user of a verified client certificate. */
  readonly certificateUser?: User;
  /** The client certificate is invalid: the client is not anonymous, but may still have a token. */
  readonly hasBadCertificate?: true;
  /** Aborted when the client disconnects. */
  readonly signal?: AbortSignal;
};

/** A request whose headers are read, but not its body. */
export type PendingRequest = Omit<Request, 'body'> & {
  /** Upper bound of the size of the body. */
  readonly bodyBytes: number;
  /** May be called once. */
  readonly readBody: () => Promise<ReceivedBody>;
  /** Calls back when the response is sent or the client has disconnected. */
  readonly onComplete: (call: () => void) => void;
};

/** `gone`: the client disconnected before the end of the body. */
export type ReceivedBody = Uint8Array | 'tooLarge' | 'gone';

export type Response = {
  readonly status: number;
  /** Names can repeat, as `Warning` does. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Body;
};

/** Complete, or streamed (a watch). */
export type Body = Uint8Array | AsyncIterable<Uint8Array>;

/** Larger bodies are answered with 413. */
export const MAX_BODY_BYTES = 3 * 1024 * 1024;
