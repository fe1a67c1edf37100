/** `PUT`: the object as the client wants it, whole. */
import { managerName } from '../../patch/index.ts';
import type { Call, World } from '../call.ts';
import { withNamespace } from './before-create.ts';
import { decodeSent, unreadableBody } from './decode-object.ts';
import { type Changed, changeObject, refuseOtherName } from './guaranteed-update.ts';
import { writeOptions } from './query-options.ts';
import { readBody } from './read-body.ts';

export async function updateFromBody(world: World, call: Call): Promise<Changed> {
  const { resource, request, query, user, warnings, info } = call;
  const options = writeOptions(query, 'UpdateOptions');
  const refuse = unreadableBody(resource);
  const sent = decodeSent(resource, readBody(request, resource), { ...options, refuse, warnings });
  const object = withNamespace(resource, sent, info.namespace);
  refuseOtherName(object, info.name);
  return changeObject(world, {
    resource,
    user,
    subresource: info.subresource,
    namespace: resource.scope === 'Namespaced' ? info.namespace : '',
    name: info.name,
    isDryRun: options.isDryRun,
    sentBytes: request.body.length,
    manager: managerName(options.fieldManager, request.headers['user-agent'] ?? ''),
    mayCreate: resource.strategy.allowsCreateOnUpdate && info.subresource === '',
    revise: () => ({ object, hasOwners: false }),
    warnings,
  });
}
