/**
 * Responses of the registry. Errors have the codes of the distribution specification and the messages of Docker's registry.
 */
import type { RegistryResponse } from './registry-http.ts';

/** Error codes with their status and message. */
const REFUSALS = {
  BLOB_UNKNOWN: [404, 'blob unknown to registry'],
  BLOB_UPLOAD_INVALID: [400, 'blob upload invalid'],
  BLOB_UPLOAD_UNKNOWN: [404, 'blob upload unknown to registry'],
  DIGEST_INVALID: [400, 'provided digest did not match uploaded content'],
  MANIFEST_BLOB_UNKNOWN: [400, 'blob unknown to registry'],
  MANIFEST_INVALID: [400, 'manifest invalid'],
  MANIFEST_UNKNOWN: [404, 'manifest unknown'],
  NAME_INVALID: [400, 'invalid repository name'],
  NAME_UNKNOWN: [404, 'repository name not known to registry'],
  PAGINATION_NUMBER_INVALID: [400, 'invalid number of results requested'],
  RANGE_INVALID: [416, 'invalid content range'],
  SIZE_INVALID: [400, 'provided length did not match content length'],
  TAG_INVALID: [400, 'manifest tag did not match URI'],
  TOOMANYREQUESTS: [429, 'too many requests'],
  UNKNOWN: [500, 'unknown error'],
  UNSUPPORTED: [405, 'The operation is unsupported.'],
} as const satisfies { readonly [code: string]: readonly [status: number, message: string] };

type RefusalCode = keyof typeof REFUSALS;

type RefusalOptions = {
  readonly detail?: unknown;
  /** Overrides the default. */
  readonly status?: number;
  readonly headers?: { readonly [name: string]: string };
};

const NO_BODY = new Uint8Array();

export function refused(code: RefusalCode, options: RefusalOptions = {}): RegistryResponse {
  return refusedForAll(code, [options.detail], options);
}

/** One error for each detail. */
export function refusedForAll(
  code: RefusalCode,
  details: readonly unknown[],
  { status, headers = {} }: RefusalOptions = {},
): RegistryResponse {
  const [usual, message] = REFUSALS[code];
  const errors = details.map((detail) => ({ code, message, ...(detail === undefined ? {} : { detail }) }));
  return answerJson({ errors }, { status: status ?? usual, headers });
}

export function answerJson(
  value: object,
  { status = 200, headers = {} }: Pick<RefusalOptions, 'status' | 'headers'> = {},
): RegistryResponse {
  const body = new TextEncoder().encode(`${JSON.stringify(value)}\n`);
  return answer(status, { 'content-type': 'application/json; charset=utf-8', ...headers }, body);
}

/** Sets the content length of a complete body; the caller sets it for a streamed one. */
export function answer(
  status: number,
  headers: { readonly [name: string]: string },
  body: Uint8Array | AsyncIterable<Uint8Array> = NO_BODY,
): RegistryResponse {
  const length =
    body instanceof Uint8Array && status !== 204 ? { 'content-length': String(body.length) } : {};
  return {
    status,
    headers: { 'docker-distribution-api-version': 'registry/2.0', ...length, ...headers },
    body,
  };
}

/** The response to HEAD: the same headers without a body. */
export function withoutBody(response: RegistryResponse): RegistryResponse {
  return { ...response, body: NO_BODY };
}
