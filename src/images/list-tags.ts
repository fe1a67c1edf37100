/**
 * All tags of a repository, page by page.
 */

import { Failure } from '../base/errors.ts';
import { isObject, parseJson } from '../base/json.ts';
import { optionalStringsAt, valueAt } from '../base/json-fields.ts';
import { readErrorResponse, responseFailure } from './error-response.ts';
import { repositoryText } from './image-reference.ts';
import { readBytes } from './read-bytes.ts';
import type { RegistryRequest, RegistryResponse, Requests } from './requests.ts';

type ListTagsOptions = {
  readonly host: string;
  readonly repository: string;
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
};

const MAX_PAGE_BYTES = 16 * 1024 * 1024;
const MAX_PAGES = 10_000;

export async function listTags(requests: Requests, options: ListTagsOptions): Promise<readonly string[]> {
  const { host, repository, limit, signal } = options;
  const doing = `fetching tags list of ${repositoryText(options)}`;
  const tags: string[] = [];
  let to: RegistryRequest['to'] | undefined = { path: 'tags/list' };
  for (let page = 0; to !== undefined; page++) {
    const answer: RegistryResponse = await requests.ask({
      host,
      repository,
      actions: 'pull',
      method: 'GET',
      to,
      signal,
    });
    if (answer.status !== 200) throw responseFailure(doing, await readErrorResponse(answer));
    const more = tagsIn(await readBytes(answer.body, MAX_PAGE_BYTES));
    if (more === undefined)
      throw new Failure('transient', 'BadAnswer', `${doing}: the answer cannot be read`);
    tags.push(...more);
    if (tags.length > limit || page >= MAX_PAGES) {
      throw new Failure('stalled', 'TooManyTags', `${doing}: there are more than ${limit}`);
    }
    to = nextPage(answer);
  }
  return tags;
}

function tagsIn(bytes: Uint8Array | undefined): readonly string[] | undefined {
  const document = parseJson(new TextDecoder().decode(bytes));
  if (!isObject(document)) return undefined;
  // Some registries send null for an empty list.
  return valueAt(document, 'tags') === undefined ? [] : optionalStringsAt(document, 'tags');
}

/** `Link: </v2/a/tags/list?last=x&n=100>; rel="next"` */
function nextPage({ headers, url }: RegistryResponse): RegistryRequest['to'] | undefined {
  const target = /<([^>]+)>\s*;\s*rel="?next"?/.exec(headers.link ?? '')?.[1];
  return target !== undefined && URL.canParse(target, url) ? { url: new URL(target, url).href } : undefined;
}
