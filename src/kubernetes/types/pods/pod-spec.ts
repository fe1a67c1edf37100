/**
 * The spec of a pod.
 */
import {
  boolean,
  type Infer,
  int32,
  int64,
  named,
  oneOf,
  pointer,
  required,
  type Schema,
  string,
  struct,
} from '../../schema/index.ts';
import { items, keyed, quantities, stringMap, strings } from '../fields.ts';
import { localReference } from '../references.ts';
import { container, ephemeralContainer, resourceRequirements } from './pod-container.ts';
import { affinity, toleration, topologySpreadConstraint } from './pod-scheduling.ts';
import { podSecurityContext } from './pod-security.ts';
import { volume } from './pod-volumes.ts';

const containers = {
  containers: required(keyed('The containers, at least one.', container, ['name'])),
  initContainers: keyed('Containers that run before the others, in order.', container, ['name']),
  ephemeralContainers: keyed(
    'Containers for debugging; added through the subresource ephemeralcontainers only.',
    ephemeralContainer,
    ['name'],
  ),
  volumes: keyed('Volumes that containers may mount.', volume, ['name'], 'merge,retainKeys'),
  imagePullSecrets: keyed('Secrets with which images are pulled.', localReference('A Secret.'), ['name']),
  restartPolicy: named(
    'core.RestartPolicy',
    oneOf('Which containers start again when they end; Always unless given.', [
      'Always',
      'Never',
      'OnFailure',
    ]),
  ),
  terminationGracePeriodSeconds: pointer(int64('How long containers have to end in order; 30 unless given.')),
  activeDeadlineSeconds: pointer(int64('How long the pod may run before it counts as failed.')),
};

const scheduling = {
  nodeName: string('The node on which the pod runs; set by the scheduler.'),
  nodeSelector: {
    ...stringMap('Labels that the node must carry.'),
    'x-kubernetes-map-type': 'atomic' as const,
  },
  affinity,
  tolerations: items('Taints that do not keep the pod away.', toleration),
  topologySpreadConstraints: keyed('How evenly such pods are to be spread.', topologySpreadConstraint, [
    'topologyKey',
    'whenUnsatisfiable',
  ]),
  schedulerName: string('Who schedules the pod; default-scheduler unless given.'),
  schedulingGates: keyed(
    'The gates that block scheduling of the pod.',
    struct('core.PodSchedulingGate', 'A gate.', { name: required(string('Its name.')) }),
    ['name'],
  ),
  priorityClassName: string('How important the pod is, by the name of a PriorityClass.'),
  priority: pointer(int32('The same as a number; filled in by the server.')),
  preemptionPolicy: pointer(
    named(
      'core.PreemptionPolicy',
      oneOf('Whether pods of lower priority are preempted.', ['Never', 'PreemptLowerPriority']),
    ),
  ),
};

const resources = {
  resources: resourceRequirements('The resource requests and limits of the whole pod.'),
  overhead: quantities('The overhead of the pod beyond its containers; set by the server.'),
  runtimeClassName: pointer(string('The way in which containers are run, by the name of a RuntimeClass.')),
  resourceClaims: keyed(
    'Devices that the pod claims.',
    struct('core.PodResourceClaim', 'A claim.', {
      name: required(string('Its name in the pod.')),
      resourceClaimName: pointer(string('A claim that exists.')),
      resourceClaimTemplateName: pointer(string('A template from which a claim is made for the pod.')),
    }),
    ['name'],
    'merge,retainKeys',
  ),
};

const dnsConfig = struct('core.PodDNSConfig', 'DNS settings in addition to those of dnsPolicy.', {
  nameservers: strings('Name servers.', 'An address.'),
  searches: strings('Search domains.', 'A domain.'),
  options: items(
    'Resolver options.',
    struct('core.PodDNSConfigOption', 'An option.', {
      name: string('Its name.'),
      value: pointer(string('Its value.')),
    }),
  ),
});

const network = {
  hostname: string('The host name; that of the pod unless given.'),
  subdomain: string('The middle part of the full host name.'),
  setHostnameAsFQDN: pointer(boolean('Whether the host name is the full one.')),
  hostAliases: keyed(
    'Further lines of /etc/hosts.',
    struct('core.HostAlias', 'A line.', {
      ip: required(string('The address.')),
      hostnames: strings('Names of it.', 'A name.'),
    }),
    ['ip'],
  ),
  dnsPolicy: named(
    'core.DNSPolicy',
    oneOf('How names are resolved; ClusterFirst unless given.', [
      'ClusterFirst',
      'ClusterFirstWithHostNet',
      'Default',
      'None',
    ]),
  ),
  dnsConfig,
  enableServiceLinks: pointer(
    boolean('Whether services appear as environment variables; true unless given.'),
  ),
};

const host = {
  hostNetwork: boolean('Whether the pod uses the network of the node.'),
  hostPID: boolean('Whether the pod sees the processes of the node.'),
  hostIPC: boolean('Whether the pod shares the IPC namespace of the node.'),
  hostUsers: pointer(boolean('Whether users in the pod are users of the node; true unless given.')),
  shareProcessNamespace: pointer(boolean('Whether containers see the processes of one another.')),
  os: struct('core.PodOS', 'The operating system of the containers.', {
    name: required(named('core.OSName', string('linux or windows.'))),
  }),
};

const identity = {
  serviceAccountName: string('The service account of the pod.'),
  serviceAccount: string('The older name of serviceAccountName.'),
  automountServiceAccountToken: pointer(boolean('Whether the token is mounted into containers.')),
  securityContext: podSecurityContext,
};

const podSpecShape = struct('core.PodSpec', 'The spec of the pod.', {
  ...containers,
  ...scheduling,
  ...resources,
  ...network,
  ...host,
  ...identity,
  readinessGates: items(
    'Conditions that must be true too before the pod counts as ready.',
    struct('core.PodReadinessGate', 'A condition.', {
      conditionType: required(named('core.PodConditionType', string('Its type.'))),
    }),
  ),
});
export type PodSpec = {
  readonly [Field in keyof Infer<typeof podSpecShape>]: Infer<typeof podSpecShape>[Field];
};
export const podSpec: Schema<PodSpec> = podSpecShape;
