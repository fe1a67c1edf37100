/** Writes in a line each, for tables: what is done to which object. */

import { isObject } from '../src/base/json.ts';
import type { Write } from '../src/embedded/controllers/writes.ts';
import type { AnyObject, ResourceOf } from '../src/kubernetes/client/index.ts';

export function said(writes: readonly Write[]): readonly string[] {
  return writes.map(saidOne);
}

function saidOne(write: Write): string {
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

/** Without that by which a patch knows its object. */
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
  if (found === undefined) throw new Error(`no status is written: ${said(writes).join(', ')}`);
  // Only objects of the resource are written to it.
  return found.object as T;
}
