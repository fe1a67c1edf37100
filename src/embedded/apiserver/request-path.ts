/**
 * The path of a request through the server:
 *
 *     authentication → flow control → authorization → negotiation → dispatch (`verbs`, `subresources`) → response
 *
 * Errors are thrown as `StatusError` and become responses here.
 */

import type { CustomResource } from '../crds/index.ts';
import { discoveryResponse } from '../discovery/index.ts';
import { type Attributes, authorize, forbiddenText, type RuleSource, type User } from '../rbac/index.ts';
import type { Resource } from '../resources/index.ts';
import {
  badRequest,
  forbidden,
  methodNotAllowed,
  noSuchResource,
  notFound,
  StatusError,
  statusError,
} from '../status/index.ts';
import type { Authenticator } from './authenticate.ts';
import type { Call } from './call.ts';
import { healthResponse } from './health.ts';
import type { FlowControl } from './http/flow-control.ts';
import { classifyFlow } from './http/flow-schema.ts';
import type { PendingRequest, Request, Response } from './http/http.ts';
import { headOf, withBody, withSeat } from './http/with-seat.ts';
import { impersonated } from './impersonate.ts';
import { internalErrorResponse } from './internal-error.ts';
import type { ServerMetrics } from './metrics.ts';
import { negotiate } from './negotiation.ts';
import { type RequestInfo, type ResourceInfo, requestInfo } from './request-info.ts';
import { plainTextResponse, statusResponse } from './response.ts';
import type { ServerContext } from './server-context.ts';
import { isProxySubresource, subresourceHandler } from './subresources/subresource-handlers.ts';
import { dispatchVerb } from './verbs/dispatch.ts';
import { Query } from './verbs/query-options.ts';

type ServerParts = {
  readonly server: ServerContext;
  readonly authenticator: Authenticator;
  readonly rules: RuleSource;
  readonly tokenKey: Uint8Array;
  readonly metrics: ServerMetrics;
  readonly flowControl: FlowControl;
};

/** For clients within the process, whose requests are complete. */
export function handleRequest(parts: ServerParts, request: Request): Promise<Response> {
  return withUser(parts, request, (authenticated) => {
    checkAuthorization(parts, authenticated);
    return serve(parts, authenticated);
  });
}

/** For requests from the network: their body is read only once they have a seat. */
export function receiveRequest(parts: ServerParts, pending: PendingRequest): Promise<Response> {
  return withUser(parts, headOf(pending), (authenticated) => {
    const { user, info } = authenticated;
    const flow = classifyFlow({ user, info });
    return withSeat({ flowControl: parts.flowControl, flow, pending }, async () => {
      checkAuthorization(parts, authenticated);
      return withBody(pending, (request) => serve(parts, { ...authenticated, request }));
    });
  });
}

type AuthenticatedRequest = {
  readonly request: Request;
  readonly info: RequestInfo;
  readonly query: Query;
  readonly user: User;
};

type Handler = (authenticated: AuthenticatedRequest) => Promise<Response>;

/** Authenticates the client. Errors, here or in the handler, become responses; every response is counted. */
async function withUser(parts: ServerParts, request: Request, handle: Handler): Promise<Response> {
  const query = new Query(request.query);
  const info = requestInfo(request, query);
  const response = await responseOrError(parts, request, async () => {
    if (info === undefined) throw badRequest('the path of the request has invalid escapes');
    const user = impersonated(parts.rules, request, parts.authenticator.authenticate(request));
    return handle({ request, info, query, user });
  });
  const verb = info?.verb ?? request.method.toLowerCase();
  const resource = info?.kind === 'resource' ? info.resource : '';
  parts.metrics.count({ verb, resource, code: response.status });
  return response;
}

async function responseOrError(
  { server }: ServerParts,
  request: Request,
  handle: () => Promise<Response>,
): Promise<Response> {
  try {
    return await handle();
  } catch (error) {
    if (error instanceof StatusError) {
      const { status, isPlainText, message } = error;
      return isPlainText
        ? plainTextResponse(status.code, message, request)
        : statusResponse(status, { request });
    }
    return internalErrorResponse(server.env.log, request, error);
  }
}

