/**
 * Binds a pod to a node through the `binding` subresource.
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

const podBindings: ResourceOf<PodBinding> = {
  ...binding,
  plural: 'pods',
  // The body has a name, which the schema leaves to the path.
  schema: binding.schema as Schema<unknown> as Schema<PodBinding>,
};

/**
 * `overtaken`: the pod is deleted, terminating or already bound; the cache will show it. `refused`: it stays unbound.
 * `lost`: the result is unknown, and a retry is harmless.
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
