/**
 * ContainerRuntimeConfig: settings of the container runtime for the nodes of some pools.
 */

import { defineKind, labelSelector, legacyConditions, type ObjectOfKind } from '../kubernetes/meta/index.ts';
import { int64, intOrString, list, object, oneOf, required, string } from '../kubernetes/schema/index.ts';
import { MACHINE_CONFIGURATION_GROUP, operatorManagedLabels } from './groups.ts';
import { absolutePath, singleSlashes } from './rules.ts';

/** A resource quantity, such as 10Gi. */
const QUANTITY =
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$';

const store = object('One store.', {
  path: required(
    string('The directory of the store, as an absolute path on the node.', {
      minLength: 1,
      maxLength: 256,
      rules: [absolutePath, singleSlashes],
    }),
  ),
});

const stores = (field: string, options: { readonly maxItems: number; readonly description: string }) =>
  list(options.description, store, {
    minItems: 1,
    maxItems: options.maxItems,
    list: 'atomic',
    rules: [
      {
        rule: 'self.all(store, self.exists_one(other, other.path == store.path))',
        message: `${field} must not contain duplicate paths`,
      },
    ],
  });

export const containerRuntimeConfig = defineKind({
  group: MACHINE_CONFIGURATION_GROUP,
  version: 'v1',
  kind: 'ContainerRuntimeConfig',
  plural: 'containerruntimeconfigs',
  shortNames: ['ctrcfg'],
  description:
    'Settings of the container runtime for the nodes of the pools that it selects. They become a MachineConfig in each of these pools.',
  crdLabels: operatorManagedLabels,
  spec: object('Which settings, and for which pools.', {
    machineConfigPoolSelector: labelSelector('The pools, by their labels. Absent, it selects no pool.'),
    containerRuntimeConfig: required(
      object('The settings.', {
        pidsLimit: int64('How many processes a container may have: 20 or more; 0 means no setting.'),
        logLevel: string('How much CRI-O logs: error, fatal, panic, warn, info, debug or trace.'),
        logSizeMax: intOrString('How large the log of a container may grow, as a quantity above 8Ki.', {
          pattern: QUANTITY,
        }),
        overlaySize: intOrString('How large the writable layer of a container may grow, as a quantity.', {
          pattern: QUANTITY,
        }),
        defaultRuntime: oneOf('The OCI runtime for containers that name none; crun if not given.', [
          'crun',
          'runc',
        ]),
        additionalArtifactStores: stores('additionalArtifactStores', {
          maxItems: 10,
          description: 'Directories from which OCI artifacts are also read.',
        }),
        additionalImageStores: stores('additionalImageStores', {
          maxItems: 10,
          description: 'Directories from which images are also read.',
        }),
        additionalLayerStores: stores('additionalLayerStores', {
          maxItems: 5,
          description: 'Directories from which single layers of images are also read.',
        }),
      }),
    ),
  }),
  status: object('Whether the settings were taken. Written by the container runtime config controller.', {
    observedGeneration: int64('The generation of the spec that this status speaks of.'),
    conditions: legacyConditions('Whether the settings were accepted, the newest last.'),
  }),
});
export type ContainerRuntimeConfig = ObjectOfKind<typeof containerRuntimeConfig>;
export type ContainerRuntimeConfigSpec = ContainerRuntimeConfig['spec'];
