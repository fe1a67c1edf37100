/** `POST` to a collection. */
import type { JsonObject } from '../../../base/json.ts';
import { managerName } from '../../patch/index.ts';
import { alreadyExists, StatusError, unknownError } from '../../status/index.ts';
import type { Call } from '../call.ts';
import type { ServerContext } from '../server-context.ts';
import type { Live } from '../store/records.ts';
import { keyOf, readObject, writtenObject } from '../store/records.ts';
import { metadataOf } from '../store/stored-object.ts';
import { beforeCreate, type Creation } from './before-create.ts';
import { decodeBody, unreadableBody } from './decode-body.ts';
import { writeOptions } from './query-options.ts';
import { readBody } from './read-body.ts';
import { withinSizeLimit } from './size-limit.ts';

export async function createFromBody(server: ServerContext, call: Call): Promise<Live> {
  const { resource, request, query, user, warnings, info } = call;
  const options = writeOptions(query, 'CreateOptions');
  const toError = unreadableBody(resource);
  const object = decodeBody(resource, readBody(request, resource), { ...options, toError, warnings });
  return createObject(server, {
    resource,
    user,
    namespace: info.namespace,
    object,
    isDryRun: options.isDryRun,
    manager: managerName(options.fieldManager, request.headers['user-agent'] ?? ''),
    sentBytes: request.body.length,
    warnings,
  });
}

/** Retries for generated names that exist already. */
const MAX_NAME_ATTEMPTS = 8;

/** The stored object. For a dry run, with the resourceVersion that was sent, if any. */
export async function createObject(server: ServerContext, creation: Creation): Promise<Live> {
  const { resource, namespace, isDryRun, hasManagedFields = false } = creation;
  const isNamed = metadataOf(creation.object).name !== '';
  for (let attempt = 1; ; attempt++) {
    const object = beforeCreate(server, creation);
    const { name } = metadataOf(object);
    const key = keyOf(resource, namespace, name);
    if (!isDryRun) checkNoVersion(object);
    const exists = server.store.get(key) !== undefined;
    if (!exists && isDryRun) return { object, revision: 0 };
    if (!exists) {
      const fitted = withinSizeLimit(server, resource, object, { keepsManagedFields: hasManagedFields });
      const { value } = fitted;
      const result = await server.store.commit([{ kind: 'put', key, expect: 'absent', value }]);
      if (result.kind === 'committed') {
        const entry = { key, revision: result.revision, value };
        return writtenObject(server, resource, { entry, object: fitted.object });
      }
    }
    if (isNamed || attempt >= MAX_NAME_ATTEMPTS) throw alreadyTaken(server, creation, name);
  }
}

function alreadyTaken(
  { store }: ServerContext,
  { resource, namespace }: Creation,
  name: string,
): StatusError {
  const refused = alreadyExists(resource, name);
  const live = readObject(store, resource, namespace, name);
  if (live === undefined || metadataOf(live.object).deletionTimestamp === undefined) return refused;
  return new StatusError({ ...refused.status, message: `object is being deleted: ${refused.message}` });
}

/** Other values are ignored. */
function checkNoVersion(object: JsonObject): void {
  const { resourceVersion = '' } = metadataOf(object);
  if (!/^\d+$/.test(resourceVersion) || /^0+$/.test(resourceVersion)) return;
  throw unknownError('resourceVersion should not be set on objects to be created');
}
