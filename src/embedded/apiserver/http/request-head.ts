/** Checks of a request head that Go's server makes and Node's does not, with Go's messages. */
type Head = {
  /** Names and values alternate. */
  readonly rawHeaders: readonly string[];
  readonly httpVersionMajor: number;
  readonly httpVersionMinor: number;
};

/** The status line of the error, such as `400 Bad Request`. */
export function requestHeadProblem({
  rawHeaders,
  httpVersionMajor,
  httpVersionMinor,
}: Head): string | undefined {
  if (httpVersionMajor !== 1) return '505 HTTP Version Not Supported: unsupported protocol version';
  const hosts = rawHeaders.filter((_, index) => index % 2 === 1 && isHost(rawHeaders[index - 1]));
  const [host] = hosts;
  // Repeated headers are ambiguous, which allows request smuggling.
  if (hosts.length > 1) return '400 Bad Request';
  if (host === undefined) {
    return httpVersionMinor === 0 ? undefined : '400 Bad Request: missing required Host header';
  }
  return HOST.test(host) ? undefined : '400 Bad Request: malformed Host header';
}

function isHost(name: string | undefined): boolean {
  return name?.toLowerCase() === 'host';
}

const HOST = /^[A-Za-z0-9!$%&'()*+,\-.:;=[\]_~]*$/;

/** Whether the bytes begin a request with an unknown, but well-formed method. */
export function isBadMethod(bytes: Uint8Array): boolean {
  const line = new TextDecoder('latin1').decode(bytes.subarray(0, MAX_LINE_BYTES));
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64} [^\s]+ HTTP\/1\.[01]\r?\n/.test(line);
}

const MAX_LINE_BYTES = 16 * 1024;
