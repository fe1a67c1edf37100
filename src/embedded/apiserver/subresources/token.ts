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
import { claimsFor, renewalTime, TOKEN_ISSUER, type TokenOrder, type TokenRef } from '../pki/token-claims.ts';
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
  const asked = tokenRequestWithDefaults(sent, account);
  const spec = isObject(asked.spec) ? asked.spec : {};
  const claims = claimsFor({
    namespace: info.namespace,
    serviceAccount: { name: info.name, uid: metadataOf(live.object).uid ?? '' },
    // Both were defaulted and validated above.
    audiences: spec.audiences as readonly string[],
    expirationSeconds: Number(spec.expirationSeconds),
    ...boundTo(server, call, asked),
    id: server.env.random.uuid(),
    now: server.env.clock.now(),
  });
  const status = {
    token: signToken(tokenKey, claims),
    expirationTimestamp: timeText(BigInt(renewalTime(claims)) * 1_000_000_000n),
  };
  const manager = managerName(options.fieldManager, request.headers['user-agent'] ?? '');
  const owned = withManagedFields(server, manager, { sent, asked });
  const answer = withMetadata(owned, { creationTimestamp: nowText(server) });
  return jsonResponse(201, { ...answer, status }, { request, format, warnings });
}

type Stages = { readonly sent: JsonObject; readonly asked: JsonObject };

/** Defaulted audiences are not owned by the client, but the defaulted expiration is. */
function withManagedFields(server: ServerContext, manager: string, { sent, asked }: Stages): JsonObject {
  const { expirationSeconds = null } = isObject(asked.spec) ? (asked.spec as JsonObject) : {};
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
  return withMetadata(asked, { managedFields });
}

/** The object that the token is bound to, besides its service account. */
function boundTo(
  server: ServerContext,
  { info }: Call,
  asked: JsonObject,
): Pick<TokenOrder, 'pod' | 'node' | 'secret'> {
  const bound = boundObjectOf(asked);
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

function nodeOf(server: ServerContext, pod: JsonObject): Pick<TokenOrder, 'node'> {
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
