/** `POST` to a collection. */
import { managerName } from '../patch/index.ts';
import type { Call, World } from './call.ts';
import { type Creation, completeCreate } from './complete-create.ts';
import { decodeSent, unreadableBody } from './decode-sent.ts';
import { writeOptions } from './query-options.ts';
import { readBody } from './read-body.ts';
import type { Live } from './records.ts';
import { keyOf, storedBytes } from './records.ts';
import { alreadyExists, refusal } from './refusal.ts';
import { metadataOf, withMetadata } from './stored-object.ts';

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
    warnings,
  });
}

/** How often a made-up name may hit one that is taken. */
const MAX_NAME_ATTEMPTS = 8;

/** What is written, or would be; a dry run has no version. */
export async function createObject(world: World, creation: Creation): Promise<Live> {
  const { resource, namespace, isDryRun } = creation;
  const isNamed = metadataOf(creation.object).name !== '';
  for (let attempt = 1; ; attempt++) {
    const object = completeCreate(world, creation);
    const { name } = metadataOf(object);
    const key = keyOf(resource, namespace, name);
    const exists = world.store.get(key) !== undefined;
    if (!exists && isDryRun)
      return { object: withMetadata(object, { resourceVersion: undefined }), revision: 0 };
    if (!exists) {
      const value = checkedBytes(storedBytes(world, resource, object));
      const result = await world.store.commit([{ kind: 'put', key, expect: 'absent', value }]);
      if (result.kind === 'committed') {
        const resourceVersion = String(result.revision);
        return { object: withMetadata(object, { resourceVersion }), revision: result.revision };
      }
    }
    if (isNamed || attempt >= MAX_NAME_ATTEMPTS) throw alreadyExists(resource, name);
  }
}

/** What etcd takes at most. */
const MAX_OBJECT_BYTES = 1_572_864;

export function checkedBytes(value: Uint8Array): Uint8Array {
  if (value.length <= MAX_OBJECT_BYTES) return value;
  throw refusal({ code: 500, message: 'etcdserver: request is too large' });
}
