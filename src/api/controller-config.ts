/**
 * ControllerConfig: the cluster settings that the operator observed and that the templates of the base MachineConfigs
 * use.
 *
 * There is one object, named machine-config-controller. It holds whole copies of the cluster's DNS and Infrastructure
 * objects, of which only the fields that we read are declared.
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
  openObject('Infrastructure object of the cluster.', {
    spec: required(openObject('Desired state of the infrastructure.', {})),
    status: openObject('Observed state of the infrastructure.', {
      apiServerInternalURI: string('URL of the API server for nodes.'),
      controlPlaneTopology: oneOf(
        'Topology of the control plane.',
        ['HighlyAvailable', 'HighlyAvailableArbiter', 'SingleReplica', 'DualReplica', 'External'],
        { default: 'HighlyAvailable' },
      ),
      infrastructureTopology: oneOf(
        'Topology of infrastructure services outside of the control plane.',
        ['HighlyAvailable', 'SingleReplica'],
        { default: 'HighlyAvailable' },
      ),
      cpuPartitioning: oneOf(
        'Whether CPUs are partitioned for the platform on every node.',
        ['None', 'AllNodes'],
        { default: 'None' },
      ),
      platformStatus: openObject('Platform of the cluster.', {
        type: oneOf('Type of the platform. Without it no base MachineConfigs are generated.', platformTypes),
      }),
    }),
  }),
);

const dns = embedded(
  openObject('DNS object of the cluster.', {
    spec: required(
      openObject('The settings.', {
        baseDomain: string('Base domain of the cluster.'),
      }),
    ),
  }),
);

const mtuChange = (description: string) =>
  object(description, {
    from: int32('Current MTU.', { minimum: 0 }),
    to: int32('Target MTU.', { minimum: 0 }),
  });

const network = object('The network of the cluster.', {
  mtuMigration: required(
    nullable(
      object('MTU migration in progress.', {
        machine: mtuChange('MTU of the uplink of the nodes.'),
        network: mtuChange('MTU of the pod network.'),
      }),
    ),
  ),
});

const proxy = object('Proxy for outgoing connections of nodes.', {
  httpProxy: string('URL of the HTTP proxy.'),
  httpsProxy: string('URL of the HTTPS proxy.'),
  noProxy: string('Comma-separated hosts and networks that bypass the proxy.'),
});

const registryBundle = object('Certificates of one registry.', {
  file: required(string('Registry, with two dots instead of the colon before a port.')),
  data: required(bytes('Certificates in PEM format.')),
});

const controllerCondition = object('One condition.', {
  type: required(
    string(
      'Type of the condition: TemplateControllerRunning, TemplateControllerCompleted or TemplateControllerFailing.',
    ),
  ),
  status: required(string('Status of the condition: True, False or Unknown.')),
  lastTransitionTime: required(nullable(dateTime('Last time the status changed.'))),
  reason: string('Machine-readable reason of the last transition, in CamelCase.'),
  message: string('Human-readable message about the last transition.'),
});

const controllerCertificate = object('One certificate.', {
  subject: required(string('Subject of the certificate.')),
  signer: required(string('Issuer of the certificate.')),
  notBefore: dateTime('Start of the validity period.'),
  notAfter: dateTime('End of the validity period.'),
  bundleFile: required(string('Bundle that contains the certificate.')),
});
export type ControllerCertificate = Infer<typeof controllerCertificate>;

export const controllerConfig = defineKind({
  group: MACHINE_CONFIGURATION_GROUP,
  version: 'v1',
  kind: 'ControllerConfig',
  plural: 'controllerconfigs',
  description:
    'Cluster settings that the templates of the base MachineConfigs use. There is one object, named machine-config-controller, which the operator maintains. Not for users.',
  crdLabels: operatorManagedLabels,
  spec: object('Settings of the cluster.', {
    clusterDNSIP: required(string('IP address of the cluster DNS service.')),
    cloudProviderConfig: required(string('Configuration of the cloud provider; may be empty.')),
    ipFamilies: required(
      string('IP families of the cluster: IPv4, IPv6, DualStack or DualStackIPv6Primary.'),
    ),
    networkType: string('Network plugin of the cluster.'),
    kubeAPIServerServingCAData: required(bytes('Client CA of the kubelet, in PEM format.')),
    rootCAData: required(bytes('CAs of the API server, by which nodes know it, in PEM format.')),
    cloudProviderCAData: required(nullable(bytes('CA of the cloud provider, in PEM format.'))),
    additionalTrustBundle: required(
      nullable(bytes('Additional trusted certificates of nodes, in PEM format.')),
    ),
    imageRegistryBundleData: list('Certificates of the registries in the cluster.', registryBundle, {
      list: 'atomic',
    }),
    imageRegistryBundleUserData: list('Certificates of registries that users configured.', registryBundle, {
      list: 'atomic',
    }),
    internalRegistryPullSecret: nullable(
      bytes('Credentials for pulling OS images from the registry in the cluster.'),
    ),
    pullSecret: objectReference('Secret with the pull secret of the nodes.'),
    images: required(mapOf('Images that the templates use, by name.', string('The image.'))),
    baseOSContainerImage: required(string('OS image of pools that do not set one.')),
    baseOSExtensionsContainerImage: string('Extensions image that matches the OS image.'),
    osImageURL: string('OS image in the legacy format; not used.'),
    releaseImage: required(string('Release image of the cluster.')),
    proxy: required(nullable(proxy)),
    network: required(nullable(network)),
    dns: required(nullable(dns)),
    infra: required(nullable(infrastructure)),
    etcdDiscoveryDomain: string('Deprecated: see infra.status.etcdDiscoveryDomain.'),
    platform: string('Deprecated: see infra.status.platformStatus.type.'),
  }),
  status: object('Observed state of the base MachineConfigs. Set by the template controller.', {
    observedGeneration: int64('Generation of the spec that was last observed.'),
    conditions: list('Whether the base MachineConfigs were generated.', controllerCondition, {
      list: { map: ['type'] },
    }),
    controllerCertificates: list(
      'Certificates of the nodes and their validity periods.',
      controllerCertificate,
      {
        list: 'atomic',
      },
    ),
  }),
});
/** The type of the condition that is True while a reconcile of the controllers keeps failing. */
export const CONTROLLERS_FAILING = 'ControllersFailing';

export type ControllerConfig = ObjectOfKind<typeof controllerConfig>;
export type ControllerConfigSpec = ControllerConfig['spec'];

/** An embedded object of another kind, which needs its apiVersion and kind. */
function embedded<T>(schema: Schema<T>): Schema<T> {
  return { ...schema, 'x-kubernetes-embedded-resource': true };
}
