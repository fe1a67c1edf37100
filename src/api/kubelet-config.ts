/**
 * KubeletConfig: settings of the kubelet for the nodes of some pools.
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

const tlsSecurityProfile = object('Which TLS versions and ciphers the kubelet accepts.', {
  type: oneOf('The profile: one of three that are kept up to date, or your own.', [
    'Old',
    'Intermediate',
    'Modern',
    'Custom',
  ]),
  old: nullable(object('For very old clients: TLS 1.0 and later.', {})),
  intermediate: nullable(object('For almost every client: TLS 1.2 and later.', {})),
  modern: nullable(object('For modern clients: TLS 1.3 only.', {})),
  custom: nullable(
    object('Your own profile, for the type Custom.', {
      ciphers: list('The ciphers, by their OpenSSL names.', string('One cipher.'), { list: 'atomic' }),
      minTLSVersion: oneOf('The oldest TLS version.', [
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
    'Settings of the kubelet for the nodes of the pools that it selects. They become a MachineConfig in each of these pools.',
  crdLabels: operatorManagedLabels,
  spec: object('Which settings, and for which pools.', {
    autoSizingReserved: boolean(
      'Whether CPU and memory for the system are reserved by the size of the node. Excludes systemReserved in kubeletConfig.',
    ),
    logLevel: int32('How much the kubelet logs, from 0 (little) to 10 (everything).', {
      minimum: 0,
      maximum: 10,
    }),
    machineConfigPoolSelector: labelSelector(
      'The pools, by their labels. Absent or empty, it selects no pool.',
    ),
    kubeletConfig: anyObject(
      'Fields of a KubeletConfiguration of kubelet.config.k8s.io. The kubelet itself judges them: a wrong value can keep a node from coming up.',
    ),
    tlsSecurityProfile,
  }),
  status: object('Whether the settings were taken. Written by the kubelet config controller.', {
    observedGeneration: int64('The generation of the spec that this status speaks of.'),
    conditions: legacyConditions('Whether the settings were accepted, the newest last.'),
  }),
});
export type KubeletConfig = ObjectOfKind<typeof kubeletConfig>;
export type KubeletConfigSpec = KubeletConfig['spec'];
