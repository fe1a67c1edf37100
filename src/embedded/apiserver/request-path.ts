/**
 * The way of a request through the server:
 *
 *     who asks → their turn → may they → what is it about → the verb → an answer
 *
 * Whatever is refused on the way is thrown as a `StatusError` and answered here.
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
import type { Call, World } from './call.ts';
import { healthAnswer } from './health.ts';
import type { FlowControl } from './http/flow-control.ts';
import { flowOf } from './http/flow-schema.ts';
import type { Arriving, Request, Response } from './http/http.ts';
import { headOf, inTurn, withBody } from './http/with-seat.ts';
import { impersonated } from './impersonate.ts';
import { harmlessError } from './internal-error.ts';
import type { Metrics } from './metrics.ts';
import { negotiate } from './negotiation.ts';
import { type RequestInfo, type ResourceInfo, requestInfo } from './request-info.ts';
import { answerStatus, plainText } from './response.ts';
import { doorOf, leadsOn } from './subresources/subresource-handlers.ts';
import { verbOf } from './verb.ts';
import { answerVerb } from './verbs/dispatch.ts';
import { Query } from './verbs/query-options.ts';

type ServerParts = {
  readonly world: World;
  readonly authenticator: Authenticator;
  readonly rules: RuleSource;
  readonly tokenKey: Uint8Array;
  readonly metrics: Metrics;
  readonly flowControl: FlowControl;
};

/** For whoever asks from within the process, and has the whole request at hand. */
export function handleRequest(parts: ServerParts, request: Request): Promise<Response> {
  return answerAsked(parts, request, (asked) => {
    checkRights(parts, asked);
    return answer(parts, asked);
  });
}

/** For requests that come over the wire: they wait for their turn, and only then is their body read. */
export function receiveRequest(parts: ServerParts, arriving: Arriving): Promise<Response> {
  return answerAsked(parts, headOf(arriving), (asked) => {
    const flow = flowOf({ user: asked.user, info: asked.info, verb: labelsOf(asked).verb });
    return inTurn({ flowControl: parts.flowControl, flow, arriving }, async () => {
      checkRights(parts, asked);
      return withBody(arriving, (request) => answer(parts, { ...asked, request }));
    });
  });
}

/** Who asks is found out; whatever is refused then or later is answered, and all is counted. */
async function answerAsked(
  parts: ServerParts,
  request: Request,
  go: (asked: Asked) => Promise<Response>,
): Promise<Response> {
  const target = { request, info: requestInfo(request.path), query: new Query(request.query) };
  const response = await answeredOrRefused(parts, target, go);
  parts.metrics.count({ ...labelsOf(target), code: response.status });
  return response;
}

/** No `info`: the path cannot be read. */
type Target = {
  readonly request: Request;
  readonly info: RequestInfo | undefined;
  readonly query: Query;
};

async function answeredOrRefused(
  parts: ServerParts,
  { request, info, query }: Target,
  go: (asked: Asked) => Promise<Response>,
): Promise<Response> {
  try {
    if (info === undefined) throw badRequest('the path of the request is not escaped as paths are');
    const asking = parts.authenticator.authenticate(request);
    const user = impersonated(parts.rules, request, asking);
    return await go({ request, info, query, user });
  } catch (error) {
    if (error instanceof StatusError) {
      const { status, isPlainText, message } = error;
      return isPlainText ? plainText(status.code, message, request) : answerStatus(status, { request });
    }
    return harmlessError(parts.world.env.log, request, error);
  }
}

function labelsOf({ request, info, query }: Target): { readonly verb: string; readonly resource: string } {
  if (info?.kind !== 'resource') return { verb: request.method.toLowerCase(), resource: '' };
  return { verb: verbOf(request.method, info, query).verb, resource: info.resource };
}

/** Whoever asks has the right to. */
async function answer(parts: ServerParts, asked: Asked): Promise<Response> {
  const { request, info, query, user } = asked;
  if (info.kind === 'path') return answerPath(parts, { path: info.path, request, query });
  return answerResource(parts, { request, info, query, user });
}

type Asked = {
  readonly request: Request;
  readonly info: RequestInfo;
  readonly query: Query;
  readonly user: User;
};

