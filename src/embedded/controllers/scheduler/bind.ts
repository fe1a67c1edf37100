/**
 * Puts a pod on a node, through the door that the server has for it.
 */

import {
  type AnyObject,
  isConflict,
  type Kube,
  KubeError,
  type ResourceOf,
} from '../../../kubernetes/client/index.ts';
import type { Schema } from '../../../kubernetes/schema/index.ts';
import { binding, type Pod } from '../../../kubernetes/types/index.ts';

type PodBinding = AnyObject & { readonly target: { readonly kind: 'Node'; readonly name: string } };

/** A binding goes through a door of the pod, whose name it bears. */
const podBindings: ResourceOf<PodBinding> = {
  ...binding,
  plural: 'pods',
  // What is sent has a name, where the schema leaves it to the path.
  schema: binding.schema as Schema<unknown> as Schema<PodBinding>,
};

/**
 * `overtaken`: the pod is gone, about to go, or on a node already; the cache will show which. `refused`: it stays where it
 * is. `lost`: nobody knows, and asking again does no harm.
 */
type Bound =
  | { readonly kind: 'bound' | 'overtaken' }
  | { readonly kind: 'refused' | 'lost'; readonly error: unknown };

export async function bindPod(kube: Kube, { metadata }: Pod, node: string): Promise<Bound> {
  const { name, namespace, uid } = metadata;
  try {
    await kube.create(
      podBindings,
      {
        metadata: {
          name,
          ...(namespace === undefined ? {} : { namespace }),
          ...(uid === undefined ? {} : { uid }),
        },
        target: { kind: 'Node', name: node },
      },
      { subresource: 'binding' },
    );
    return { kind: 'bound' };
  } catch (error) {
    if (isConflict(error) || (error instanceof KubeError && error.code === 404)) return { kind: 'overtaken' };
    const isRefused = error instanceof KubeError && error.code < 500;
    return { kind: isRefused ? 'refused' : 'lost', error };
  }
}
