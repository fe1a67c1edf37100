/**
 * Request bodies that are not resources (Eviction, TokenRequest, Binding, Scale), in the form that decoding and
 * patching expect.
 */

import type { JsonObject } from '../../../base/json.ts';
import type { AnyBody } from '../../../kubernetes/types/index.ts';
import { builtinStrategy, type Resource } from '../../resources/index.ts';
import type { Call } from '../call.ts';
import { decodeBody, unreadableBody } from '../verbs/decode-body.ts';
import { type WriteOptions, writeOptions } from '../verbs/query-options.ts';
import { readBody } from '../verbs/read-body.ts';

export function bodyResource(body: AnyBody, plural: string): Resource {
  return {
    ...body,
    plural,
    singular: '',
    shortNames: [],
    categories: [],
    scope: 'Namespaced',
    verbs: [],
    subresources: [],
    selectableFields: [],
    origin: 'builtin',
    strategy: builtinStrategy({ of: body }),
  };
}

type ReadBody = { readonly sent: JsonObject; readonly options: WriteOptions };

/** `rename` converts older versions of the kind. */
export function readSubresourceBody(
  call: Call,
  resource: Resource,
  rename: (value: JsonObject) => JsonObject = (value) => value,
): ReadBody {
  const { request, query, warnings } = call;
  const options = writeOptions(query, 'CreateOptions');
  const body = readBody(request, resource, rename);
  const sent = decodeBody(resource, body, { ...options, toError: unreadableBody(resource), warnings });
  return { sent, options };
}
