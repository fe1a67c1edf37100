/**
 * ContainerRuntimeConfig: container runtime settings for the nodes of selected pools.
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
    string('Absolute path of the store on the node.', {
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
    'Container runtime settings for the nodes of the selected pools. A MachineConfig is generated for each of these pools.',
  crdLabels: operatorManagedLabels,
  spec: object('The settings and the pools they apply to.', {
    machineConfigPoolSelector: labelSelector('Label selector for the pools. If absent, no pool is selected.'),
    containerRuntimeConfig: required(
      object('The settings.', {
        pidsLimit: int64('Maximum number of processes in a container: at least 20; 0 leaves it unset.'),
        logLevel: string('Log level of CRI-O: error, fatal, panic, warn, info, debug or trace.'),
        logSizeMax: intOrString('Maximum size of a container log, as a quantity above 8Ki.', {
          pattern: QUANTITY,
        }),
        overlaySize: intOrString('Maximum size of the writable layer of a container, as a quantity.', {
          pattern: QUANTITY,
        }),
        defaultRuntime: oneOf('Default OCI runtime. Defaults to crun.', ['crun', 'runc']),
        additionalArtifactStores: stores('additionalArtifactStores', {
          maxItems: 10,
          description: 'Additional read-only stores of OCI artifacts.',
        }),
        additionalImageStores: stores('additionalImageStores', {
          maxItems: 10,
          description: 'Additional read-only image stores.',
        }),
        additionalLayerStores: stores('additionalLayerStores', {
          maxItems: 5,
          description: 'Additional read-only stores of image layers.',
        }),
      }),
    ),
  }),
  status: object('Observed state of the settings. Set by the container runtime config controller.', {
    observedGeneration: int64('Generation of the spec that was last observed.'),
    conditions: legacyConditions('Whether the settings were accepted, latest last.'),
  }),
});
export type ContainerRuntimeConfig = ObjectOfKind<typeof containerRuntimeConfig>;
export type ContainerRuntimeConfigSpec = ContainerRuntimeConfig['spec'];
