/** `PUT`: replaces the object. */
import { managerName } from '../../patch/index.ts';
import type { Call } from '../call.ts';
import type { ServerContext } from '../server-context.ts';
import { withNamespace } from './before-create.ts';
import { decodeBody, unreadableBody } from './decode-body.ts';
import { checkName, guaranteedUpdate, type UpdateResult } from './guaranteed-update.ts';
import { writeOptions } from './query-options.ts';
import { readBody } from './read-body.ts';

export async function updateFromBody(server: ServerContext, call: Call): Promise<UpdateResult> {
  const { resource, request, query, user, warnings, info } = call;
  const options = writeOptions(query, 'UpdateOptions');
  const toError = unreadableBody(resource);
  const sent = decodeBody(resource, readBody(request, resource), { ...options, toError, warnings });
  const object = withNamespace(resource, sent, info.namespace);
  checkName(object, info.name);
  return guaranteedUpdate(server, {
    resource,
    user,
    subresource: info.subresource,
    namespace: resource.scope === 'Namespaced' ? info.namespace : '',
    name: info.name,
    isDryRun: options.isDryRun,
    sentBytes: request.body.length,
    manager: managerName(options.fieldManager, request.headers['user-agent'] ?? ''),
    mayCreate: resource.strategy.allowsCreateOnUpdate && info.subresource === '',
    updatedObject: () => ({ object, hasManagedFields: false }),
    warnings,
  });
}
