/**
 * What is wrong with the head of a request, before it is one for the server: what Go's server refuses and Node's
 * does not, in the words of Go's.
 */
type Head = {
  /** Names and values by turns, as they came. */
  readonly rawHeaders: readonly string[];
  readonly httpVersionMajor: number;
  readonly httpVersionMinor: number;
};

/** The line with which it is refused, such as `400 Bad Request`. */
export function headComplaint({ rawHeaders, httpVersionMajor, httpVersionMinor }: Head): string | undefined {
  if (httpVersionMajor !== 1) return '505 HTTP Version Not Supported: unsupported protocol version';
  const hosts = rawHeaders.filter((_, index) => index % 2 === 1 && isHost(rawHeaders[index - 1]));
  const [host] = hosts;
  // Two may be read differently by two who read them.
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

/** Whether the bytes begin a request by a method that nobody has heard of, but that could be one. */
export function isOddMethod(bytes: Uint8Array): boolean {
  const line = new TextDecoder('latin1').decode(bytes.subarray(0, MAX_LINE_BYTES));
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64} [^\s]+ HTTP\/1\.[01]\r?\n/.test(line);
}

const MAX_LINE_BYTES = 16 * 1024;
