/**
 * Creates an object of a build, or brings one into order that is there already: a start that was cut off has left it, or a
 * former build of the same name, with credentials that have changed since.
 */
import { Failure } from '../../base/errors.ts';
import { jsonEqual } from '../../base/json.ts';
import {
  type AnyObject,
  isAlreadyExists,
  type Kube,
  type ResourceOf,
} from '../../kubernetes/client/index.ts';

type DataObject = AnyObject & { readonly data?: unknown; readonly binaryData?: unknown };

export async function ensure<T extends DataObject>(
  kube: Kube,
  resource: ResourceOf<T>,
  object: T,
): Promise<void> {
  try {
    await kube.create(resource, object);
    return;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  const found = await kube.get(resource, object.metadata);
  const { name, ownerReferences = [], labels } = object.metadata;
  if (found === undefined || found.metadata.deletionTimestamp !== undefined) {
    const text = `${resource.kind} ${name} of a former build is being deleted`;
    throw new Failure('transient', 'ObjectOfFormerBuild', text);
  }
  const picked = (one: T) => [one.data, one.binaryData, one.metadata.ownerReferences ?? []];
  if (jsonEqual(picked(found), picked(object))) return;
  const { uid, resourceVersion } = found.metadata;
  const { data, binaryData } = object;
  const body = { metadata: { uid, resourceVersion, ownerReferences, labels }, data, binaryData };
  await kube.patch(resource, object.metadata, { type: 'merge', body });
}
