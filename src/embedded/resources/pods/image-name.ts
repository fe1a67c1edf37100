/**
 * Image references, as far as kube-apiserver parses them.
 */

const TAG = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;
const DIGEST = /^[A-Za-z][A-Za-z0-9]*([-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/;
const COMPONENT = /^[a-z0-9]+(([._]|__|-+)[a-z0-9]+)*$/;
const HOST_PART = /^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$/;
const MAX_IMAGE_CHARS = 1024;

/** The tag; `latest` without tag and digest; undefined if the reference is invalid. */
export function imageTag(image: string): string | undefined {
  if (image.length > MAX_IMAGE_CHARS) return undefined;
  const [named = '', digest, ...rest] = image.split('@');
  if (rest.length > 0 || (digest !== undefined && !DIGEST.test(digest))) return undefined;
  const slash = named.lastIndexOf('/');
  const colon = named.indexOf(':', slash + 1);
  const name = colon < 0 ? named : named.slice(0, colon);
  const tag = colon < 0 ? undefined : named.slice(colon + 1);
  if (!isImageName(name) || (tag !== undefined && !TAG.test(tag))) return undefined;
  return tag ?? (digest === undefined ? 'latest' : undefined);
}

/** The part before the first slash is a registry host if it looks like one. */
function isImageName(name: string): boolean {
  const parts = name.split('/');
  const [first = ''] = parts;
  const hasDomain = parts.length > 1 && (/[.:A-Z]/.test(first) || first === 'localhost');
  const path = hasDomain ? parts.slice(1) : parts;
  return (!hasDomain || isHost(first)) && path.every((part) => COMPONENT.test(part));
}

function isHost(text: string): boolean {
  const [host = '', port, ...rest] = text.split(':');
  const hasPort = port === undefined || /^[0-9]+$/.test(port);
  return rest.length === 0 && hasPort && host.split('.').every((part) => HOST_PART.test(part));
}
