/** Formats writes as one line each, for tables: verb, object and changes. */

import { isObject } from '../../src/base/json.ts';
import type { Write } from '../../src/embedded/controllers/writes.ts';
import type { AnyObject, ResourceOf } from '../../src/kubernetes/client/index.ts';

export function formatWrites(writes: readonly Write[]): readonly string[] {
  return writes.map(formatWrite);
}

function formatWrite(write: Write): string {
  const { resource, object } = write;
  const { name, generateName = '' } = object.metadata;
  const what = `${resource.plural}/${name === '' ? `${generateName}*` : name}`;
  switch (write.kind) {
    case 'create':
      return `create ${what}`;
    case 'update':
      return `update ${what}${write.subresource === undefined ? '' : ` ${write.subresource}`}`;
    case 'delete':
      return `delete ${what}${write.propagation === undefined ? '' : ` ${write.propagation}`}`;
    case 'patch':
      return `patch ${what} ${JSON.stringify(changesIn(write.patch.body))}`;
  }
}

/** Without the uid and resourceVersion, which identify the object. */
function changesIn(body: object): unknown {
  const metadata = isObject(body) && isObject(body.metadata) ? body.metadata : {};
  const { uid: _uid, resourceVersion: _version, ...changes } = metadata;
  return changes;
}

/** The object whose status is written; rejects the test where none is. */
export function withStatusIn<T extends AnyObject>(resource: ResourceOf<T>, writes: readonly Write[]): T {
  const found = writes.find(
    (write) => write.resource === resource && write.kind === 'update' && write.subresource === 'status',
  );
  if (found === undefined) throw new Error(`no status is written: ${formatWrites(writes).join(', ')}`);
  // Only objects of the resource are written to it.
  return found.object as T;
}
