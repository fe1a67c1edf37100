/**
 * `/openapi/v3` and the paths below it: an index of documents with their hashes, and the documents. Also `/openapi/v2`.
 */

import type { DiscoveryRequest } from './discovery-request.ts';
import { acceptedTypes } from './media-types.ts';
import { memoized } from './memoized.ts';
import { type OpenApiDocument, openApiDocuments } from './openapi-document.ts';
import { emptyOpenApiV2, openApiV2 } from './openapi-v2.ts';
import { type DiscoveryResponse, emptyResponse, type Header, JSON_TYPE, uncached } from './response.ts';
import type { ServedResource } from './served-resource.ts';

/** The path begins with `/openapi/`. */
export function openApiResponse(
  request: DiscoveryRequest,
  resources: readonly ServedResource[],
): DiscoveryResponse | undefined {
  const { path } = request;
  if (path === '/openapi/v2') return v2Response(request, resources);
  if (path === INDEX) return indexResponse(resources);
  if (!path.startsWith(`${INDEX}/`)) return undefined;
  const name = path.slice(INDEX.length + 1);
  const document = openApiDocuments(resources).get(name);
  return document === undefined ? emptyResponse(404) : documentResponse(request, name, document);
}

const INDEX = '/openapi/v3';

function urlOf(name: string, { hash }: OpenApiDocument): string {
  return `${INDEX}/${name}?hash=${hash}`;
}

const indexText = memoized((documents: ReadonlyMap<string, OpenApiDocument>): string => {
  const entries = [...documents].map(([name, document]) => [
    name,
    { serverRelativeURL: urlOf(name, document) },
  ]);
  return JSON.stringify({ paths: Object.fromEntries(entries) });
});

/** kube-apiserver sets no content type, so net/http guesses this one; clients ignore it. */
function indexResponse(resources: readonly ServedResource[]): DiscoveryResponse {
  const type: Header = ['content-type', 'text/plain; charset=utf-8'];
  return { status: 200, headers: [uncached, type], body: indexText(openApiDocuments(resources)) };
}

/**
 * With the right hash a document may be cached for ever; with a wrong one the client is redirected to the right
 * one.
 */
function documentResponse(
  request: DiscoveryRequest,
  name: string,
  document: OpenApiDocument,
): DiscoveryResponse {
  const { accept, ifNoneMatch, query } = request;
  const vary: Header = ['vary', 'Accept'];
  if (!takesJson(accept)) return emptyResponse(406, [vary]);
  const tag = `"${document.hash}"`;
  const etag: Header = ['etag', tag];
  const asked = new URLSearchParams(query).get('hash') ?? '';
  if (asked !== '' && asked !== document.hash) {
    return emptyResponse(301, [JSON_TYPE, etag, ['location', urlOf(name, document)], vary]);
  }
  const cache: Header = asked === '' ? uncached : ['cache-control', 'public, immutable'];
  if (names(ifNoneMatch, tag)) return { status: 304, headers: [cache, etag, vary], body: '' };
  return { status: 200, headers: [cache, JSON_TYPE, etag, vary], body: document.bytes };
}

/**
 * kubectl requests version 2 in protobuf. Up to 1.28 `kubectl explain` does not start without a response, although it then
 * reads version 3; later versions look for merge keys here, and fall back to built-in ones. So the protobuf document is
 * empty.
 */
function v2Response({ accept }: DiscoveryRequest, resources: readonly ServedResource[]): DiscoveryResponse {
  const vary: Header = ['vary', 'Accept'];
  if (takesJson(accept))
    return { status: 200, headers: [uncached, JSON_TYPE, vary], body: openApiV2(resources) };
  const isProtobuf = acceptedTypes(accept).some(({ name }) => V2_PROTOBUF_NAMES.has(name));
  if (!isProtobuf) return emptyResponse(406, [vary]);
  const type: Header = ['content-type', V2_PROTOBUF];
  return { status: 200, headers: [uncached, type, vary], body: emptyOpenApiV2 };
}

const V2_PROTOBUF = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
/** The one with `@` came first, and is not a valid media type. */
const V2_PROTOBUF_NAMES: ReadonlySet<string> = new Set([
  V2_PROTOBUF,
  'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
]);

function takesJson(accept: string | undefined): boolean {
  return acceptedTypes(accept).some(({ name }) => JSON_NAMES.has(name));
}

const JSON_NAMES: ReadonlySet<string> = new Set(['application/json', 'application/*', '*/*']);

/** Whether the header `If-None-Match` contains the tag. */
function names(ifNoneMatch: string | undefined, tag: string): boolean {
  const known = (ifNoneMatch ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''));
  return known.includes(tag) || known.includes('*');
}
