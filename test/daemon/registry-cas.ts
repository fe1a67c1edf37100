/** A ControllerConfig with CAs of registries, for stories about daemons. */
import { type ControllerConfigSpec, controllerConfig as controllerConfigKind } from '../../src/api/index.ts';
import { EMPTY_CONTROLLER_CONFIG_SPEC } from '../support/controller-config-spec.ts';
import type { SmallCluster } from './small-cluster.ts';

const NAME = 'machine-config-controller';
const SPEC: ControllerConfigSpec = {
  ...EMPTY_CONTROLLER_CONFIG_SPEC,
  kubeAPIServerServingCAData: btoa('ca'),
  rootCAData: btoa('root'),
};

/** By the keys of a ConfigMap: `registry.example..5000`. */
export type RegistryCas = { readonly [file: string]: string };

/** Writes the CAs; returns the version of the ControllerConfig. */
export async function setRegistryCas(
  { kube }: Pick<SmallCluster, 'kube'>,
  cas: RegistryCas,
): Promise<string> {
  const bundles = Object.entries(cas).map(([file, text]) => ({ file, data: btoa(text) }));
  const existing = await kube.get(controllerConfigKind, { name: NAME });
  const written =
    existing === undefined
      ? await kube.create(controllerConfigKind, {
          apiVersion: 'machineconfiguration.openshift.io/v1',
          kind: 'ControllerConfig',
          metadata: { name: NAME },
          spec: { ...SPEC, imageRegistryBundleUserData: bundles },
        })
      : await kube.patch(
          controllerConfigKind,
          { name: NAME },
          { type: 'merge', body: { spec: { imageRegistryBundleUserData: bundles } } },
        );
  return written.metadata.resourceVersion ?? '';
}

export function caPath(registry: string): string {
  return `/etc/docker/certs.d/${registry}/ca.crt`;
}
