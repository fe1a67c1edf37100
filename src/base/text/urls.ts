/**
 * URLs as Go parses them, so that what the tools on a node or the API server would reject is rejected early.
 */
import { quoted } from './go-text.ts';

export type Url = {
  readonly scheme: string;
  /** With the port, and IPv6 in brackets. */
  readonly host: string;
  readonly path: string;
  readonly query: string;
};

type UrlOutcome = { readonly url: Url } | { readonly error: string };

/** Parses a request URI: an absolute URL or an absolute path. */
export function parseUrl(text: string): UrlOutcome {
  // In a request URI a # is part of the path.
  const [whole = ''] = text.split('#');
  const problem = checkUrl(text);
  if (problem !== undefined) return { error: `parse ${quoted(text)}: ${problem}` };
  return { url: splitUrl(whole) };
}

/** The scheme in lower case, empty when there is none; undefined for an invalid URL. */
export function schemeOf(text: string): string | undefined {
  if ([...text].some(isControl)) return undefined;
  const { before: whole, after: fragment } = cut(text, '#');
  const { before: beforeQuery } = cut(whole, '?');
  if (checkEscapes(fragment) !== undefined) return undefined;
  const scheme = SCHEME.exec(beforeQuery)?.[1];
  if (scheme === undefined) {
    const hasColon = cut(beforeQuery, '/').before.includes(':');
    return hasColon || checkEscapes(beforeQuery) !== undefined ? undefined : '';
  }
  return checkHierarchy(beforeQuery.slice(scheme.length + 1)) === undefined
    ? scheme.toLowerCase()
    : undefined;
}

/** After the scheme: `//user@host:port/path`, a path, or an opaque part without a leading slash. */
function checkHierarchy(rest: string): string | undefined {
  if (!rest.startsWith('//')) return rest.startsWith('/') ? checkEscapes(rest) : undefined;
  const { authority, path } = splitAuthority(rest);
  return checkAuthority(authority) ?? checkEscapes(path);
}

function cut(text: string, mark: string): { readonly before: string; readonly after: string } {
  const index = text.indexOf(mark);
  return index < 0
    ? { before: text, after: '' }
    : { before: text.slice(0, index), after: text.slice(index + 1) };
}

const SCHEME = /^([a-zA-Z][a-zA-Z0-9+.-]*):/;

function checkUrl(text: string): string | undefined {
  if ([...text].some(isControl)) return 'net/url: invalid control character in URL';
  if (text === '') return 'empty url';
  if (text === '*') return undefined;
  if (text.startsWith(':')) return 'missing protocol scheme';
  const scheme = SCHEME.exec(text)?.[1] ?? '';
  const rest = scheme === '' ? text : text.slice(scheme.length + 1);
  const [beforeQuery = ''] = rest.split('?');
  if (scheme !== '') return checkHierarchy(beforeQuery);
  return beforeQuery.startsWith('/') ? checkEscapes(beforeQuery) : 'invalid URI for request';
}

function isControl(character: string): boolean {
  return character < ' ' || character === '\u007f';
}

function splitAuthority(text: string): { readonly authority: string; readonly path: string } {
  const slash = text.indexOf('/', 2);
  return slash < 0
    ? { authority: text.slice(2), path: '' }
    : { authority: text.slice(2, slash), path: text.slice(slash) };
}

function checkEscapes(text: string): string | undefined {
  for (let at = text.indexOf('%'); at >= 0; at = text.indexOf('%', at + 1)) {
    const sequence = text.slice(at, at + 3);
    if (!/^%[0-9a-fA-F]{2}$/.test(sequence)) return `invalid URL escape ${quoted(sequence)}`;
  }
  return undefined;
}

function checkAuthority(authority: string): string | undefined {
  const at = authority.lastIndexOf('@');
  if (at >= 0 && !/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(authority.slice(0, at))) {
    return 'net/url: invalid userinfo';
  }
  const userinfo = at < 0 ? undefined : checkEscapes(authority.slice(0, at));
  return userinfo ?? checkHost(authority.slice(at + 1));
}

