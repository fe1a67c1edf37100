/**
 * What a build pod is given: its environment, and the ConfigMaps and Secrets that its volumes name.
 */
import type { Kube } from '../../kubernetes/client/index.ts';
import { configMap as configMapKind, type Pod, secret as secretKind } from '../../kubernetes/types/index.ts';

/** Kubernetes' label of pods of a Job. */
export const JOB_NAME_LABEL = 'batch.kubernetes.io/job-name';

export type MountedInputs = {
  /** The reference that the image is pushed to. */
  readonly tag: string;
  /** The OS image that it is built on. */
  readonly base: string;
  readonly containerfile: string;
  readonly packedConfig: string;
};

export function environmentOf({ spec }: Pod, variable: string): string {
  const [container] = spec.initContainers ?? [];
  return container?.env?.find(({ name }) => name === variable)?.value ?? '';
}

/** Undefined while an object is missing: kubelets start no container then. */
export async function mountedInputs(kube: Kube, pod: Pod): Promise<MountedInputs | undefined> {
  const { namespace = '' } = pod.metadata;
  const texts = new Map<string, string>();
  for (const { name: volume, configMap, secret } of pod.spec.volumes ?? []) {
    if (secret?.secretName !== undefined) {
      if ((await kube.get(secretKind, { name: secret.secretName, namespace })) === undefined)
        return undefined;
    }
    if (configMap?.name === undefined) continue;
    const found = await kube.get(configMapKind, { name: configMap.name, namespace });
    if (found === undefined) return undefined;
    texts.set(volume, Object.values(found.data ?? {})[0] ?? '');
  }
  return {
    tag: environmentOf(pod, 'TAG'),
    base: environmentOf(pod, 'BASE_OS_IMAGE_PULLSPEC'),
    containerfile: texts.get('containerfile') ?? '',
    packedConfig: texts.get('machineconfig') ?? '',
  };
}
