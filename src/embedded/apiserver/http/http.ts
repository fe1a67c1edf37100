/**
 * A request and its answer as plain objects: the shell makes the former from a socket and writes the latter to it,
 * tests and simulation call the server with them directly.
 */
import type { User } from '../../rbac/index.ts';

export type Request = {
  readonly method: string;
  /** As it came, still escaped: `/api/v1/namespaces/a%20b`. */
  readonly path: string;
  /** Behind the question mark, as it came; empty where there is none. */
  readonly query: string;
  /** Names in lower case. */
  readonly headers: { readonly [name: string]: string | undefined };
  readonly body: Uint8Array;
  /** Whom the transport has proved the client to be, by its certificate. */
  readonly certificateUser?: User;
  /** It came with a certificate that proves nothing: it is not anonymous then, though a token may still help. */
  readonly hasBadCertificate?: true;
  /** Aborted when the client has gone. */
  readonly signal?: AbortSignal;
};

/** A request whose head has come, while its body may still be on the way. */
export type Arriving = Omit<Request, 'body'> & {
  /** What the body is said to hold at most. */
  readonly bodyBytes: number;
  /** At most once. */
  readonly readBody: () => Promise<ArrivedBody>;
  /** The call is made once the answer has gone out, or the client has. */
  readonly whenOver: (call: () => void) => void;
};

/** `gone`: the client closed before it had sent all. */
export type ArrivedBody = Uint8Array | 'tooLarge' | 'gone';

export type Response = {
  readonly status: number;
  /** A name may come more than once, as `Warning` does. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Body;
};

/** Whole, or piece by piece for as long as both sides like (a watch). */
export type Body = Uint8Array | AsyncIterable<Uint8Array>;

/** Larger bodies are refused with 413, by the shell before it has read them. */
export const MAX_BODY_BYTES = 3 * 1024 * 1024;
