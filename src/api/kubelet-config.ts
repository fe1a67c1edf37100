/**
 * KubeletConfig: kubelet settings for the nodes of selected pools.
 */

import { defineKind, labelSelector, legacyConditions, type ObjectOfKind } from '../kubernetes/meta/index.ts';
import {
  anyObject,
  boolean,
  int32,
  int64,
  list,
  nullable,
  object,
  oneOf,
  string,
} from '../kubernetes/schema/index.ts';
import { MACHINE_CONFIGURATION_GROUP, operatorManagedLabels } from './groups.ts';

const tlsSecurityProfile = object('TLS versions and ciphers of the kubelet.', {
  type: oneOf('Type of the profile: one of three predefined ones, or Custom.', [
    'Old',
    'Intermediate',
    'Modern',
    'Custom',
  ]),
  old: nullable(object('For very old clients: TLS 1.0 and later.', {})),
  intermediate: nullable(object('For almost every client: TLS 1.2 and later.', {})),
  modern: nullable(object('For modern clients: TLS 1.3 only.', {})),
  custom: nullable(
    object('Custom profile, for the type Custom.', {
      ciphers: list('Ciphers by their OpenSSL names.', string('One cipher.'), { list: 'atomic' }),
      minTLSVersion: oneOf('Minimum TLS version.', [
        'VersionTLS10',
        'VersionTLS11',
        'VersionTLS12',
        'VersionTLS13',
      ]),
    }),
  ),
});

export const kubeletConfig = defineKind({
  group: MACHINE_CONFIGURATION_GROUP,
  version: 'v1',
  kind: 'KubeletConfig',
  plural: 'kubeletconfigs',
  description:
    'Kubelet settings for the nodes of the selected pools. A MachineConfig is generated for each of these pools.',
  crdLabels: operatorManagedLabels,
  spec: object('The settings and the pools they apply to.', {
    autoSizingReserved: boolean(
      'Whether the CPU and memory reserved for the system are computed from the size of the node. Mutually exclusive with systemReserved in kubeletConfig.',
    ),
    logLevel: int32('Log verbosity of the kubelet, from 0 to 10.', {
      minimum: 0,
      maximum: 10,
    }),
    machineConfigPoolSelector: labelSelector(
      'Label selector for the pools. If absent or empty, no pool is selected.',
    ),
    kubeletConfig: anyObject(
      'Fields of a KubeletConfiguration of kubelet.config.k8s.io. Values are validated by the kubelet: an invalid value can prevent a node from starting.',
    ),
    tlsSecurityProfile,
  }),
  status: object('Observed state of the settings. Set by the kubelet config controller.', {
    observedGeneration: int64('Generation of the spec that was last observed.'),
    conditions: legacyConditions('Whether the settings were accepted, latest last.'),
  }),
});
export type KubeletConfig = ObjectOfKind<typeof kubeletConfig>;
export type KubeletConfigSpec = KubeletConfig['spec'];
