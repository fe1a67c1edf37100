/**
 * Lists: tags, the catalog of repositories, and referrers of a manifest.
 */
import { compareBytes } from '../../base/json.ts';
import { isDigest, OCI_INDEX } from '../../images/index.ts';
import { answerJson, refused } from './registry-answers.ts';
import type { RegistryRequest, RegistryResponse } from './registry-http.ts';
import { storedManifest } from './registry-manifests.ts';
import type { RegistryParts } from './registry-part.ts';

export async function answerTags(
  { repositories, limits }: RegistryParts,
  name: string,
  request: RegistryRequest,
): Promise<RegistryResponse> {
  const tags = await repositories.tags(name);
  if (tags.length === 0 && !(await repositories.exists(name))) {
    return refused('NAME_UNKNOWN', { detail: { name } });
  }
  return answerPage(
    { items: tags, path: `/v2/${name}/tags/list`, query: request.query, limit: limits.pageSize },
    (page) => ({
      name,
      tags: page,
    }),
  );
}

export async function answerCatalog(
  { repositories, limits }: RegistryParts,
  request: RegistryRequest,
): Promise<RegistryResponse> {
  const items = await repositories.names();
  const list = { items, path: '/v2/_catalog', query: request.query, limit: limits.pageSize };
  return answerPage(list, (page) => ({ repositories: page }));
}

/** Empty if there are no referrers, even if the manifest does not exist. */
export async function answerReferrers(
  parts: RegistryParts,
  { name, digest }: { readonly name: string; readonly digest: string },
  request: RegistryRequest,
): Promise<RegistryResponse> {
  if (!isDigest(digest)) return refused('DIGEST_INVALID', { detail: digest.slice(0, 200) });
  const wanted = new URLSearchParams(request.query).get('artifactType');
  const manifests: object[] = [];
  for (const referrer of await parts.repositories.referrers(name, digest)) {
    const manifest = await storedManifest(parts, name, referrer);
    const size = await parts.store.blobSize(referrer);
    if (manifest === undefined || size === undefined) continue;
    const { mediaType, annotations } = manifest;
    const artifactType =
      manifest.artifactType ?? (manifest.kind === 'image' ? manifest.config.mediaType : undefined);
    if (wanted !== null && artifactType !== wanted) continue;
    manifests.push({ mediaType, digest: referrer, size, ...(artifactType && { artifactType }), annotations });
  }
  const filtered = wanted === null ? {} : { 'oci-filters-applied': 'artifactType' };
  const index = { schemaVersion: 2, mediaType: OCI_INDEX, manifests };
  return answerJson(index, { headers: { 'content-type': OCI_INDEX, ...filtered } });
}

type List = {
  readonly items: readonly string[];
  readonly path: string;
  readonly query: string;
  readonly limit: number;
};

/** `n` items after `last`, with a `Link` to the next page. */
function answerPage(
  { items, path, query, limit }: List,
  finish: (page: readonly string[]) => object,
): RegistryResponse {
  const asked = new URLSearchParams(query);
  const n = asked.get('n');
  if (n !== null && !/^[0-9]{1,9}$/.test(n))
    return refused('PAGINATION_NUMBER_INVALID', { detail: { n: n.slice(0, 32) } });
  const count = n === null ? limit : Math.min(limit, Number(n));
  const last = asked.get('last');
  const behind = last === null ? items : items.filter((item) => compareBytes(item, last) > 0);
  const page = behind.slice(0, count);
  const end = page.at(-1);
  if (end === undefined || behind.length <= page.length) return answerJson(finish(page));
  const next = `${path}?last=${encodeURIComponent(end)}&n=${count}`;
  return answerJson(finish(page), { headers: { link: `<${next}>; rel="next"` } });
}
