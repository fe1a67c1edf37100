/**
 * Auth files of container tools (containers-auth.json, Docker's config.json, a pull secret):
 *
 *     {"auths": {"quay.io": {"auth": "<base64 of user:password>"}, "quay.io/team/app": {…}}}
 *
 * The most specific entry applies. Keys of old files, such as `https://index.docker.io/v1/`, apply to their host.
 * Credential helpers are not supported.
 */
import { invalid, type Outcome, ok, type Problem } from '../base/errors.ts';
import { isObject, own, parseJson } from '../base/json.ts';
import { base64Bytes } from '../base/text/index.ts';

export type Credentials = { readonly username: string; readonly password: string };

type AuthFile = {
  /** By host, or host and path prefix. */
  readonly entries: ReadonlyMap<string, Credentials>;
};

/** A larger file is not an auth file. */
const MAX_AUTH_FILE_LENGTH = 1024 * 1024;

/** Problems name the key, never the value. */
export function parseAuthFile(text: string): Outcome<AuthFile> {
  if (text.length > MAX_AUTH_FILE_LENGTH) return invalid([{ path: '', message: 'the file is too long' }]);
  const document = parseJson(text);
  if (!isObject(document)) return invalid([{ path: '', message: 'the file is not a JSON object' }]);
  const auths = own(document, 'auths') ?? {};
  if (!isObject(auths)) return invalid([{ path: 'auths', message: 'is not an object' }]);
  const exact = new Map<string, Credentials>();
  const legacy = new Map<string, Credentials>();
  const warnings: Problem[] = [];
  for (const [key, entry] of Object.entries(auths)) {
    const credentials = readEntry(entry);
    if (typeof credentials === 'string') {
      warnings.push({ path: `auths[${JSON.stringify(key)}]`, message: credentials });
    } else if (credentials !== undefined) {
      const isLegacy = /^https?:\/\//.test(key);
      (isLegacy ? legacy : exact).set(normalisedKey(key), credentials);
    }
  }
  return ok({ entries: new Map([...legacy, ...exact]) }, warnings);
}

/** For a repository such as `quay.io/team/app`: its own entry, then those of its parents up to the host. */
export function credentialsFor({ entries }: AuthFile, repository: string): Credentials | undefined {
  let key = normalisedKey(repository);
  for (;;) {
    const found = entries.get(key);
    if (found !== undefined) return found;
    const slash = key.lastIndexOf('/');
    if (slash < 0) return undefined;
    key = key.slice(0, slash);
  }
}

const DOCKER_HOSTS = new Set(['index.docker.io', 'registry-1.docker.io']);

function normalisedKey(key: string): string {
  const scheme = /^https?:\/\//.exec(key)?.[0];
  const bare = scheme === undefined ? key : (key.slice(scheme.length).split('/', 1)[0] ?? '');
  const trimmed = bare.replace(/\/+$/, '');
  const [host = '', ...path] = trimmed.split('/');
  return [DOCKER_HOSTS.has(host) ? 'docker.io' : host, ...path].join('/');
}

/** Undefined for an entry without credentials, as `podman logout` leaves it; a string is a problem. */
function readEntry(entry: unknown): Credentials | string | undefined {
  if (!isObject(entry)) return 'is not an object';
  const auth = own(entry, 'auth');
  if (auth === undefined || auth === '') return undefined;
  if (typeof auth !== 'string') return 'auth is not a string';
  const bytes = base64Bytes(auth.trim());
  if (bytes === undefined) return 'auth is not base64';
  const text = new TextDecoder().decode(bytes);
  const colon = text.indexOf(':');
  if (colon < 0) return 'auth is not a user and a password';
  // Some tools pad the encoded text.
  return { username: text.slice(0, colon), password: text.slice(colon + 1).replace(/\0+$/, '') };
}
