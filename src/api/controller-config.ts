/**
 * ControllerConfig: what the operator has found out about the cluster and the templates of node files need.
 *
 * There is one such object, named machine-config-controller. Of the cluster's DNS and infrastructure it holds
 * whole copies, in which we name only what we read: nothing here is tied to one cloud.
 */

import { defineKind, type ObjectOfKind, objectReference } from '../kubernetes/meta/index.ts';
import {
  bytes,
  dateTime,
  type Infer,
  int32,
  int64,
  list,
  mapOf,
  nullable,
  object,
  oneOf,
  openObject,
  required,
  type Schema,
  string,
} from '../kubernetes/schema/index.ts';
import { MACHINE_CONFIGURATION_GROUP, operatorManagedLabels } from './groups.ts';

const platformTypes = [
  '',
  'AWS',
  'Azure',
  'BareMetal',
  'GCP',
  'Libvirt',
  'OpenStack',
  'None',
  'VSphere',
  'oVirt',
  'IBMCloud',
  'KubeVirt',
  'EquinixMetal',
  'PowerVS',
  'AlibabaCloud',
  'Nutanix',
  'External',
] as const;

const infrastructure = embedded(
  openObject('The infrastructure of the cluster: an object of kind Infrastructure.', {
    spec: required(openObject('What the infrastructure should be.', {})),
    status: openObject('What the infrastructure is.', {
      apiServerInternalURI: string('Where nodes reach the API server.'),
      controlPlaneTopology: oneOf(
        'How the control plane is laid out.',
        ['HighlyAvailable', 'HighlyAvailableArbiter', 'SingleReplica', 'DualReplica', 'External'],
        { default: 'HighlyAvailable' },
      ),
      infrastructureTopology: oneOf(
        'How services of the cluster outside the control plane are laid out.',
        ['HighlyAvailable', 'SingleReplica'],
        { default: 'HighlyAvailable' },
      ),
      cpuPartitioning: oneOf(
        'Whether CPUs are set apart for the platform on every node.',
        ['None', 'AllNodes'],
        { default: 'None' },
      ),
      platformStatus: openObject('The platform on which the cluster runs.', {
        type: oneOf('Which platform. Without it no MachineConfigs are made from templates.', platformTypes),
      }),
    }),
  }),
);

const dns = embedded(
  openObject('The DNS of the cluster: an object of kind DNS.', {
    spec: required(
      openObject('The settings.', {
        baseDomain: string('The domain below which all names of the cluster are.'),
      }),
    ),
  }),
);

const mtuChange = (description: string) =>
  object(description, {
    from: int32('The MTU before.', { minimum: 0 }),
    to: int32('The MTU after.', { minimum: 0 }),
  });

const network = object('The network of the cluster.', {
  mtuMigration: required(
    nullable(
      object('A change of MTU that is under way.', {
        machine: mtuChange('The MTU of the uplink of the nodes.'),
        network: mtuChange('The MTU of the pod network.'),
      }),
    ),
  ),
});

const proxy = object('The proxy for everything that nodes fetch from outside.', {
  httpProxy: string('The URL of the proxy for HTTP.'),
  httpsProxy: string('The URL of the proxy for HTTPS.'),
  noProxy: string('Hosts and networks, separated by commas, that are reached without a proxy.'),
});

const registryBundle = object('The certificates of one registry.', {
  file: required(string('The registry, with two dots in the place of the colon before a port.')),
  data: required(bytes('The certificates, in PEM.')),
});

const controllerCondition = object('One thing that is true of the object, or is not, and why.', {
  type: required(
    string(
      'What it is about: TemplateControllerRunning, TemplateControllerCompleted or TemplateControllerFailing.',
    ),
  ),
  status: required(string('Whether it holds: True, False or Unknown.')),
  lastTransitionTime: required(nullable(dateTime('When the status last changed.'))),
  reason: string('Why, in one CamelCase word.'),
  message: string('Why, in a sentence for people.'),
});

const controllerCertificate = object('One certificate.', {
  subject: required(string('Whom it names.')),
  signer: required(string('Who signed it.')),
  notBefore: dateTime('From when on it is valid.'),
  notAfter: dateTime('Until when it is valid.'),
  bundleFile: required(string('The bundle that holds it.')),
});
export type ControllerCertificate = Infer<typeof controllerCertificate>;

export const controllerConfig = defineKind({
  group: MACHINE_CONFIGURATION_GROUP,
  version: 'v1',
  kind: 'ControllerConfig',
  plural: 'controllerconfigs',
  description:
    'What the templates of node files need to know of the cluster. There is one such object, named machine-config-controller, written by the operator. It is not for users.',
  crdLabels: operatorManagedLabels,
  spec: object('What is known of the cluster.', {
    clusterDNSIP: required(string('The address of the DNS server that pods use.')),
    cloudProviderConfig: required(string('The configuration file of the cloud provider; may be empty.')),
    ipFamilies: required(
      string('The address families of the cluster: IPv4, IPv6, DualStack or DualStackIPv6Primary.'),
    ),
    networkType: string('The network plugin of the cluster.'),
    kubeAPIServerServingCAData: required(
      bytes('The CA with which the kubelet checks the clients that call it, in PEM.'),
    ),
    rootCAData: required(
      bytes('The CA with which a joining node checks the server of its configuration, in PEM.'),
    ),
    cloudProviderCAData: required(nullable(bytes('The CA of the cloud provider, in PEM.'))),
    additionalTrustBundle: required(nullable(bytes('Certificates that nodes trust besides, in PEM.'))),
    imageRegistryBundleData: list(
      'The certificates of the registries that the cluster itself runs.',
      registryBundle,
      { list: 'atomic' },
    ),
    imageRegistryBundleUserData: list('The certificates of registries that users named.', registryBundle, {
      list: 'atomic',
    }),
    internalRegistryPullSecret: nullable(
      bytes('The credentials with which nodes pull OS images from the registry of the cluster.'),
    ),
    pullSecret: objectReference('The Secret with the credentials that every node gets.'),
    images: required(mapOf('The images that the templates use, by name.', string('The image.'))),
    baseOSContainerImage: required(string('The OS image of every pool that names no other.')),
    baseOSExtensionsContainerImage: string('The image with the extensions that match the OS image.'),
    osImageURL: string('The OS image in the old format; not used.'),
    releaseImage: required(string('The image of the release that the cluster runs.')),
    proxy: required(nullable(proxy)),
    network: required(nullable(network)),
    dns: required(nullable(dns)),
    infra: required(nullable(infrastructure)),
    etcdDiscoveryDomain: string('Deprecated: see infra.status.etcdDiscoveryDomain.'),
    platform: string('Deprecated: see infra.status.platformStatus.type.'),
  }),
  status: object('How far the templates have come. Written by the template controller.', {
    observedGeneration: int64('The generation of the spec that this status speaks of.'),
    conditions: list('Whether the templates were applied, and why not.', controllerCondition, {
      list: { map: ['type'] },
    }),
    controllerCertificates: list(
      'The certificates that nodes are given, and when they end.',
      controllerCertificate,
      {
        list: 'atomic',
      },
    ),
  }),
});
export type ControllerConfig = ObjectOfKind<typeof controllerConfig>;
export type ControllerConfigSpec = ControllerConfig['spec'];

/** A whole object of another kind inside ours: the API then asks for its apiVersion and kind too. */
function embedded<T>(schema: Schema<T>): Schema<T> {
  return { ...schema, 'x-kubernetes-embedded-resource': true };
}
