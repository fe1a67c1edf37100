/**
 * Blobs of a repository: existence, content, ranges and deletion.
 */
import { isDigest } from '../../images/index.ts';
import { answer, refused } from './registry-answers.ts';
import type { RegistryRequest, RegistryResponse } from './registry-http.ts';
import type { RegistryParts } from './registry-part.ts';
import type { ByteRange } from './registry-store.ts';

type BlobRoute = { readonly name: string; readonly digest: string };

export async function answerBlob(
  { store, repositories }: RegistryParts,
  { name, digest }: BlobRoute,
  request: RegistryRequest,
): Promise<RegistryResponse> {
  if (!isDigest(digest)) return refused('DIGEST_INVALID', { detail: digest.slice(0, 200) });
  const size = (await repositories.hasBlob(name, digest)) ? await store.blobSize(digest) : undefined;
  if (size === undefined) return refused('BLOB_UNKNOWN', { detail: digest });
  const common = {
    'accept-ranges': 'bytes',
    'cache-control': 'max-age=31536000',
    'content-type': 'application/octet-stream',
    'docker-content-digest': digest,
    etag: `"${digest}"`,
  };
  const range = request.method === 'HEAD' ? undefined : requestedRange(request.headers.range, size);
  if (range === 'outside') {
    return refused('RANGE_INVALID', { headers: { 'content-range': `bytes */${size}` } });
  }
  const { start, end } = range ?? { start: 0, end: size };
  const headers = { ...common, 'content-length': String(end - start) };
  const body = store.readBlob(digest, { start, end });
  if (range === undefined) return answer(200, headers, body);
  return answer(206, { ...headers, 'content-range': `bytes ${start}-${end - 1}/${size}` }, body);
}

/** The content stays until garbage collection, since other repositories may use it. */
export async function deleteBlob(
  { repositories }: RegistryParts,
  { name, digest }: BlobRoute,
): Promise<RegistryResponse> {
  if (!isDigest(digest)) return refused('DIGEST_INVALID', { detail: digest.slice(0, 200) });
  if (!(await repositories.hasBlob(name, digest))) return refused('BLOB_UNKNOWN', { detail: digest });
  await repositories.removeBlob(name, digest);
  return answer(202, {});
}

/** A single range; for several or malformed ones the whole content is sent, as HTTP allows. */
function requestedRange(header: string | undefined, size: number): ByteRange | 'outside' | undefined {
  const [, first = '', last = ''] = /^bytes=([0-9]{0,15})-([0-9]{0,15})$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size : Math.min(size, Number(last) + 1);
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  return start < end ? { start, end } : 'outside';
}
