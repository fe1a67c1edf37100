/**
 * The image mode of a pool as administrators declare it: the OS image that it is built on, the credentials for pushing, and the
 * MachineOSConfig.
 */
import {
  machineConfig as configKind,
  labels,
  type MachineConfig,
  type MachineOSConfig,
  NAMESPACE,
  machineOSConfig as osConfigKind,
  machineConfigPool as poolKind,
} from '../../api/index.ts';
import type { Kube } from '../../kubernetes/client/index.ts';
import { type Secret, secret as secretKind } from '../../kubernetes/types/index.ts';
import { FIRST_OS } from '../cluster/os-images.ts';

const API_VERSION = 'machineconfiguration.openshift.io/v1';
const PUSH_SECRET = 'push';

/** `version`: another one is another image; 0 cannot be built. */
export async function applyOsConfig(kube: Kube, pool: string, version: number): Promise<void> {
  await kube.apply(configKind, baseConfig(pool));
  await kube.apply(secretKind, pushSecret());
  await kube.apply(osConfigKind, osConfig(pool, version));
}

/** Those of pools that are gone: nothing is built for them, and nobody asks for it any more. */
export async function poolessOsConfigs(kube: Kube): Promise<readonly string[]> {
  const pools = new Set((await kube.list(poolKind)).items.map(({ metadata }) => metadata.name));
  const names = (await kube.list(osConfigKind)).items.map(({ metadata }) => metadata.name);
  return names.filter((name) => !pools.has(name));
}

/** Without an OS image there is nothing to build on. */
function baseConfig(pool: string): MachineConfig {
  return {
    apiVersion: API_VERSION,
    kind: 'MachineConfig',
    metadata: { name: `40-os-${pool}`, labels: { [labels.role]: pool } },
    spec: { config: { ignition: { version: '3.4.0' } }, osImageURL: FIRST_OS },
  };
}

function osConfig(pool: string, version: number): MachineOSConfig {
  const step = version === 0 ? 'RUN false' : `RUN install --version ${version}`;
  return {
    ...{ apiVersion: API_VERSION, kind: 'MachineOSConfig', metadata: { name: pool } },
    spec: {
      machineConfigPool: { name: pool },
      imageBuilder: { imageBuilderType: 'Job' },
      renderedImagePushSecret: { name: PUSH_SECRET },
      renderedImagePushSpec: `registry.example/built/${pool}:latest`,
      containerFile: [{ containerfileArch: 'NoArch', content: `FROM configs AS final\n${step}\n` }],
    },
  };
}

function pushSecret(): Secret {
  const auths = { 'registry.example': { auth: btoa('builder:secret') } };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: PUSH_SECRET, namespace: NAMESPACE },
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': btoa(JSON.stringify({ auths })) },
  };
}
