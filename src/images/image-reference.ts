/**
 * Image references, parsed like container tools do: `ubi9` is `docker.io/library/ubi9:latest`; names with a host
 * are unchanged.
 *
 *     [host[:port]/]path[:tag][@digest]
 */
import { invalid, type Outcome, ok } from '../base/errors.ts';
import { isDigest } from './digest.ts';
import { isHost, isRepositoryName, isTag, MAX_NAME_LENGTH } from './names.ts';

export type ImageReference = {
  /** With its port: `quay.io`, `localhost:5000`, `[::1]:5000`. */
  readonly host: string;
  /** Within the host: `library/ubi9`. */
  readonly repository: string;
  /** `latest` where there is neither a tag nor a digest. */
  readonly tag?: string;
  /** Takes precedence over the tag. */
  readonly digest?: string;
};

const DEFAULT_HOST = 'docker.io';
const LEGACY_DEFAULT_HOST = 'index.docker.io';
const DEFAULT_TAG = 'latest';
/** Longer than any name with a tag and a digest. */
const MAX_REFERENCE_LENGTH = 1024;

export function parseImageReference(text: string): Outcome<ImageReference> {
  if (text.length > MAX_REFERENCE_LENGTH) return refused(text, 'it is too long');
  if (text === '') return refused(text, 'it is empty');
  // Container tools would take it for an image ID.
  if (/^[0-9a-f]{64}$/.test(text)) return refused(text, 'cannot specify 64-byte hexadecimal strings');
  const at = text.indexOf('@');
  const digest = at < 0 ? undefined : text.slice(at + 1);
  if (digest !== undefined && !isDigest(digest)) return refused(text, 'the digest is invalid');
  const named = at < 0 ? text : text.slice(0, at);
  const { host, rest } = splitHost(named);
  if (!isHost(host)) return refused(text, 'the host is invalid');
  const colon = rest.indexOf(':');
  const tag = colon < 0 ? undefined : rest.slice(colon + 1);
  if (tag !== undefined && !isTag(tag)) return refused(text, 'the tag is invalid');
  const path = colon < 0 ? rest : rest.slice(0, colon);
  const repository = host === DEFAULT_HOST && !path.includes('/') ? `library/${path}` : path;
  const problem = repositoryProblem(path, `${host}/${repository}`);
  if (problem !== undefined) return refused(text, problem);
  return ok({
    host,
    repository,
    ...(tag !== undefined ? { tag } : digest === undefined ? { tag: DEFAULT_TAG } : {}),
    ...(digest === undefined ? {} : { digest }),
  });
}

/** `quay.io/a/b`: for credentials and messages. */
export function repositoryText({ host, repository }: Pick<ImageReference, 'host' | 'repository'>): string {
  return `${host}/${repository}`;
}

export function referenceText(reference: ImageReference): string {
  const { tag, digest } = reference;
  const tagged = tag === undefined ? '' : `:${tag}`;
  return `${repositoryText(reference)}${tagged}${digest === undefined ? '' : `@${digest}`}`;
}

/** The last part of a manifest's URL. */
export function tagOrDigest({ tag = DEFAULT_TAG, digest }: ImageReference): string {
  return digest ?? tag;
}

/** The host of the registry's API. */
export function apiHost(host: string): string {
  return host === DEFAULT_HOST ? 'registry-1.docker.io' : host;
}

/** The first component is a host where it cannot be part of a path: `a.b`, `a:1`, `localhost`, `Upper`. */
function splitHost(named: string): { readonly host: string; readonly rest: string } {
  const slash = named.indexOf('/');
  const first = named.slice(0, Math.max(slash, 0));
  const isNamedHost = slash > 0 && (/[.:[\]]/.test(first) || first === 'localhost' || /[A-Z]/.test(first));
  if (!isNamedHost) return { host: DEFAULT_HOST, rest: named };
  return { host: first === LEGACY_DEFAULT_HOST ? DEFAULT_HOST : first, rest: named.slice(slash + 1) };
}

function repositoryProblem(path: string, name: string): string | undefined {
  if (name.length > MAX_NAME_LENGTH) {
    return `repository name must not be more than ${MAX_NAME_LENGTH} characters`;
  }
  if (isRepositoryName(path)) return undefined;
  return isRepositoryName(path.toLowerCase())
    ? 'repository name must be lowercase'
    : 'the repository is invalid';
}

function refused(text: string, why: string): Outcome<ImageReference> {
  const shown = text.length > MAX_REFERENCE_LENGTH ? `${text.slice(0, 64)}…` : text;
  return invalid([{ path: '', message: `${JSON.stringify(shown)}: invalid reference format: ${why}` }]);
}
