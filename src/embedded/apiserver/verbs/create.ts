/** `POST` to a collection. */
import type { JsonObject } from '../../../base/json.ts';
import { managerName } from '../../patch/index.ts';
import { alreadyExists, StatusError, unknownError } from '../../status/index.ts';
import type { Call, World } from '../call.ts';
import type { Live } from '../store/records.ts';
import { keyOf, readObject, writtenObject } from '../store/records.ts';
import { metadataOf } from '../store/stored-object.ts';
import { type Creation, completeCreate } from './before-create.ts';
import { decodeSent, unreadableBody } from './decode-object.ts';
import { writeOptions } from './query-options.ts';
import { readBody } from './read-body.ts';
import { fitObject } from './size-limit.ts';

export async function createFromBody(world: World, call: Call): Promise<Live> {
  const { resource, request, query, user, warnings, info } = call;
  const options = writeOptions(query, 'CreateOptions');
  const refuse = unreadableBody(resource);
  const object = decodeSent(resource, readBody(request, resource), { ...options, refuse, warnings });
  return createObject(world, {
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

/** How often a made-up name may hit one that is taken. */
const MAX_NAME_ATTEMPTS = 8;

/** What is written, or would be; a dry run has the version that was sent, if any. */
export async function createObject(world: World, creation: Creation): Promise<Live> {
  const { resource, namespace, isDryRun, hasOwners = false } = creation;
  const isNamed = metadataOf(creation.object).name !== '';
  for (let attempt = 1; ; attempt++) {
    const object = completeCreate(world, creation);
    const { name } = metadataOf(object);
    const key = keyOf(resource, namespace, name);
    if (!isDryRun) refuseVersion(object);
    const exists = world.store.get(key) !== undefined;
    if (!exists && isDryRun) return { object, revision: 0 };
    if (!exists) {
      const fitted = fitObject(world, resource, object, { keepsOwners: hasOwners });
      const { value } = fitted;
      const result = await world.store.commit([{ kind: 'put', key, expect: 'absent', value }]);
      if (result.kind === 'committed') {
        const entry = { key, revision: result.revision, value };
        return writtenObject(world, resource, { entry, object: fitted.object });
      }
    }
    if (isNamed || attempt >= MAX_NAME_ATTEMPTS) throw taken(world, creation, name);
  }
}

function taken({ store }: World, { resource, namespace }: Creation, name: string): StatusError {
  const refused = alreadyExists(resource, name);
  const live = readObject(store, resource, namespace, name);
  if (live === undefined || metadataOf(live.object).deletionTimestamp === undefined) return refused;
  return new StatusError({ ...refused.status, message: `object is being deleted: ${refused.message}` });
}

/** What is no number is no version. */
function refuseVersion(object: JsonObject): void {
  const { resourceVersion = '' } = metadataOf(object);
  if (!/^\d+$/.test(resourceVersion) || /^0+$/.test(resourceVersion)) return;
  throw unknownError('resourceVersion should not be set on objects to be created');
}