function checkHost(host: string): string | undefined {
  const bracket = host.lastIndexOf(']');
  if (host.startsWith('[') && bracket < 0) return "missing ']' in host";
  const colon = host.startsWith('[') ? bracket + 1 : host.lastIndexOf(':');
  const port = colon < 0 ? '' : host.slice(colon);
  if (!/^(:\d*)?$/.test(port)) return `invalid port ${quoted(port)} after host`;
  // In a host only non-ASCII bytes and the percent sign of a zone may be escaped.
  const plain = /%[0-7][0-9a-fA-F]/.exec(host.replaceAll('%25', ''));
  const escapes = plain === null ? checkEscapes(host) : `invalid URL escape ${quoted(plain[0])}`;
  if (escapes !== undefined) return escapes;
  const wrong = /[^A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"%\u0080-\uffff]/.exec(host);
  return wrong === null ? undefined : `invalid character ${quoted(wrong[0])} in host name`;
}

function splitUrl(text: string): Url {
  const scheme = SCHEME.exec(text)?.[1] ?? '';
  const rest = scheme === '' ? text : text.slice(scheme.length + 1);
  const mark = rest.indexOf('?');
  const beforeQuery = mark < 0 ? rest : rest.slice(0, mark);
  const query = mark < 0 ? '' : rest.slice(mark + 1);
  const base = { scheme: scheme.toLowerCase(), query };
  if (!beforeQuery.startsWith('/') && scheme !== '') return { ...base, host: '', path: '' };
  if (!beforeQuery.startsWith('//')) return { ...base, host: '', path: beforeQuery };
  const { authority, path } = splitAuthority(beforeQuery);
  return { ...base, host: unescaped(authority.slice(authority.lastIndexOf('@') + 1)), path };
}

/** Without the port, and without the brackets of IPv6. */
export function hostname(host: string): string {
  if (host.startsWith('[')) return host.slice(1, host.indexOf(']'));
  const colon = host.indexOf(':');
  return colon < 0 ? host : host.slice(0, colon);
}

export function port(host: string): string {
  return /:(\d*)$/.exec(host.startsWith('[') ? host.slice(host.indexOf(']')) : host)?.[1] ?? '';
}

/** The path in escaped form: existing escapes are kept. */
export function escapedPath(path: string): string {
  if (/^[A-Za-z0-9\-._~!$&'()*+,;=:@[\]/%]*$/.test(path)) return path;
  return unescaped(path).replace(/[^A-Za-z0-9\-._~$&+,/:;=@]/gu, (character) => encode(character));
}

function encode(character: string): string {
  return [...new TextEncoder().encode(character)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');
}

/** The values of each query key, in order. Malformed parts are left out. */
export function queryValues(query: string): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>();
  for (const part of query.split('&')) {
    if (part === '' || part.includes(';') || checkEscapes(part) !== undefined) continue;
    const equals = part.indexOf('=');
    const key = unescaped((equals < 0 ? part : part.slice(0, equals)).replaceAll('+', ' '));
    const value = equals < 0 ? '' : unescaped(part.slice(equals + 1).replaceAll('+', ' '));
    values.set(key, [...(values.get(key) ?? []), value]);
  }
  return values;
}

function unescaped(text: string): string {
  if (!text.includes('%')) return text;
  const bytes: number[] = [];
  const encoded = new TextEncoder().encode(text);
  for (let index = 0; index < encoded.length; index++) {
    if (encoded[index] === 0x25) {
      bytes.push(Number.parseInt(String.fromCharCode(encoded[index + 1] ?? 0, encoded[index + 2] ?? 0), 16));
      index += 2;
    } else {
      bytes.push(encoded[index] ?? 0);
    }
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
}
