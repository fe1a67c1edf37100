/**
 * The response to a discovery request. The entry point of this module.
 */
import { sha512 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { aggregatedDiscovery } from './aggregated-discovery.ts';
import { type DiscoveryRequest, wantsIndent } from './discovery-request.ts';
import { acceptedTypes } from './media-types.ts';
import { memoized } from './memoized.ts';
import { contentType, negotiate, type ResponseFormat } from './negotiate.ts';
import { openApiResponse } from './openapi-response.ts';
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from './plain-discovery.ts';
import {
  type DiscoveryResponse,
  type Header,
  indentedResponse,
  notAcceptable,
  pageNotFound,
  uncached,
  versionNotFound,
  writtenBody,
} from './response.ts';
import { rootPaths } from './root-paths.ts';
import { findGroup } from './served-groups.ts';
import type { ServedResource } from './served-resource.ts';
import { serverVersion } from './server-version.ts';

/** Undefined where the path is not one of discovery. The method is GET. */
export function discoveryResponse(
  request: DiscoveryRequest,
  resources: readonly ServedResource[],
): DiscoveryResponse | undefined {
  const { path } = request;
  if (path === '/') return indentedResponse({ paths: rootPaths(resources) });
  if (path.startsWith('/openapi/')) return openApiResponse(request, resources);
  const context = { request, resources };
  const [root, first, second, ...rest] = segmentsOf(path);
  if (rest.length > 0) return undefined;
  if (root === 'version' && first === undefined) return versionResponse(request);
  if (root === 'api' && first === undefined) return rootResponse(context, 'api');
  if (root === 'api') {
    return second === undefined ? resourcesResponse(context, { group: '', version: first ?? '' }) : undefined;
  }
  if (root !== 'apis') return undefined;
  if (first === undefined) return rootResponse(context, 'apis');
  // The core group has no name, and so no path here.
  if (first === '') return pageNotFound;
  return second === undefined
    ? groupResponse(context, first)
    : resourcesResponse(context, { group: first, version: second });
}

type RequestContext = { readonly request: DiscoveryRequest; readonly resources: readonly ServedResource[] };

/** A trailing slash is ignored. */
function segmentsOf(path: string): readonly string[] {
  return (path.endsWith('/') ? path.slice(0, -1) : path).split('/').slice(1);
}

function versionResponse({ accept }: DiscoveryRequest): DiscoveryResponse {
  const takesJson = acceptedTypes(accept).some(({ name }) => ['application/json', '*/*'].includes(name));
  return takesJson ? indentedResponse(serverVersion) : notAcceptable('routed', ['application/json']);
}

function rootResponse({ request, resources }: RequestContext, root: 'api' | 'apis'): DiscoveryResponse {
  const form = negotiate(request.accept, true);
  if (form === 'unknown type') return notAcceptable(root === 'api' ? 'routed' : 'handled');
  if (form === 'unknown form') return notAcceptable('handled');
  if (form.isAggregated) return aggregatedResponse({ request, resources }, root, form);
  return root === 'api'
    ? written(request, form, apiVersions(resources, request.serverAddress ?? ''))
    : written(request, form, apiGroupList(resources));
}

function groupResponse({ request, resources }: RequestContext, name: string): DiscoveryResponse {
  const group = findGroup(resources, name);
  if (group === undefined) return pageNotFound;
  const form = negotiate(request.accept, false);
  return typeof form === 'string' ? notAcceptable('handled') : written(request, form, apiGroup(group));
}

type GroupVersion = { readonly group: string; readonly version: string };

function resourcesResponse({ request, resources }: RequestContext, wanted: GroupVersion): DiscoveryResponse {
  const found = findGroup(resources, wanted.group);
  const served = found?.versions.find(({ version }) => version === wanted.version);
  if (served === undefined) {
    const isOwn = found?.versions.every(({ origin }) => origin === 'builtin') === true;
    return isOwn ? versionNotFound(wantsIndent(request)) : pageNotFound;
  }
  const form = negotiate(request.accept, false);
  if (form === 'unknown type') return notAcceptable(served.origin === 'builtin' ? 'routed' : 'handled');
  return form === 'unknown form' ? notAcceptable('handled') : written(request, form, apiResourceList(served));
}

function written(request: DiscoveryRequest, form: ResponseFormat, value: object): DiscoveryResponse {
  return {
    status: 200,
    headers: [uncached, ['content-type', contentType(form)]],
    body: writtenBody(value, form.syntax, wantsIndent(request)),
  };
}

/** The tag is the same for every representation of the document. */
function aggregatedResponse(
  { request, resources }: RequestContext,
  root: 'api' | 'apis',
  form: ResponseFormat,
): DiscoveryResponse {
  const { value, text, tag } = aggregated[root](resources);
  const headers: readonly Header[] = [
    ['cache-control', 'public'],
    ['etag', tag],
    ['vary', 'Accept'],
  ];
  if (request.ifNoneMatch === tag) return { status: 304, headers, body: '' };
  const isAsKept = form.syntax === 'json' && !wantsIndent(request);
  return {
    status: 200,
    headers: [...headers, ['content-type', contentType(form)]],
    body: isAsKept ? text : writtenBody(value, form.syntax, wantsIndent(request)),
  };
}

const aggregated = {
  api: memoized((resources: readonly ServedResource[]) => tagged(aggregatedDiscovery(resources, 'api'))),
  apis: memoized((resources: readonly ServedResource[]) => tagged(aggregatedDiscovery(resources, 'apis'))),
};

function tagged(value: object) {
  const text = writtenBody(value, 'json', false);
  return { value, text, tag: `"${bytesToHex(sha512(utf8ToBytes(text))).toUpperCase()}"` };
}
