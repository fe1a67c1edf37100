/**
 * What a pod is to be.
 */
import {
  boolean,
  type Infer,
  int32,
  int64,
  object,
  oneOf,
  required,
  type Schema,
  string,
} from '../../schema/index.ts';
import { items, keyed, quantities, stringMap, strings } from '../fields.ts';
import { localReference } from '../references.ts';
import { container, ephemeralContainer, resourceRequirements } from './pod-container.ts';
import { affinity, toleration, topologySpreadConstraint } from './pod-scheduling.ts';
import { podSecurityContext } from './pod-security.ts';
import { volume } from './pod-volumes.ts';

const containers = {
  containers: required(keyed('What runs, all at once; there is at least one.', container, ['name'])),
  initContainers: keyed('What runs before, one after the other.', container, ['name']),
  ephemeralContainers: keyed('What was added for debugging, through its own door only.', ephemeralContainer, [
    'name',
  ]),
  volumes: keyed('Volumes that containers may mount.', volume, ['name'], 'merge,retainKeys'),
  imagePullSecrets: keyed('Secrets with which images are pulled.', localReference('A Secret.'), ['name']),
  restartPolicy: oneOf('Which containers start again when they end; Always unless given.', [
    'Always',
    'Never',
    'OnFailure',
  ]),
  terminationGracePeriodSeconds: int64('How long containers have to end in order; 30 unless given.'),
  activeDeadlineSeconds: int64('How long the pod may run before it counts as failed.'),
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
    'What holds the pod back from being scheduled.',
    object('A gate.', { name: required(string('Its name.')) }),
    ['name'],
  ),
  priorityClassName: string('How important the pod is, by the name of a PriorityClass.'),
  priority: int32('The same as a number; filled in by the server.'),
  preemptionPolicy: oneOf('Whether less important pods give way.', ['Never', 'PreemptLowerPriority']),
};

const resources = {
  resources: resourceRequirements('What the pod as a whole needs and may use.'),
  overhead: quantities('What running the pod costs beside its containers; filled in by the server.'),
  runtimeClassName: string('The way in which containers are run, by the name of a RuntimeClass.'),
  resourceClaims: keyed(
    'Devices that the pod claims.',
    object('A claim.', {
      name: required(string('Its name in the pod.')),
      resourceClaimName: string('A claim that exists.'),
      resourceClaimTemplateName: string('A template from which a claim is made for the pod.'),
    }),
    ['name'],
    'merge,retainKeys',
  ),
};

const dnsConfig = object('Settings of name resolution, beside those that follow from dnsPolicy.', {
  nameservers: strings('Name servers.', 'An address.'),
  searches: strings('Search domains.', 'A domain.'),
  options: items(
    'Resolver options.',
    object('An option.', { name: string('Its name.'), value: string('Its value.') }),
  ),
});

const network = {
  hostname: string('The host name; that of the pod unless given.'),
  subdomain: string('The middle part of the full host name.'),
  setHostnameAsFQDN: boolean('Whether the host name is the full one.'),
  hostAliases: keyed(
    'Further lines of /etc/hosts.',
    object('A line.', {
      ip: required(string('The address.')),
      hostnames: strings('Names of it.', 'A name.'),
    }),
    ['ip'],
  ),
  dnsPolicy: oneOf('How names are resolved; ClusterFirst unless given.', [
    'ClusterFirst',
    'ClusterFirstWithHostNet',
    'Default',
    'None',
  ]),
  dnsConfig,
  enableServiceLinks: boolean('Whether services appear as environment variables; true unless given.'),
};

const host = {
  hostNetwork: boolean('Whether the pod uses the network of the node.'),
  hostPID: boolean('Whether the pod sees the processes of the node.'),
  hostIPC: boolean('Whether the pod shares the IPC namespace of the node.'),
  hostUsers: boolean('Whether users in the pod are users of the node; true unless given.'),
  shareProcessNamespace: boolean('Whether containers see the processes of one another.'),
  os: object('The operating system of the containers.', { name: required(string('linux or windows.')) }),
};

const identity = {
  serviceAccountName: string('As whom the pod speaks to the server.'),
  serviceAccount: string('The older name of serviceAccountName.'),
  automountServiceAccountToken: boolean('Whether the token is mounted into containers.'),
  securityContext: podSecurityContext,
};

const podSpecShape = object('What the pod is to be.', {
  ...containers,
  ...scheduling,
  ...resources,
  ...network,
  ...host,
  ...identity,
  readinessGates: items(
    'Conditions that must be true too before the pod counts as ready.',
    object('A condition.', { conditionType: required(string('Its type.')) }),
  ),
});
export type PodSpec = {
  readonly [Field in keyof Infer<typeof podSpecShape>]: Infer<typeof podSpecShape>[Field];
};
export const podSpec: Schema<PodSpec> = podSpecShape;
