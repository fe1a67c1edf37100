/**
 * The reference that images of a MachineOSConfig are pushed to: `host[:port][/namespace]/name:tag`.
 *
 * The API accepts more than can be used: `docker.io/os:latest` is short for another name, and the digest of an image that
 * is nested deeper than `host/namespace/name` would be refused in the status once the build has succeeded.
 */
import { invalid, type Outcome } from '../../base/errors.ts';
import { type ImageReference, parseImageReference, repositoryText } from '../image-reference.ts';
import { isLoopback } from '../names.ts';

export function parsePushReference(text: string): Outcome<ImageReference> {
  const parsed = parseImageReference(text);
  if (parsed.kind === 'invalid') return parsed;
  const repository = repositoryText(parsed.value);
  if (parsed.value.digest !== undefined) {
    return problem(
      text,
      `a digest is not allowed, as it is not known before the image is built: write ${repository}:${parsed.value.tag ?? 'latest'}`,
    );
  }
  if (!text.startsWith(`${repository}:`)) {
    return problem(
      text,
      `repository name must be canonical: write ${repository}:${parsed.value.tag ?? 'latest'}`,
    );
  }
  if (isTooDeep(parsed.value)) {
    return problem(
      text,
      'at most one namespace is allowed before the name of the image: host[:port][/namespace]/name:tag',
    );
  }
  return parsed;
}

/** Whether the API accepts an image as `currentImagePullSpec`: `host.name[:port][/namespace]/name@sha256:…`. */
export function isCurrentImage(text: string): boolean {
  const parsed = parseImageReference(text);
  if (parsed.kind === 'invalid') return false;
  const { host, digest = '' } = parsed.value;
  const isCanonical = text === digestedReference(parsed.value, digest);
  return isCanonical && digest.startsWith('sha256:') && host.includes('.') && !isTooDeep(parsed.value);
}

function isTooDeep({ repository }: ImageReference): boolean {
  return repository.split('/').length > MAX_PATH_SEGMENTS;
}

const MAX_PATH_SEGMENTS = 2;

/** The tag of a build is its name; the tag of the MachineOSConfig is only a placeholder. */
export function pushReferenceOf(reference: ImageReference, build: string): string {
  return `${repositoryText(reference)}:${build}`;
}

/** `quay.io/example/os` of `quay.io/example/os:infra-1`. */
export function repositoryOfTag(reference: string): string {
  return reference.replace(/:[^:/]*$/, '');
}

export function digestedReference(reference: ImageReference, digest: string): string {
  return `${repositoryText(reference)}@${digest}`;
}

function problem(text: string, message: string): Outcome<ImageReference> {
  return invalid([{ path: '', message: `${JSON.stringify(text)}: ${message}` }]);
}

/** Registries on this machine have no certificates; the hosts of such references. */
export function plainHttpHosts(references: readonly string[]): readonly string[] {
  return references.flatMap((reference) => {
    const parsed = parseImageReference(reference);
    return parsed.kind === 'ok' && isLoopback(parsed.value.host) ? [parsed.value.host] : [];
  });
}
