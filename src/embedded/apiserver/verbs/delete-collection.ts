/** `DELETE` of a collection: deletes the selected objects one by one. */

import type { JsonObject } from '../../../base/json.ts';
import { apiVersionOf } from '../../../kubernetes/meta/index.ts';
import { StatusError } from '../../status/index.ts';
import type { Call } from '../call.ts';
import type { Response } from '../http/http.ts';
import { jsonResponse } from '../response.ts';
import type { ServerContext } from '../server-context.ts';
import { shownObject } from '../store/records.ts';
import { metadataOf } from '../store/stored-object.ts';
import { deleteObject, deleteOptions } from './delete.ts';
import { findEntries, listItem, listMetadata } from './list.ts';
import { listOptions } from './query-options.ts';
import { selectionOf } from './selection.ts';
import { transformedList } from './transform.ts';

export async function deleteCollection(server: ServerContext, call: Call): Promise<Response> {
  const { resource, info, user, warnings, query, request, format } = call;
  const options = listOptions(query, false);
  const deletion = deleteOptions(call);
  const selection = selectionOf(resource, options);
  const found = findEntries(server, resource, { namespace: info.namespace, options, selection });
  const objects = found.entries.map((entry) => entry.object ?? shownObject(resource, entry));
  for (const object of objects) {
    const { name, namespace = '' } = metadataOf(object);
    await deleteUnlessGone(() =>
      deleteObject(server, { resource, namespace, name, user, warnings }, deletion),
    );
  }
  const metadata = listMetadata(resource, found);
  if (format.as !== 'object') {
    return jsonResponse(200, transformedList(server, call, objects, metadata), { request, format, warnings });
  }
  const kind = resource.listKind ?? `${resource.kind}List`;
  const items = objects.map((object) => listItem(resource, object));
  const list = { kind, apiVersion: apiVersionOf(resource), metadata, items };
  return jsonResponse(200, list as unknown as JsonObject, { request, format, warnings });
}

/** An object that is gone already is no error. */
async function deleteUnlessGone(deletion: () => Promise<unknown>): Promise<void> {
  try {
    await deletion();
  } catch (error) {
    if (!(error instanceof StatusError) || error.status.code !== 404) throw error;
  }
}
