/**
 * Which texts the tools on a node can read as a URL. They are written in Go, so its rules count: what they
 * would refuse at first boot must not get that far.
 */

/** The scheme in lower case (empty when there is none), or nothing for a text that is no URL. */
export function schemeOf(url: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(url)) return undefined;
  const [beforeFragment = '', fragment = ''] = splitAt(url, '#');
  if (!hasWholeEscapes(fragment)) return undefined;
  const [beforeQuery = ''] = splitAt(beforeFragment, '?');
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(beforeQuery)?.[1];
  if (scheme === undefined) {
    const [firstSegment = ''] = splitAt(beforeQuery, '/');
    return firstSegment.includes(':') || !hasWholeEscapes(beforeQuery) ? undefined : '';
  }
  return isReadable(beforeQuery.slice(scheme.length + 1)) ? scheme.toLowerCase() : undefined;
}

/** What follows the scheme: `//user@host:port/path`, a path, or anything at all without a slash. */
function isReadable(rest: string): boolean {
  if (!rest.startsWith('/')) return true;
  if (!rest.startsWith('//')) return hasWholeEscapes(rest);
  const [authority = ''] = splitAt(rest.slice(2), '/');
  const at = authority.lastIndexOf('@');
  const user = authority.slice(0, Math.max(at, 0));
  const isUser = /^[\w\-.:~!$&'()*+,;=%@]*$/.test(user) && hasWholeEscapes(user);
  return isUser && isHost(authority.slice(at + 1)) && hasWholeEscapes(rest.slice(2 + authority.length));
}

/** Letters, digits and a few marks; escapes only for bytes beyond ASCII; a port of digits. */
function isHost(host: string): boolean {
  const ported = host.startsWith('[') ? /^\[[^\]]*\](:\d*)?$/ : /^[^:]*(:\d*)?$/;
  return (
    ported.test(host) && /^([\w\-.~!$&'()*+,;=:[\]<>"\u0080-\u{10ffff}]|%[89A-Fa-f][0-9A-Fa-f])*$/u.test(host)
  );
}

function hasWholeEscapes(text: string): boolean {
  return !/%(?![0-9A-Fa-f]{2})/.test(text);
}

function splitAt(text: string, mark: string): readonly string[] {
  const index = text.indexOf(mark);
  return index < 0 ? [text] : [text.slice(0, index), text.slice(index + 1)];
}