function checkRights({ rules }: ServerParts, { request, info, query, user }: Asked): void {
  if (info.kind === 'path') {
    const verb = request.method.toLowerCase();
    const attributes: Attributes = { kind: 'path', user, verb, path: info.path };
    const { allowed, reason } = authorize(attributes, rules);
    if (allowed) return;
    const message = `forbidden: ${forbiddenText(attributes, reason)}`;
    throw statusError({ code: 403, reason: 'Forbidden', message, details: {} });
  }
  const { verb, name } = verbOf(request.method, info, query);
  const { group, version, resource, subresource, namespace } = info;
  const attributes: Attributes = {
    kind: 'resource',
    user,
    verb,
    group,
    version,
    resource,
    subresource,
    namespace,
    name,
  };
  const { allowed, reason } = authorize(attributes, rules);
  if (allowed) return;
  throw forbidden({ group, plural: resource }, name, forbiddenText(attributes, reason));
}

type AskedPath = { readonly path: string; readonly request: Request; readonly query: Query };

function answerPath(parts: ServerParts, { path, request, query }: AskedPath): Response {
  const { world, metrics } = parts;
  const health = healthAnswer(path, request, query);
  if (health !== undefined) return health;
  if (request.method !== 'GET') throw methodNotAllowed();
  if (path === '/metrics') return plainText(200, metrics.text(gaugesOf(parts)), request);
  const answer = discoveryResponse(
    {
      path,
      accept: request.headers.accept ?? '',
      ifNoneMatch: request.headers['if-none-match'] ?? '',
      query: request.query,
      userAgent: request.headers['user-agent'] ?? '',
      serverAddress: request.headers.host ?? '',
    },
    world.catalog.all(),
  );
  if (answer === undefined) return plainText(404, '404 page not found\n', request);
  const { status, headers, body } = answer;
  return { status, headers, body: typeof body === 'string' ? new TextEncoder().encode(body) : body };
}

function gaugesOf({ world: { store, catalog }, flowControl }: ServerParts): Parameters<Metrics['text']>[0] {
  const { seated, waiting, streams, refused } = flowControl.figures();
  return {
    millwright_store_revision: { help: 'The version of the newest write.', value: store.revision() },
    millwright_served_resources: { help: 'Resources that are served now.', value: catalog.all().length },
    millwright_seats_taken: { help: 'Seats of requests that are being answered.', value: seated },
    millwright_waiting_requests: { help: 'Requests that wait for a seat.', value: waiting },
    millwright_streams: { help: 'Watches and the like that are open.', value: streams },
    millwright_refused_requests: { help: 'Requests that were too many, so far.', value: refused },
  };
}

/** What every answer says of a kind that one should not use any more. */
function deprecations(resource: Resource): string[] {
  if (resource.origin === 'custom') {
    // Resources of definitions are made by `definitions`, which knows.
    const { deprecation } = resource as CustomResource;
    return deprecation === undefined ? [] : [deprecation];
  }
  return resource.group === '' && resource.plural === 'endpoints' ? [ENDPOINTS_DEPRECATION] : [];
}

const ENDPOINTS_DEPRECATION = 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice';

/** What the client was to be warned of it is told also where the request is refused. */
async function answerWarning(call: Call, answer: () => Promise<Response> | Response): Promise<Response> {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const { request, warnings } = call;
    // Before this one is told, nobody has looked at the request.
    return answerStatus(error.status, { request, warnings: error.status.code === 405 ? [] : warnings });
  }
}

async function answerResource(
  { world, authenticator, rules, tokenKey }: ServerParts,
  { request, info, query, user }: Asked & { readonly info: ResourceInfo },
): Promise<Response> {
  const { group, version, resource: plural, subresource, name, namespace } = info;
  const resource = world.catalog.find(group, version, plural);
  if (resource === undefined) {
    if (world.catalog.isBuiltinGroup(group)) throw noSuchResource();
    return plainText(404, '404 page not found\n', request);
  }
  const isNamespaced = resource.scope === 'Namespaced';
  const isMisplaced = isNamespaced
    ? namespace === '' && name !== ''
    : namespace !== '' && plural !== 'namespaces';
  if (isMisplaced) {
    if (resource.origin === 'builtin') throw noSuchResource();
    return plainText(404, '404 page not found\n', request);
  }
  const isPassedOn = leadsOn(resource, subresource);
  const { verb } = verbOf(request.method, info, query);
  const form = negotiate(isPassedOn ? undefined : request.headers.accept, { resource, subresource, verb });
  const call: Call = { request, info, query, user, resource, form, warnings: deprecations(resource) };
  const insight = { authenticator, rules, tokenKey };
  if (subresource === '') return answerWarning(call, () => answerVerb(world, call, insight));
  const door = doorOf(resource, subresource);
  if (door === undefined || (info.rest.length > 0 && !isPassedOn)) {
    throw resource.origin === 'custom' ? notFound(resource, name) : noSuchResource();
  }
  return answerWarning(call, () => door(world, call, insight));
}
