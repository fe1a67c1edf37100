/** The continue token of a list: the revision of its pages, and the key after which the next one starts. */
import { isObject, own } from '../../../base/json.ts';
import { base64Bytes, base64UrlText, quoted, readJson } from '../../../base/text/index.ts';
import { badRequest, type StatusError } from '../../status/index.ts';

/** `revision` -1: the latest state, since that of the first page is compacted. */
export type ContinueToken = { readonly revision: number; readonly after: string };

const VERSION = 'meta.k8s.io/v1';
/** The next key after K is K followed by this. */
const END = '\0';

export function encodeToken({ revision, after }: ContinueToken): string {
  const json = JSON.stringify({ v: VERSION, rv: revision, start: `${after}${END}` });
  return base64UrlText(new TextEncoder().encode(json));
}

export function decodeToken(text: string): ContinueToken {
  const bytes = base64Bytes(padded(text.replaceAll('-', '+').replaceAll('_', '/')));
  if (bytes === undefined) throw invalidToken(`illegal base64 data at input byte ${badByte(text)}`);
  const read = readJson(bytes);
  if (read.kind === 'mistake') throw invalidToken(read.message);
  const fields = isObject(read.value) ? read.value : {};
  const version = own(fields, 'v');
  if (version !== VERSION) {
    throw invalidToken(
      `server does not recognize this encoded version ${version === undefined ? '' : String(version)}`,
    );
  }
  const revision = own(fields, 'rv');
  const start = own(fields, 'start');
  if (typeof start !== 'string' || start === '')
    throw invalidToken('encoded start key empty (version meta.k8s.io/v1)');
  if (start.startsWith('/') || start.split('/').includes('..')) throw invalidToken(quoted(start));
  return {
    revision: typeof revision === 'number' ? revision : -1,
    after: start.endsWith(END) ? start.slice(0, -1) : start,
  };
}

function invalidToken(why: string): StatusError {
  return badRequest(`invalid continue token: continue key is not valid: ${why}`);
}

function padded(text: string): string {
  return text.padEnd(Math.ceil(text.length / 4) * 4, '=');
}

/** With one character too many, the error is at the start of the last group of four. */
function badByte(text: string): number {
  const at = text.search(/[^A-Za-z0-9_-]/);
  return at < 0 ? text.length - (text.length % 4) : at;
}
