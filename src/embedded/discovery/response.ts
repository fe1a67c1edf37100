/**
 * Responses of discovery, and the failures among them.
 */

import { canonicalJson, type Json } from '../../base/json.ts';
import { formatYaml } from '../../base/yaml/index.ts';
import type { Status } from '../../kubernetes/types/index.ts';

export type DiscoveryResponse = {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: string | Uint8Array;
};

/** Names in lower case. */
export type Header = readonly [name: string, value: string];

/** The header of every response that may change. */
export const uncached: Header = ['cache-control', 'no-cache, private'];
export const JSON_TYPE: Header = ['content-type', 'application/json'];

/** JSON in one line, or indented for people, or YAML with sorted keys. */
export function writtenBody(value: object, syntax: 'json' | 'yaml', isIndented: boolean): string {
  if (syntax === 'json') return isIndented ? JSON.stringify(value, null, 2) : `${JSON.stringify(value)}\n`;
  const ordered: Json = JSON.parse(canonicalJson(value));
  return formatYaml(ordered);
}

/** JSON that is indented for every client. */
export function indentedResponse(value: object): DiscoveryResponse {
  return { status: 200, headers: [uncached, JSON_TYPE], body: writtenBody(value, 'json', true) };
}

/** A response without a body. */
export function emptyResponse(status: number, headers: readonly Header[] = []): DiscoveryResponse {
  return { status, headers: [uncached, ...headers], body: '' };
}

/** No such group is served. */
export const pageNotFound: DiscoveryResponse = {
  status: 404,
  headers: [uncached, ['content-type', 'text/plain; charset=utf-8'], ['x-content-type-options', 'nosniff']],
  body: '404 page not found\n',
};

/** A built-in group without such a version. */
export function versionNotFound(isIndented: boolean): DiscoveryResponse {
  const message = 'the server could not find the requested resource';
  return failed({ message, reason: 'NotFound', details: {}, code: 404 }, isIndented);
}

/**
 * The message depends on which part of kube-apiserver serves the path. It is indented, because nothing is known of a
 * client that accepts none of the media types.
 */
export function notAcceptable(
  path: 'routed' | 'handled',
  types: readonly string[] = DISCOVERY_TYPES,
): DiscoveryResponse {
  const listed = types.join(', ');
  return path === 'routed'
    ? failed(
        {
          message: `406: Not Acceptable\n\nAvailable representations: ${listed}`,
          reason: 'NotAcceptable',
          details: {},
          code: 406,
        },
        true,
      )
    : failed(
        {
          message: `only the following media types are accepted: ${listed}`,
          reason: 'NotAcceptable',
          code: 406,
        },
        true,
      );
}

/** Those of kube-apiserver, protobuf included: clients compare the text. */
const DISCOVERY_TYPES = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

type Failed = Pick<Status, 'message' | 'reason' | 'details'> & { readonly code: number };

function failed(why: Failed, isIndented: boolean): DiscoveryResponse {
  const status: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', ...why };
  const headers = [uncached, JSON_TYPE];
  return { status: why.code, headers, body: writtenBody(status, 'json', isIndented) };
}
