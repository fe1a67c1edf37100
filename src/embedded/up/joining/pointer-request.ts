/**
 * What a machine requests according to its pointer config: as Ignition reads it, with the one source that ours have.
 */
import { Failure, formatProblem } from '../../../base/errors.ts';
import { decodeDataUrl, parseIgnition } from '../../../config/ignition/index.ts';

export type PointerRequest = {
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
  /** PEM; the machine trusts no others. */
  readonly authorities: readonly string[];
};

/** Throws a `Failure` where it is no pointer. Its text never contains the token. */
export function pointerRequest(userData: string): PointerRequest {
  const parsed = parseIgnition(jsonOf(userData));
  if (parsed.kind === 'invalid') throw unusable(parsed.problems.map(formatProblem).join('; '));
  const { config, security } = parsed.value.ignition;
  const [source, ...others] = config?.merge ?? [];
  const url = source?.source ?? '';
  if (others.length > 0 || !url.startsWith('https://')) throw unusable('it must name one https:// source');
  const headers = (source?.httpHeaders ?? []).map(({ name, value = '' }) => [name, value] as const);
  const authorities = (security?.tls?.certificateAuthorities ?? []).map(({ source: at = '' }) => {
    const decoded = decodeDataUrl(at);
    if (typeof decoded === 'string') throw unusable(`a certificate authority: ${decoded}`);
    return new TextDecoder().decode(decoded.bytes);
  });
  return { url, headers: Object.fromEntries(headers), authorities };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unusable('it is not JSON');
  }
}

function unusable(why: string): Failure {
  return new Failure('stalled', 'PointerUnusable', `the pointer config cannot be used: ${why}`);
}
