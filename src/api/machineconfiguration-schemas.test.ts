/**
 * The marks in the schemas of the machine configuration group that decide how a server stores and merges:
 * which fields must be there, how each list is merged, where null and unknown fields are kept.
 */
import { expect, test } from 'vitest';
import type { AnyKind } from '../kubernetes/meta/kind.ts';
import type { StructuralSchema } from '../kubernetes/schema/index.ts';
import { containerRuntimeConfig } from './container-runtime-config.ts';
import { controllerConfig } from './controller-config.ts';
import { kubeletConfig } from './kubelet-config.ts';
import { machineConfig } from './machine-config.ts';
import { machineConfigNode } from './machine-config-node.ts';
import { machineConfigPool } from './machine-config-pool.ts';
import { machineOSBuild } from './machine-os-build.ts';
import { machineOSConfig } from './machine-os-config.ts';
import { osImageStream } from './os-image-stream.ts';
import { pinnedImageSet } from './pinned-image-set.ts';

const kinds: readonly AnyKind[] = [
  machineConfig,
  machineConfigPool,
  machineConfigNode,
  machineOSConfig,
  machineOSBuild,
  pinnedImageSet,
  kubeletConfig,
  containerRuntimeConfig,
  controllerConfig,
  osImageStream,
];

/** Every field below spec and status, with items of a list as `[]`. */
function* fieldsOf(schema: StructuralSchema, path: string): Generator<readonly [string, StructuralSchema]> {
  yield [path, schema];
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    yield* fieldsOf(field, path === '' ? name : `${path}.${name}`);
  }
  if (schema.items !== undefined) yield* fieldsOf(schema.items, `${path}[]`);
}
const facts = (kind: AnyKind, fact: (field: StructuralSchema) => unknown) =>
  Object.fromEntries(
    [...fieldsOf(kind.schema, '')]
      .map(([path, field]) => [path, fact(field)] as const)
      .filter(([, value]) => value !== undefined),
  );

const condition = ['lastTransitionTime', 'message', 'reason', 'status', 'type'];
const reference = ['group', 'name', 'resource'];

const requiredFields: readonly (readonly [AnyKind, { readonly [path: string]: readonly string[] }])[] = [
  [machineConfig, {}],
  [
    machineConfigPool,
    {
      '': ['spec'],
      'spec.machineConfigSelector.matchExpressions[]': ['key', 'operator'],
      'spec.nodeSelector.matchExpressions[]': ['key', 'operator'],
      'spec.pinnedImageSets[]': ['name'],
      'spec.osImageStream': ['name'],
      'status.certExpirys[]': ['bundle', 'subject'],
      'status.osImageStream': ['name'],
      'status.poolSynchronizersStatus[]': [
        'availableMachineCount',
        'machineCount',
        'poolSynchronizerType',
        'readyMachineCount',
        'unavailableMachineCount',
        'updatedMachineCount',
      ],
    },
  ],
  [
    machineConfigNode,
    {
      '': ['spec'],
      spec: ['configVersion', 'node', 'pool'],
      'spec.configImage': ['desiredImage'],
      'spec.configVersion': ['desired'],
      'spec.node': ['name'],
      'spec.pool': ['name'],
      'status.conditions[]': condition,
      'status.configVersion': ['desired'],
      'status.internalReleaseImage': ['releases'],
      'status.internalReleaseImage.releases[]': ['name'],
      'status.internalReleaseImage.releases[].conditions[]': condition,
      'status.irreconcilableChanges[]': ['diff', 'fieldPath'],
      'status.pinnedImageSets[]': ['name'],
    },
  ],
  [
    machineOSConfig,
    {
      '': ['spec'],
      spec: ['imageBuilder', 'machineConfigPool', 'renderedImagePushSecret', 'renderedImagePushSpec'],
      'spec.baseImagePullSecret': ['name'],
      'spec.containerFile[]': ['content'],
      'spec.imageBuilder': ['imageBuilderType'],
      'spec.machineConfigPool': ['name'],
      'spec.renderedImagePushSecret': ['name'],
      'status.conditions[]': condition,
      'status.machineOSBuild': reference,
    },
  ],
  [
    machineOSBuild,
    {
      '': ['spec'],
      spec: ['machineConfig', 'machineOSConfig', 'renderedImagePushSpec'],
      'spec.machineConfig': ['name'],
      'spec.machineOSConfig': ['name'],
      'status.builder': ['imageBuilderType'],
      'status.builder.job': reference,
      'status.conditions[]': condition,
      'status.relatedObjects[]': reference,
    },
  ],
  [pinnedImageSet, { '': ['spec'], spec: ['pinnedImages'], 'spec.pinnedImages[]': ['name'] }],
  [kubeletConfig, { '': ['spec'], 'spec.machineConfigPoolSelector.matchExpressions[]': ['key', 'operator'] }],
  [
    containerRuntimeConfig,
    {
      '': ['spec'],
      spec: ['containerRuntimeConfig'],
      'spec.machineConfigPoolSelector.matchExpressions[]': ['key', 'operator'],
      'spec.containerRuntimeConfig.additionalArtifactStores[]': ['path'],
      'spec.containerRuntimeConfig.additionalImageStores[]': ['path'],
      'spec.containerRuntimeConfig.additionalLayerStores[]': ['path'],
    },
  ],
  [
    controllerConfig,
    {
      '': ['spec'],
      spec: [
        'additionalTrustBundle',
        'baseOSContainerImage',
        'cloudProviderCAData',
        'cloudProviderConfig',
        'clusterDNSIP',
        'dns',
        'images',
        'infra',
        'ipFamilies',
        'kubeAPIServerServingCAData',
        'network',
        'proxy',
        'releaseImage',
        'rootCAData',
      ],
      'spec.dns': ['spec'],
      'spec.imageRegistryBundleData[]': ['data', 'file'],
      'spec.imageRegistryBundleUserData[]': ['data', 'file'],
      'spec.infra': ['spec'],
      'spec.network': ['mtuMigration'],
      'status.conditions[]': ['lastTransitionTime', 'status', 'type'],
      'status.controllerCertificates[]': ['bundleFile', 'signer', 'subject'],
    },
  ],
  [
    osImageStream,
    {
      '': ['spec'],
      spec: ['defaultStream'],
      status: ['availableStreams', 'defaultStream'],
      'status.availableStreams[]': ['name', 'osExtensionsImage', 'osImage'],
    },
  ],
];

