/**
 * Service: one address for a set of pods.
 */
import type { ObjectOfKind } from '../meta/index.ts';
import {
  boolean,
  int32,
  intOrString,
  list,
  named,
  oneOf,
  pointer,
  required,
  string,
  struct,
} from '../schema/index.ts';
import { defineBuiltin, statusSubresource } from './builtin.ts';
import { conditions } from './conditions.ts';
import { always, filled, items, keyed, present, stringMap, strings } from './fields.ts';
import { protocols } from './pods/pod-container.ts';
import { metadataFields, selectable } from './selectable-fields.ts';

const servicePort = struct('core.ServicePort', 'A port.', {
  port: required(int32('Its number at the service.')),
  name: string('Its name; needed where there are several.'),
  protocol: named('core.Protocol', oneOf('Its protocol.', protocols, { default: 'TCP' })),
  targetPort: intOrString('The port of the pods, by number or name; the same number unless given.'),
  nodePort: int32('The port of every node that leads to it.'),
  appProtocol: pointer(string('The application protocol.')),
});

const addresses = {
  clusterIP: string('Its address in the cluster; None for a service without one.'),
  clusterIPs: strings('The same, one for each family.', 'An address.'),
  ipFamilies: list(
    'The families of its addresses.',
    named('core.IPFamily', oneOf('A family.', ['', 'IPv4', 'IPv6'])),
    {
      list: 'atomic',
    },
  ),
  ipFamilyPolicy: pointer(
    named(
      'core.IPFamilyPolicy',
      oneOf('How many families it has.', ['PreferDualStack', 'RequireDualStack', 'SingleStack']),
    ),
  ),
  externalIPs: strings('Addresses outside that lead to the nodes.', 'An address.'),
  externalName: string('The DNS name of an ExternalName service.'),
};

const traffic = {
  sessionAffinity: named(
    'core.ServiceAffinity',
    oneOf('Whether a client stays with its pod.', ['ClientIP', 'None']),
  ),
  sessionAffinityConfig: struct('core.SessionAffinityConfig', 'How it stays.', {
    clientIP: struct('core.ClientIPConfig', 'By its address.', {
      timeoutSeconds: pointer(int32('For how long; 10800 unless given.')),
    }),
  }),
  externalTrafficPolicy: named(
    'core.ServiceExternalTrafficPolicy',
    oneOf('How traffic from outside the cluster is routed.', ['Cluster', 'Local']),
  ),
  internalTrafficPolicy: pointer(
    named(
      'core.ServiceInternalTrafficPolicy',
      oneOf('How traffic from inside the cluster is routed.', ['Cluster', 'Local']),
    ),
  ),
  trafficDistribution: pointer(string('Which pods get it rather, such as PreferClose.')),
  publishNotReadyAddresses: boolean('Whether pods count that are not ready.'),
};

const loadBalancer = {
  loadBalancerClass: pointer(string('Who makes the load balancer; the one of the cloud unless given.')),
  loadBalancerIP: string('The address that it is to have.'),
  loadBalancerSourceRanges: strings('Whom it lets in.', 'A range.'),
  allocateLoadBalancerNodePorts: pointer(boolean('Whether it gets ports on the nodes; true unless given.')),
  healthCheckNodePort: int32('The health check port of every node.'),
};

const spec = struct('core.ServiceSpec', 'The spec of the service.', {
  type: named(
    'core.ServiceType',
    oneOf('From where it can be reached; ClusterIP unless given.', [
      'ClusterIP',
      'ExternalName',
      'LoadBalancer',
      'NodePort',
    ]),
  ),
  selector: { ...stringMap('Labels of its pods.'), 'x-kubernetes-map-type': 'atomic' as const },
  ports: keyed('Its ports.', servicePort, ['port', 'protocol']),
  ...addresses,
  ...traffic,
  ...loadBalancer,
});

const ingress = struct('core.LoadBalancerIngress', 'An address of the load balancer.', {
  ip: string('As a number.'),
  hostname: string('As a name.'),
  ipMode: pointer(
    named('core.LoadBalancerIPMode', string('Whether packets arrive with this address: VIP or Proxy.')),
  ),
  ports: items(
    'How its ports are.',
    struct('core.PortStatus', 'A port.', {
      port: always(int32('Its number.')),
      protocol: required(named('core.Protocol', oneOf('Its protocol.', protocols))),
      error: pointer(string('What is wrong with it.')),
    }),
  ),
});

const status = struct('core.ServiceStatus', 'The status of the service.', {
  loadBalancer: filled(
    struct('core.LoadBalancerStatus', 'Its load balancer.', {
      ingress: items('Where it can be reached.', ingress),
    }),
  ),
  conditions: conditions('The conditions of the service.'),
});

export const service = defineBuiltin({
  group: '',
  kind: 'Service',
  plural: 'services',
  shortNames: ['svc'],
  categories: ['all'],
  description: 'One address for many pods.',
  subresources: [
    statusSubresource,
    {
      name: 'proxy',
      verbs: ['create', 'delete', 'get', 'patch', 'update'],
      takes: { group: '', version: 'v1', kind: 'ServiceProxyOptions' },
    },
  ],
  selectableFields: [...metadataFields, selectable('spec.clusterIP'), selectable('spec.type')],
  fields: { spec: present(spec), status: filled(status) },
});
export type Service = ObjectOfKind<typeof service>;
