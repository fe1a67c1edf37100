/**
 * Image: which registries the cluster may use and how. There is one, named `cluster`.
 */

import { defineKind, type ObjectOfKind } from '../kubernetes/meta/index.ts';
import { boolean, list, object, oneOf, required, type Schema, string } from '../kubernetes/schema/index.ts';
import { CONFIG_GROUP } from './groups.ts';
import { registryScope } from './registry-names.ts';

const registries = (description: string): Schema<readonly string[]> =>
  list(
    description,
    string('A registry, a repository or part of its path, or *.domain for every host below a domain.', {
      minLength: 1,
      maxLength: 256,
      rules: [registryScope],
    }),
    { maxItems: 1024, list: 'atomic' },
  );

/** The format stands on the list, where no API server looks at it: entries are not checked. */
const searchRegistries: Schema<readonly string[]> = {
  ...list(
    'Registries to search, in this order, for images whose name holds no registry. For the container runtime of the nodes only.',
    string('A registry.'),
    { minItems: 1, list: 'set' },
  ),
  format: 'hostname',
};

const registrySources = object(
  'How the container runtime of the nodes treats registries.',
  {
    insecureRegistries: registries(
      'Registries that may be used without a valid certificate, or over plain HTTP.',
    ),
    blockedRegistries: registries(
      'Registries that may not be used; all others may. Not together with allowedRegistries.',
    ),
    allowedRegistries: registries(
      'The only registries that may be used. Not together with blockedRegistries.',
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
    'Which registries the cluster may use, and how. The object named cluster counts; it becomes part of the registries configuration of every node.',
  spec: object('What is wanted of registries.', {
    registrySources,
    additionalTrustedCA: object(
      'The ConfigMap, in the namespace openshift-config, with certificate authorities to trust for registries: one key per registry.',
      { name: required(string('The name of the ConfigMap.')) },
    ),
    allowedRegistriesForImport: list(
      'From where users may import image streams. The nodes do not look at it.',
      object('One registry.', {
        domainName: string('Its host name and, where it is not a usual one, its port. May hold * and ??.'),
        insecure: boolean('Whether it speaks plain HTTP.'),
      }),
      { list: 'atomic' },
    ),
    externalRegistryHostnames: hostnames(
      "The names under which the cluster's own registry is reached from outside. The nodes do not look at it.",
    ),
    imageStreamImportMode: importMode(
      'Whether image streams keep all of a multi-architecture image (PreserveOriginal) or one part of it (Legacy). The nodes do not look at it.',
    ),
  }),
  status: object('What was found. The nodes do not look at it.', {
    externalRegistryHostnames: hostnames(
      "The names under which the cluster's own registry is reached from outside.",
    ),
    internalRegistryHostname: string("The name of the cluster's own registry inside the cluster."),
    imageStreamImportMode: importMode('The mode in force for image streams.'),
  }),
});
export type Image = ObjectOfKind<typeof image>;
