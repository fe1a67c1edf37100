/**
 * Manifests of a repository, by tag and by digest. A manifest is accepted only if everything it references exists.
 */
import { formatProblem } from '../../base/errors.ts';
import {
  algorithmOf,
  bareMediaType,
  digestOf,
  type Index,
  isDigest,
  isManifestType,
  isTag,
  MAX_MANIFEST_BYTES,
  type Manifest,
  parseManifest,
  readBytes,
} from '../../images/index.ts';
import { answer, refused, refusedForAll } from './registry-answers.ts';
import type { RegistryRequest, RegistryResponse } from './registry-http.ts';
import type { RegistryParts } from './registry-part.ts';

type ManifestRoute = { readonly name: string; readonly reference: string };

export async function answerManifest(
  { store, repositories }: RegistryParts,
  { name, reference }: ManifestRoute,
): Promise<RegistryResponse> {
  const digest = await digestFor({ repositories }, { name, reference });
  const mediaType = digest === undefined ? undefined : await repositories.manifestType(name, digest);
  const size = digest === undefined || mediaType === undefined ? undefined : await store.blobSize(digest);
  if (digest === undefined || mediaType === undefined || size === undefined)
    return unknown({ name, reference });
  const headers = {
    'content-type': mediaType,
    'content-length': String(size),
    'docker-content-digest': digest,
    etag: `"${digest}"`,
  };
  return answer(200, headers, store.readBlob(digest, { start: 0, end: size }));
}

export async function putManifest(
  parts: RegistryParts,
  { name, reference }: ManifestRoute,
  { headers, body }: RegistryRequest,
): Promise<RegistryResponse> {
  if (!isDigest(reference) && !isTag(reference))
    return refused('TAG_INVALID', { detail: reference.slice(0, 200) });
  const bytes = await readBytes(body, MAX_MANIFEST_BYTES);
  if (bytes === undefined) {
    return refused('MANIFEST_INVALID', { status: 413, detail: `larger than ${MAX_MANIFEST_BYTES} bytes` });
  }
  const digest = digestOf(bytes, isDigest(reference) ? algorithmOf(reference) : 'sha256');
  if (isDigest(reference) && reference !== digest) return refused('DIGEST_INVALID', { detail: digest });
  const mediaType = bareMediaType(headers['content-type']);
  if (mediaType !== '' && !isManifestType(mediaType)) {
    return refused('MANIFEST_INVALID', { detail: `unsupported media type ${mediaType.slice(0, 200)}` });
  }
  const parsed = parseManifest(bytes, mediaType);
  if (parsed.kind === 'invalid') {
    return refused('MANIFEST_INVALID', { detail: parsed.problems.map(formatProblem).join('; ') });
  }
  const manifest = parsed.value;
  return await parts.lock.shared(async () => {
    const missing = await missingIn(parts, name, manifest);
    if (missing.length > 0) return refusedForAll('MANIFEST_BLOB_UNKNOWN', missing);
    // In this order, so that a crash never leaves an incomplete reference.
    await parts.store.putBlob(digest, bytes);
    await parts.repositories.addManifest(name, digest, manifest.mediaType);
    const subject = manifest.subject?.digest;
    if (subject !== undefined) await parts.repositories.addReferrer(name, { subject, referrer: digest });
    if (reference !== digest) await parts.repositories.setTag(name, reference, digest);
    return answer(201, {
      location: `/v2/${name}/manifests/${digest}`,
      'docker-content-digest': digest,
      ...(subject === undefined ? {} : { 'oci-subject': subject }),
    });
  });
}

/** By tag only the tag, by digest the manifest with all its tags. */
export async function deleteManifest(
  parts: RegistryParts,
  { name, reference }: ManifestRoute,
): Promise<RegistryResponse> {
  const { repositories } = parts;
  const digest = await digestFor(parts, { name, reference });
  if (digest === undefined || (await repositories.manifestType(name, digest)) === undefined) {
    return unknown({ name, reference });
  }
  return await parts.lock.shared(async () => {
    if (reference !== digest) {
      await repositories.removeTag(name, reference);
      return answer(202, {});
    }
    await forgetManifest(parts, name, digest);
    return answer(202, {});
  });
}

/** Tags first, so that none is left dangling. */
export async function forgetManifest(parts: RegistryParts, name: string, digest: string): Promise<void> {
  const { repositories } = parts;
  for (const tag of await repositories.tags(name)) {
    if ((await repositories.tag(name, tag)) === digest) await repositories.removeTag(name, tag);
  }
  const subject = (await storedManifest(parts, name, digest))?.subject?.digest;
  if (subject !== undefined) await repositories.removeReferrer(name, { subject, referrer: digest });
  await repositories.removeManifest(name, digest);
}

/** Undefined if it does not exist. */
export async function storedManifest(
  { store, repositories }: Pick<RegistryParts, 'store' | 'repositories'>,
  name: string,
  digest: string,
): Promise<Manifest | Index | undefined> {
  const mediaType = await repositories.manifestType(name, digest);
  const size = mediaType === undefined ? undefined : await store.blobSize(digest);
  if (mediaType === undefined || size === undefined) return undefined;
  const bytes = await readBytes(store.readBlob(digest, { start: 0, end: size }), MAX_MANIFEST_BYTES);
  const parsed = bytes === undefined ? undefined : parseManifest(bytes, mediaType);
  return parsed?.kind === 'ok' ? parsed.value : undefined;
}

async function digestFor(
  { repositories }: Pick<RegistryParts, 'repositories'>,
  { name, reference }: ManifestRoute,
): Promise<string | undefined> {
  if (isDigest(reference)) return reference;
  return isTag(reference) ? await repositories.tag(name, reference) : undefined;
}

/** A `subject` may be pushed later. */
async function missingIn(
  { store, repositories }: RegistryParts,
  name: string,
  manifest: Manifest | Index,
): Promise<readonly string[]> {
  const isThere = async (digest: string): Promise<boolean> => {
    const isKnown =
      manifest.kind === 'index'
        ? (await repositories.manifestType(name, digest)) !== undefined
        : await repositories.hasBlob(name, digest);
    return isKnown && (await store.blobSize(digest)) !== undefined;
  };
  const needed =
    manifest.kind === 'index'
      ? manifest.manifests
      : [manifest.config, ...manifest.layers.filter(({ isForeign }) => !isForeign)];
  const missing: string[] = [];
  for (const digest of new Set(needed.map((descriptor) => descriptor.digest))) {
    if (!(await isThere(digest))) missing.push(digest);
  }
  return missing;
}

function unknown({ name, reference }: ManifestRoute): RegistryResponse {
  const detail = isDigest(reference) ? { Name: name, Revision: reference } : { Tag: reference.slice(0, 200) };
  return refused('MANIFEST_UNKNOWN', { detail });
}
