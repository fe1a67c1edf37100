/**
 * The one door to this module: the answer to a request for what the server serves.
 */
import { sha512 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { aggregatedDiscovery } from './aggregated-discovery.ts';
import {
  type Answer,
  type Header,
  indentedAnswer,
  notAcceptable,
  pageNotFound,
  uncached,
  versionNotFound,
  writtenBody,
} from './answer.ts';
import { answerOpenApi } from './answer-openapi.ts';
import { type DiscoveryRequest, wantsIndent } from './discovery-request.ts';
import { acceptedTypes } from './media-types.ts';
import { memoized } from './memoized.ts';
import { contentType, type Form, negotiate } from './negotiate.ts';
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from './plain-discovery.ts';
import { rootPaths } from './root-paths.ts';
import { findGroup } from './served-groups.ts';
import type { ServedResource } from './served-resource.ts';
import { serverVersion } from './server-version.ts';

/** Undefined where the path has nothing to do with discovery. The method is GET. */
export function answerDiscovery(
  request: DiscoveryRequest,
  resources: readonly ServedResource[],
): Answer | undefined {
  const { path } = request;
  if (path === '/') return indentedAnswer({ paths: rootPaths(resources) });
  if (path.startsWith('/openapi/')) return answerOpenApi(request, resources);
  const asked = { request, resources };
  const [root, first, second, ...rest] = segmentsOf(path);
  if (rest.length > 0) return undefined;
  if (root === 'version' && first === undefined) return answerVersion(request);
  if (root === 'api' && first === undefined) return answerRoot(asked, 'api');
  if (root === 'api') {
    return second === undefined ? answerResources(asked, { group: '', version: first ?? '' }) : undefined;
  }
  if (root !== 'apis') return undefined;
  if (first === undefined) return answerRoot(asked, 'apis');
  // The core group has no name, and so no path here.
  if (first === '') return pageNotFound;
  return second === undefined
    ? answerGroup(asked, first)
    : answerResources(asked, { group: first, version: second });
}

type Asked = { readonly request: DiscoveryRequest; readonly resources: readonly ServedResource[] };

/** A slash at the end changes nothing. */
function segmentsOf(path: string): readonly string[] {
  return (path.endsWith('/') ? path.slice(0, -1) : path).split('/').slice(1);
}

function answerVersion({ accept }: DiscoveryRequest): Answer {
  const takesJson = acceptedTypes(accept).some(({ name }) => ['application/json', '*/*'].includes(name));
  return takesJson ? indentedAnswer(serverVersion) : notAcceptable('routed', ['application/json']);
}

function answerRoot({ request, resources }: Asked, root: 'api' | 'apis'): Answer {
  const form = negotiate(request.accept, true);
  if (form === 'unknown type') return notAcceptable(root === 'api' ? 'routed' : 'handled');
  if (form === 'unknown form') return notAcceptable('handled');
  if (form.isAggregated) return answerAggregated({ request, resources }, root, form);
  return root === 'api'
    ? written(request, form, apiVersions(resources, request.serverAddress ?? ''))
    : written(request, form, apiGroupList(resources));
}

function answerGroup({ request, resources }: Asked, name: string): Answer {
  const group = findGroup(resources, name);
  if (group === undefined) return pageNotFound;
  const form = negotiate(request.accept, false);
  return typeof form === 'string' ? notAcceptable('handled') : written(request, form, apiGroup(group));
}

type GroupVersion = { readonly group: string; readonly version: string };

function answerResources({ request, resources }: Asked, wanted: GroupVersion): Answer {
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

function written(request: DiscoveryRequest, form: Form, value: object): Answer {
  return {
    status: 200,
    headers: [uncached, ['content-type', contentType(form)]],
    body: writtenBody(value, form.syntax, wantsIndent(request)),
  };
}

/** The tag stands for what is said, whichever form it is said in. */
function answerAggregated({ request, resources }: Asked, root: 'api' | 'apis', form: Form): Answer {
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
