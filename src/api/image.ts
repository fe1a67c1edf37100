/**
 * Image: the registry settings of the cluster. There is one object, named `cluster`.
 */

import { defineKind, type ObjectOfKind } from '../kubernetes/meta/index.ts';
import { boolean, list, object, oneOf, required, type Schema, string } from '../kubernetes/schema/index.ts';
import { CONFIG_GROUP } from './groups.ts';
import { registryScope } from './registry-names.ts';

const registries = (description: string): Schema<readonly string[]> =>
  list(
    description,
    string('A registry, a repository or a prefix of its path, or *.domain for every host below a domain.', {
      minLength: 1,
      maxLength: 256,
      rules: [registryScope],
    }),
    { maxItems: 1024, list: 'atomic' },
  );

/** The format is set on the list, where API servers ignore it: entries are not validated. */
const searchRegistries: Schema<readonly string[]> = {
  ...list(
    'Registries to search, in this order, for image names without a registry. Only used by the container runtime.',
    string('A registry.'),
    { minItems: 1, list: 'set' },
  ),
  format: 'hostname',
};

const registrySources = object(
  'Registry settings of the container runtime.',
  {
    insecureRegistries: registries('Registries without a valid certificate, or with plain HTTP.'),
    blockedRegistries: registries(
      'Registries that are blocked; all others are allowed. Mutually exclusive with allowedRegistries.',
    ),
    allowedRegistries: registries(
      'The only registries that are allowed. Mutually exclusive with blockedRegistries.',
    ),
    containerRuntimeSearchRegistries: searchRegistries,
  },
  {
    rules: [
      {
        rule: '!has(self.blockedRegistries) || !has(self.allowedRegistries)',
        message: 'Only one of blockedRegistries or allowedRegistries may be set',
      },
    ],
  },
);

const hostnames = (description: string): Schema<readonly string[]> =>
  list(description, string('hostname[:port].'), { list: 'atomic' });

const importMode = (description: string) => oneOf(description, ['', 'Legacy', 'PreserveOriginal']);

export const image = defineKind({
  group: CONFIG_GROUP,
  version: 'v1',
  kind: 'Image',
  plural: 'images',
  description:
    'Registry settings of the cluster. Only the object named cluster is used; it is part of the registries configuration of every node.',
  spec: object('Desired registry settings.', {
    registrySources,
    additionalTrustedCA: object(
      'ConfigMap in the namespace openshift-config with the trusted CAs of registries, one key per registry.',
      { name: required(string('Name of the ConfigMap.')) },
    ),
    allowedRegistriesForImport: list(
      'Registries that users may import image streams from. Not used by nodes.',
      object('One registry.', {
        domainName: string('Host name with an optional port. May contain * and ??.'),
        insecure: boolean('Whether the registry uses plain HTTP.'),
      }),
      { list: 'atomic' },
    ),
    externalRegistryHostnames: hostnames(
      'External host names of the registry in the cluster. Not used by nodes.',
    ),
    imageStreamImportMode: importMode(
      'Whether image streams import the whole manifest list (PreserveOriginal) or a single manifest (Legacy). Not used by nodes.',
    ),
  }),
  status: object('Observed state. Not used by nodes.', {
    externalRegistryHostnames: hostnames(
      "The names under which the cluster's own registry is reached from outside.",
    ),
    internalRegistryHostname: string("The name of the cluster's own registry inside the cluster."),
    imageStreamImportMode: importMode('Import mode of image streams in effect.'),
  }),
});
export type Image = ObjectOfKind<typeof image>;