for (const [kind, required] of requiredFields) {
  test(`${kind.kind} demands these fields`, () => {
    expect(facts(kind, (field) => field.required)).toEqual(required);
  });
}

const selector = (path: string) => ({
  [`${path}.matchExpressions`]: 'atomic',
  [`${path}.matchExpressions[].values`]: 'atomic',
});
const lists: readonly (readonly [AnyKind, { readonly [path: string]: string }])[] = [
  [machineConfig, { 'spec.extensions': 'atomic', 'spec.kernelArguments': 'atomic' }],
  [
    machineConfigPool,
    {
      ...selector('spec.machineConfigSelector'),
      ...selector('spec.nodeSelector'),
      'spec.configuration.source': 'atomic',
      'spec.pinnedImageSets': 'map by name',
      'status.certExpirys': 'atomic',
      'status.conditions': 'atomic',
      'status.configuration.source': 'atomic',
      'status.poolSynchronizersStatus': 'map by poolSynchronizerType',
    },
  ],
  [
    machineConfigNode,
    {
      'status.conditions': 'map by type',
      'status.internalReleaseImage.releases': 'map by name',
      'status.internalReleaseImage.releases[].conditions': 'map by type',
      'status.irreconcilableChanges': 'map by fieldPath',
      'status.pinnedImageSets': 'map by name',
    },
  ],
  [machineOSConfig, { 'spec.containerFile': 'map by containerfileArch', 'status.conditions': 'map by type' }],
  [
    machineOSBuild,
    { 'status.conditions': 'map by type', 'status.relatedObjects': 'map by name by resource' },
  ],
  [pinnedImageSet, { 'spec.pinnedImages': 'map by name' }],
  [
    kubeletConfig,
    {
      ...selector('spec.machineConfigPoolSelector'),
      'spec.tlsSecurityProfile.custom.ciphers': 'atomic',
      'status.conditions': 'atomic',
    },
  ],
  [
    containerRuntimeConfig,
    {
      ...selector('spec.machineConfigPoolSelector'),
      'spec.containerRuntimeConfig.additionalArtifactStores': 'atomic',
      'spec.containerRuntimeConfig.additionalImageStores': 'atomic',
      'spec.containerRuntimeConfig.additionalLayerStores': 'atomic',
      'status.conditions': 'atomic',
    },
  ],
  [
    controllerConfig,
    {
      'spec.imageRegistryBundleData': 'atomic',
      'spec.imageRegistryBundleUserData': 'atomic',
      'status.conditions': 'map by type',
      'status.controllerCertificates': 'atomic',
    },
  ],
  [osImageStream, { 'status.availableStreams': 'map by name' }],
];

