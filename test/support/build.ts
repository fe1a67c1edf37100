/**
 * Objects for tests, with defaults.
 */
import type { MachineConfig, MachineConfigPool } from '../../src/api/index.ts';
import type { IgnitionConfig } from '../../src/config/ignition/index.ts';
import type { RenderSettings } from '../../src/config/render/index.ts';

const API_VERSION = 'machineconfiguration.openshift.io/v1';
const ROLE = 'machineconfiguration.openshift.io/role';

export function aPool(
  name = 'worker',
  spec: Partial<MachineConfigPool['spec']> = {},
  metadata: Partial<MachineConfigPool['metadata']> = {},
): MachineConfigPool {
  const roles = name === 'master' || name === 'worker' ? [name] : ['worker', name];
  return {
    apiVersion: API_VERSION,
    kind: 'MachineConfigPool',
    metadata: { name, ...metadata },
    spec: {
      machineConfigSelector: { matchExpressions: [{ key: ROLE, operator: 'In', values: roles }] },
      nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${name}`]: '' } },
      ...spec,
    },
  };
}

export type MachineConfigOverrides = {
  readonly role?: string;
  readonly labels?: { readonly [key: string]: string };
  readonly annotations?: { readonly [key: string]: string };
};

export function aMachineConfig(
  name: string,
  spec: MachineConfig['spec'] = {},
  { role = 'worker', labels = { [ROLE]: role }, annotations }: MachineConfigOverrides = {},
): MachineConfig {
  return {
    apiVersion: API_VERSION,
    kind: 'MachineConfig',
    metadata: { name, labels, ...(annotations && { annotations }) },
    spec,
  };
}

/** A version 3.5.0 config with these sections. */
export function aConfig(sections: Omit<IgnitionConfig, 'ignition'> = {}): IgnitionConfig {
  return { ignition: { version: '3.5.0' }, ...sections };
}

/** A file whose contents are this text. */
export function aFile(path: string, contents: string, extra: object = {}) {
  return { path, contents: { source: `data:,${encodeURIComponent(contents)}` }, ...extra };
}

export const someSettings: RenderSettings = {
  osImageURL: 'registry.example/os@sha256:0000',
  baseOSExtensionsContainerImage: 'registry.example/extensions@sha256:0000',
};
