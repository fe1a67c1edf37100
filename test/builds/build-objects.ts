/** Pools, Secrets and MachineOSConfigs for the tests of image builds, as YAML. */
import { stringify } from 'yaml';

export const NAMESPACE = 'openshift-machine-config-operator';
/** The name by which nodes know the registry of the embedded cluster, which asks for no password. */
export const OWN_REGISTRY = 'image-registry.openshift-image-registry.svc:5000';

/** Without nodes, unless some get the label of its role. */
export function aPool(name: string): string {
  return stringify({
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfigPool',
    metadata: { name },
    spec: {
      machineConfigSelector: {
        matchExpressions: [
          { key: 'machineconfiguration.openshift.io/role', operator: 'In', values: ['worker', name] },
        ],
      },
      nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${name}`]: '' } },
    },
  });
}

export type Login = { readonly host: string; readonly user: string; readonly password: string };

export function aRegistrySecret(name: string, { host, user, password }: Login): string {
  const auths = { [host]: { auth: btoa(`${user}:${password}`) } };
  return stringify({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: NAMESPACE },
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': btoa(JSON.stringify({ auths })) },
  });
}

export const ANYONE: Login = { host: OWN_REGISTRY, user: 'anyone', password: 'any' };

export type ImageOptions = {
  /** By default that of the pool. */
  readonly name?: string;
  readonly pool: string;
  readonly content: string;
  readonly pushSpec?: string;
  readonly pushSecret?: string;
  readonly baseSecret?: string;
};

export function aMachineOSConfig(options: ImageOptions): string {
  const { pool, name = pool, content, pushSecret = 'push', baseSecret } = options;
  return stringify({
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineOSConfig',
    metadata: { name },
    spec: {
      machineConfigPool: { name: pool },
      imageBuilder: { imageBuilderType: 'Job' },
      ...(baseSecret === undefined ? {} : { baseImagePullSecret: { name: baseSecret } }),
      renderedImagePushSecret: { name: pushSecret },
      renderedImagePushSpec: options.pushSpec ?? `${OWN_REGISTRY}/openshift/${pool}-os:latest`,
      containerFile: [{ containerfileArch: 'NoArch', content }],
    },
  });
}

export const SMALL_CHANGE =
  'FROM configs AS final\nRUN echo layered > /etc/layered && ostree container commit\n';