for (const [kind, expected] of lists) {
  test(`${kind.kind} has a merge strategy for each list`, () => {
    expect(facts(kind, listTypeOf)).toEqual(expected);
  });
}

function listTypeOf(field: StructuralSchema): string | undefined {
  if (field.type !== 'array') return undefined;
  const keys = field['x-kubernetes-list-map-keys'] ?? [];
  return [field['x-kubernetes-list-type'], ...keys.map((key) => `by ${key}`)].join(' ');
}

const pathsWith = (mark: (field: StructuralSchema) => boolean) =>
  kinds.flatMap((kind) =>
    Object.keys(facts(kind, (field) => mark(field) || undefined)).map((path) => `${kind.kind} ${path}`),
  );

test('only these fields are nullable', () => {
  expect(pathsWith((field) => field.nullable === true).sort()).toEqual([
    'ContainerRuntimeConfig status.conditions[].lastTransitionTime',
    'ControllerConfig spec.additionalTrustBundle',
    'ControllerConfig spec.cloudProviderCAData',
    'ControllerConfig spec.dns',
    'ControllerConfig spec.infra',
    'ControllerConfig spec.internalRegistryPullSecret',
    'ControllerConfig spec.network',
    'ControllerConfig spec.network.mtuMigration',
    'ControllerConfig spec.proxy',
    'ControllerConfig status.conditions[].lastTransitionTime',
    'KubeletConfig spec.tlsSecurityProfile.custom',
    'KubeletConfig spec.tlsSecurityProfile.intermediate',
    'KubeletConfig spec.tlsSecurityProfile.modern',
    'KubeletConfig spec.tlsSecurityProfile.old',
    'KubeletConfig status.conditions[].lastTransitionTime',
    'MachineConfig spec.kernelArguments',
    'MachineConfigPool status.conditions[].lastTransitionTime',
  ]);
});

test('only these objects preserve unknown fields', () => {
  expect(pathsWith((field) => field['x-kubernetes-preserve-unknown-fields'] === true).sort()).toEqual([
    'ControllerConfig spec.dns',
    'ControllerConfig spec.dns.spec',
    'ControllerConfig spec.infra',
    'ControllerConfig spec.infra.spec',
    'ControllerConfig spec.infra.status',
    'ControllerConfig spec.infra.status.platformStatus',
    'KubeletConfig spec.kubeletConfig',
    'MachineConfig spec.config',
  ]);
});

test('only these fields are embedded resources', () => {
  expect(pathsWith((field) => field['x-kubernetes-embedded-resource'] === true)).toEqual([
    'ControllerConfig spec.dns',
    'ControllerConfig spec.infra',
  ]);
});

test('only these objects are atomic', () => {
  expect(pathsWith((field) => field['x-kubernetes-map-type'] === 'atomic').sort()).toEqual([
    'ContainerRuntimeConfig spec.machineConfigPoolSelector',
    'ControllerConfig spec.pullSecret',
    'KubeletConfig spec.machineConfigPoolSelector',
    'MachineConfigPool spec.configuration',
    'MachineConfigPool spec.configuration.source[]',
    'MachineConfigPool spec.machineConfigSelector',
    'MachineConfigPool spec.nodeSelector',
    'MachineConfigPool status.configuration',
    'MachineConfigPool status.configuration.source[]',
  ]);
});

test('only these fields have defaults', () => {
  const defaults = kinds.flatMap((kind) => Object.entries(facts(kind, (field) => field.default)));
  expect(Object.fromEntries(defaults)).toEqual({
    'spec.containerFile[].containerfileArch': 'NoArch',
    'spec.infra.status.controlPlaneTopology': 'HighlyAvailable',
    'spec.infra.status.cpuPartitioning': 'None',
    'spec.infra.status.infrastructureTopology': 'HighlyAvailable',
  });
});
