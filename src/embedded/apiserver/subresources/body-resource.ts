/**
 * Bodies that go through a door and are no resources (Eviction, TokenRequest, Binding, Scale), as far as reading and
 * patching want to see a resource.
 */

import type { JsonObject } from '../../../base/json.ts';
import type { AnyBody } from '../../../kubernetes/types/index.ts';
import { builtinStrategy, type Resource } from '../../resources/index.ts';
import type { Call } from '../call.ts';
import { decodeSent, unreadableBody } from '../verbs/decode-object.ts';
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

/** What was sent through a door, with its options; `rename` puts older versions of the kind right. */
export function readDoorBody(
  call: Call,
  resource: Resource,
  rename: (value: JsonObject) => JsonObject = (value) => value,
): ReadBody {
  const { request, query, warnings } = call;
  const options = writeOptions(query, 'CreateOptions');
  const body = readBody(request, resource, rename);
  const sent = decodeSent(resource, body, { ...options, refuse: unreadableBody(resource), warnings });
  return { sent, options };
}
