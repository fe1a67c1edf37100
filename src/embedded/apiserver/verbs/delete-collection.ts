/** `DELETE` of a collection: each object that is selected, one after the other. */

import type { JsonObject } from '../../../base/json.ts';
import { apiVersionOf } from '../../../kubernetes/meta/index.ts';
import { StatusError } from '../../status/index.ts';
import type { Call, World } from '../call.ts';
import type { Response } from '../http/http.ts';
import { answerJson } from '../response.ts';
import { shownObject } from '../store/records.ts';
import { metadataOf } from '../store/stored-object.ts';
import { deleteObject, deleteOptions } from './delete.ts';
import { findEntries, listItem, listMetadata } from './list.ts';
import { listOptions } from './query-options.ts';
import { selectionOf } from './selection.ts';
import { transformedList } from './transform.ts';

export async function deleteCollection(world: World, call: Call): Promise<Response> {
  const { resource, info, user, warnings, query, request, form } = call;
  const options = listOptions(query, false);
  const deletion = deleteOptions(call);
  const selection = selectionOf(resource, options);
  const found = findEntries(world, resource, { namespace: info.namespace, options, selection });
  const objects = found.entries.map((entry) => entry.object ?? shownObject(resource, entry));
  for (const object of objects) {
    const { name, namespace = '' } = metadataOf(object);
    await deleteUnlessGone(() =>
      deleteObject(world, { resource, namespace, name, user, warnings }, deletion),
    );
  }
  const metadata = listMetadata(resource, found);
  if (form.as !== 'object') {
    return answerJson(200, transformedList(world, call, objects, metadata), { request, form, warnings });
  }
  const kind = resource.listKind ?? `${resource.kind}List`;
  const items = objects.map((object) => listItem(resource, object));
  const list = { kind, apiVersion: apiVersionOf(resource), metadata, items };
  return answerJson(200, list as unknown as JsonObject, { request, form, warnings });
}

/** Someone else may have been faster: that is what was wanted. */
async function deleteUnlessGone(deletion: () => Promise<unknown>): Promise<void> {
  try {
    await deletion();
  } catch (error) {
    if (!(error instanceof StatusError) || error.status.code !== 404) throw error;
  }
}
