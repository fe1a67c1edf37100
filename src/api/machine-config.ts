/**
 * MachineConfig: a piece of what a node's operating system should look like. Users write some, controllers
 * generate others, and the rendered ones are the sum that a node is given.
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
    'A piece of what the operating system of a node should look like: files, units, kernel arguments, the OS image. Its labels decide to which pools it belongs.',
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
  spec: object('What the node should have.', {
    osImageURL: string('The OS image from which the node should boot.'),
    baseOSExtensionsContainerImage: string('The image with the extensions that match the OS image.'),
    config: anyObject(
      'An Ignition config: files, units, users. Versions 2.0 to 2.2 and 3.0 to 3.5 are understood.',
    ),
    kernelArguments: nullable(
      list('Arguments for the kernel, appended in this order.', string('One argument.'), { list: 'atomic' }),
    ),
    extensions: list('Names of extensions to install on top of the OS image.', string('One extension.'), {
      list: 'atomic',
    }),
    fips: boolean('Whether FIPS mode is on. It cannot change on a running node.'),
    kernelType: string('Which kernel to run: default, realtime or 64k-pages.'),
  }),
});
export type MachineConfig = ObjectOfKind<typeof machineConfig>;
export type MachineConfigSpec = NonNullable<MachineConfig['spec']>;
