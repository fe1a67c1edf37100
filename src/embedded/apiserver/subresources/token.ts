/** `serviceaccounts/token`: issues a token for a service account. */

import { isObject, type JsonObject } from '../../../base/json.ts';
import { timeText } from '../../../base/text/index.ts';
import { apiVersionOf } from '../../../kubernetes/meta/index.ts';
import { tokenRequest } from '../../../kubernetes/types/index.ts';
import { managerName, updateManagedFields } from '../../patch/index.ts';
import {
  boundObjectOf,
  boundUidConflict,
  tokenRequestProblems,
  tokenRequestWithDefaults,
} from '../../resources/index.ts';
import { invalid, notFound } from '../../status/index.ts';
import type { AuthContext } from '../auth-context.ts';
import type { Call } from '../call.ts';
import type { Response } from '../http/http.ts';
import {
  claimsFor,
  renewalTime,
  TOKEN_ISSUER,
  type TokenOptions,
  type TokenRef,
} from '../pki/token-claims.ts';
import { signToken } from '../pki/tokens.ts';
import { jsonResponse } from '../response.ts';
import { nowText, type ServerContext } from '../server-context.ts';
import { readObject } from '../store/records.ts';
import { metadataOf, withMetadata } from '../store/stored-object.ts';
import { emptyObject } from '../verbs/before-create.ts';
import { bodyResource, readSubresourceBody } from './body-resource.ts';

const tokenRequests = bodyResource(tokenRequest, 'tokenrequests');

export function requestToken(server: ServerContext, call: Call, { tokenKey }: AuthContext): Response {
  const { resource, info, request, format, warnings } = call;
  const { sent, options } = readSubresourceBody(call, tokenRequests);
  const live = readObject(server.store, resource, info.namespace, info.name);
  if (live === undefined) throw notFound(resource, info.name);
  const account = { namespace: info.namespace, name: info.name, audiences: [TOKEN_ISSUER] };
  const problems = tokenRequestProblems(sent, account);
  // A wrong name is reported alone, under the name of the service account.
  const misnamed = problems.filter(({ path }) => path.startsWith('metadata'));
  if (misnamed.length > 0) throw invalid(tokenRequests, info.name, misnamed);
  if (problems.length > 0) throw invalid(tokenRequests, '', problems);
  const defaulted = tokenRequestWithDefaults(sent, account);
  const spec = isObject(defaulted.spec) ? defaulted.spec : {};
  const claims = claimsFor({
    namespace: info.namespace,
    serviceAccount: { name: info.name, uid: metadataOf(live.object).uid ?? '' },
    // Both were defaulted and validated above.
    audiences: spec.audiences as readonly string[],
    expirationSeconds: Number(spec.expirationSeconds),
    ...boundTo(server, call, defaulted),
    id: server.env.random.uuid(),
    now: server.env.clock.now(),
  });
  const status = {
    token: signToken(tokenKey, claims),
    expirationTimestamp: timeText(BigInt(renewalTime(claims)) * 1_000_000_000n),
  };
  const manager = managerName(options.fieldManager, request.headers['user-agent'] ?? '');
  const owned = withManagedFields(server, manager, { sent, defaulted });
  const answer = withMetadata(owned, { creationTimestamp: nowText(server) });
  return jsonResponse(201, { ...answer, status }, { request, format, warnings });
}

type TokenRequests = { readonly sent: JsonObject; readonly defaulted: JsonObject };

/** Defaulted audiences are not owned by the client, but the defaulted expiration is. */
function withManagedFields(
  server: ServerContext,
  manager: string,
  { sent, defaulted }: TokenRequests,
): JsonObject {
  const { expirationSeconds = null } = isObject(defaulted.spec) ? (defaulted.spec as JsonObject) : {};
  const spec = isObject(sent.spec) ? (sent.spec as JsonObject) : {};
  const owned = updateManagedFields({
    schema: tokenRequests.schema,
    apiVersion: apiVersionOf(tokenRequests),
    kind: tokenRequests.kind,
    manager,
    subresource: 'token',
    now: nowText(server),
    before: emptyObject(tokenRequests),
    after: { ...sent, spec: { ...spec, expirationSeconds } },
  });
  const { managedFields } = metadataOf(owned.value);
  return withMetadata(defaulted, { managedFields });
}

/** The object that the token is bound to, besides its service account. */
function boundTo(
  server: ServerContext,
  { info }: Call,
  defaulted: JsonObject,
): Pick<TokenOptions, 'pod' | 'node' | 'secret'> {
  const bound = boundObjectOf(defaulted);
  if (bound === undefined) return {};
  if (bound.kind === 'error') throw bound;
  const found = objectIn(server, bound.resource, info.namespace, bound.name);
  if (found === undefined) {
    throw notFound({ group: '', plural: bound.resource }, bound.name);
  }
  const error = boundUidConflict(bound, found);
  if (error !== undefined) throw error;
  const reference: TokenRef = { name: bound.name, uid: metadataOf(found).uid ?? '' };
  switch (bound.resource) {
    case 'pods':
      return { pod: reference, ...nodeOf(server, found) };
    case 'secrets':
      return { secret: reference };
    case 'nodes':
      return { node: reference };
  }
}

function nodeOf(server: ServerContext, pod: JsonObject): Pick<TokenOptions, 'node'> {
  const name = isObject(pod.spec) ? pod.spec.nodeName : undefined;
  if (typeof name !== 'string' || name === '') return {};
  const node = objectIn(server, 'nodes', '', name);
  const uid = node === undefined ? undefined : metadataOf(node).uid;
  return { node: { name, ...(uid === undefined ? {} : { uid }) } };
}

function objectIn(
  { store, catalog }: ServerContext,
  plural: string,
  namespace: string,
  name: string,
): JsonObject | undefined {
  const resource = catalog.find('', 'v1', plural);
  return resource === undefined ? undefined : readObject(store, resource, namespace, name)?.object;
}
