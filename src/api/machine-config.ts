/**
 * MachineConfig: part of the configuration of a node's operating system. Users write some, controllers generate
 * others; rendered ones are the merged result that nodes apply.
 */

import { ageColumn, defineKindWithOptionalSpec, type ObjectOfKind } from '../kubernetes/meta/index.ts';
import { anyObject, boolean, list, nullable, object, string } from '../kubernetes/schema/index.ts';
import { MACHINE_CONFIGURATION_GROUP, operatorManagedLabels } from './groups.ts';

export const machineConfig = defineKindWithOptionalSpec({
  group: MACHINE_CONFIGURATION_GROUP,
  version: 'v1',
  kind: 'MachineConfig',
  plural: 'machineconfigs',
  shortNames: ['mc'],
  description:
    'Part of the configuration of a node: files, units, kernel arguments, OS image. Pools select it by its labels.',
  crdLabels: operatorManagedLabels,
  columns: [
    {
      name: 'GeneratedByController',
      type: 'string',
      jsonPath: '.metadata.annotations.machineconfiguration\\.openshift\\.io/generated-by-controller-version',
    },
    { name: 'IgnitionVersion', type: 'string', jsonPath: '.spec.config.ignition.version' },
    ageColumn,
  ],
  spec: object('Desired configuration of the node.', {
    osImageURL: string('OS image that the node boots.'),
    baseOSExtensionsContainerImage: string('Extensions image that matches the OS image.'),
    config: anyObject(
      'Ignition config: files, units, users. Versions 2.0 to 2.2 and 3.0 to 3.5 are supported.',
    ),
    kernelArguments: nullable(
      list('Kernel arguments, appended in this order.', string('One argument.'), { list: 'atomic' }),
    ),
    extensions: list('Extensions to install on top of the OS image.', string('One extension.'), {
      list: 'atomic',
    }),
    fips: boolean('Whether FIPS mode is enabled. It cannot change on a running node.'),
    kernelType: string('Kernel type: default, realtime or 64k-pages.'),
  }),
});
export type MachineConfig = ObjectOfKind<typeof machineConfig>;
export type MachineConfigSpec = NonNullable<MachineConfig['spec']>;