function checkAuthorization({ rules }: ServerParts, { info, user }: AuthenticatedRequest): void {
  const attributes = attributesOf(info, user);
  const { allowed, reason } = authorize(attributes, rules);
  if (allowed) return;
  const text = forbiddenText(attributes, reason);
  if (info.kind === 'resource') {
    throw forbidden({ group: info.group, plural: info.resource }, info.targetName, text);
  }
  throw statusError({ code: 403, reason: 'Forbidden', message: `forbidden: ${text}`, details: {} });
}

function attributesOf(info: RequestInfo, user: User): Attributes {
  const { verb } = info;
  if (info.kind === 'path') return { kind: 'path', user, verb, path: info.path };
  const { group, version, resource, subresource, namespace, targetName: name } = info;
  return { kind: 'resource', user, verb, group, version, resource, subresource, namespace, name };
}

/** The request is authorized. */
async function serve(
  parts: ServerParts,
  { request, info, query, user }: AuthenticatedRequest,
): Promise<Response> {
  return info.kind === 'path'
    ? servePath(parts, { path: info.path, request, query })
    : serveResource(parts, { request, info, query, user });
}

type PathRequest = { readonly path: string; readonly request: Request; readonly query: Query };

function servePath(parts: ServerParts, { path, request, query }: PathRequest): Response {
  const { server, metrics } = parts;
  const health = healthResponse(path, request, query);
  if (health !== undefined) return health;
  if (request.method !== 'GET') throw methodNotAllowed();
  if (path === '/metrics') return plainTextResponse(200, metrics.text(), request);
  const answer = discoveryResponse(
    {
      path,
      accept: request.headers.accept ?? '',
      ifNoneMatch: request.headers['if-none-match'] ?? '',
      query: request.query,
      userAgent: request.headers['user-agent'] ?? '',
      serverAddress: request.headers.host ?? '',
    },
    server.catalog.all(),
  );
  if (answer === undefined) return pageNotFound(request);
  const { status, headers, body } = answer;
  return { status, headers, body: typeof body === 'string' ? new TextEncoder().encode(body) : body };
}

async function serveResource(
  { server, authenticator, rules, tokenKey }: ServerParts,
  { request, info, query, user }: AuthenticatedRequest & { readonly info: ResourceInfo },
): Promise<Response> {
  const { group, version, resource: plural, subresource, verb } = info;
  const resource = server.catalog.find(group, version, plural);
  if (resource === undefined) {
    if (server.catalog.isBuiltinGroup(group)) throw noSuchResource();
    return pageNotFound(request);
  }
  if (!isInScope(resource, info)) {
    if (resource.origin === 'builtin') throw noSuchResource();
    return pageNotFound(request);
  }
  const isProxied = isProxySubresource(resource, subresource);
  const format = negotiate(isProxied ? undefined : request.headers.accept, { resource, subresource, verb });
  const call: Call = { request, info, query, user, resource, format, warnings: deprecations(resource) };
  const auth = { authenticator, rules, tokenKey };
  if (subresource === '') return withWarnings(call, () => dispatchVerb(server, call, auth));
  const handler = subresourceHandler(resource, subresource);
  if (handler === undefined || (info.rest.length > 0 && !isProxied)) {
    throw resource.origin === 'custom' ? notFound(resource, info.name) : noSuchResource();
  }
  return withWarnings(call, () => handler(server, call, auth));
}

/** Objects of a namespaced resource have a namespace in their path, others have none. */
function isInScope({ scope }: Resource, { namespace, name, resource: plural }: ResourceInfo): boolean {
  return scope === 'Namespaced'
    ? namespace !== '' || name === ''
    : namespace === '' || plural === 'namespaces';
}

function pageNotFound(request: Request): Response {
  return plainTextResponse(404, '404 page not found\n', request);
}

function deprecations(resource: Resource): string[] {
  if (resource.origin === 'custom') {
    // Custom resources are made by `crds`, with this field.
    const { deprecation } = resource as CustomResource;
    return deprecation === undefined ? [] : [deprecation];
  }
  return resource.group === '' && resource.plural === 'endpoints' ? [ENDPOINTS_DEPRECATION] : [];
}

const ENDPOINTS_DEPRECATION = 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice';

/** Errors carry the warnings too. */
async function withWarnings(call: Call, handle: () => Promise<Response> | Response): Promise<Response> {
  try {
    return await handle();
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const { request, warnings } = call;
    // kube-apiserver answers 405 from its router, before anything can warn.
    return statusResponse(error.status, { request, warnings: error.status.code === 405 ? [] : warnings });
  }
}
