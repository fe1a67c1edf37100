/**
 * The status of a pod.
 */
import {
  boolean,
  dateTime,
  type Infer,
  int32,
  int64,
  list,
  named,
  oneOf,
  pointer,
  required,
  type Schema,
  string,
  struct,
} from '../../schema/index.ts';
import { conditionFields } from '../conditions.ts';
import { always, filled, items, keyed, nullableTime, patched, quantities } from '../fields.ts';
import { resourceRequirements } from './pod-container.ts';
import { stopSignal } from './pod-probe.ts';

const containerState = (description: string) =>
  struct('core.ContainerState', description, {
    waiting: struct('core.ContainerStateWaiting', 'It has not started yet.', {
      reason: string('The reason in one word.'),
      message: string('The reason for people.'),
    }),
    running: struct('core.ContainerStateRunning', 'It runs.', { startedAt: nullableTime('Since when.') }),
    terminated: struct('core.ContainerStateTerminated', 'It has ended.', {
      exitCode: always(int32('With which code.')),
      signal: int32('By which signal.'),
      reason: string('The reason in one word.'),
      message: string('The reason for people.'),
      startedAt: nullableTime('When it began.'),
      finishedAt: nullableTime('When it ended.'),
      containerID: string('The id it had.'),
    }),
  });
export type ContainerState = Infer<ReturnType<typeof containerState>>;

const containerStatusShape = struct('core.ContainerStatus', 'The status of a container.', {
  name: always(string('Its name.')),
  state: filled(containerState('Its current state.')),
  lastState: filled(containerState('Its state before the last restart.')),
  ready: always(boolean('Whether its readiness probe succeeds.')),
  started: pointer(boolean('Whether its startup probe has succeeded.')),
  restartCount: always(int32('How often it started again.')),
  image: always(string('The image it runs.')),
  imageID: always(string('That image by digest.')),
  containerID: string('Its id in the runtime, such as cri-o://…'),
  resources: resourceRequirements('The requests and limits in force.'),
  allocatedResources: quantities('The resources that the node has reserved.'),
  allocatedResourcesStatus: keyed(
    'The health of devices.',
    struct('core.ResourceStatus', 'For one resource.', {
      name: required(named('core.ResourceName', string('The resource.'))),
      resources: list(
        'Its devices.',
        struct('core.ResourceHealth', 'A device.', {
          resourceID: always(named('core.ResourceID', string('Its id.'))),
          health: named('core.ResourceHealthStatus', string('Healthy, Unhealthy or Unknown.')),
        }),
        { list: { map: ['resourceID'] } },
      ),
    }),
    ['name'],
  ),
  volumeMounts: keyed(
    'Volumes as they are mounted.',
    struct('core.VolumeMountStatus', 'A volume.', {
      name: always(string('Its name.')),
      mountPath: always(string('Where it appears.')),
      readOnly: boolean('Whether it is read-only.'),
      recursiveReadOnly: pointer(
        named('core.RecursiveReadOnlyMode', string('Whether mounts below it are: Disabled or Enabled.')),
      ),
    }),
    ['mountPath'],
  ),
  user: struct('core.ContainerUser', 'The user of its first process.', {
    linux: struct('core.LinuxContainerUser', 'On Linux.', {
      uid: always(int64('The user id.')),
      gid: always(int64('The group id.')),
      supplementalGroups: items('Further groups.', int64('A group id.')),
    }),
  }),
  stopSignal,
});
export type ContainerStatus = {
  readonly [Field in keyof Infer<typeof containerStatusShape>]: Infer<typeof containerStatusShape>[Field];
};
const containerStatus: Schema<ContainerStatus> = containerStatusShape;

const containerStatuses = (description: string) => items(description, containerStatus);

const podCondition = struct('core.PodCondition', 'One aspect of the state of the pod.', {
  ...conditionFields('core.PodCondition'),
  lastProbeTime: nullableTime('When it was last looked at.'),
  observedGeneration: int64('The observed generation of the pod.'),
});
export type PodCondition = Infer<typeof podCondition>;

const address = (goType: string) => struct(goType, 'An address.', { ip: required(string('The address.')) });

const podStatusShape = struct('core.PodStatus', 'The status of the pod.', {
  phase: named(
    'core.PodPhase',
    oneOf('Where the pod is in its life.', ['Failed', 'Pending', 'Running', 'Succeeded', 'Unknown']),
  ),
  conditions: keyed('The conditions of the pod.', podCondition, ['type']),
  reason: string('The reason in one CamelCase word, such as Evicted.'),
  message: string('Why it is so, in a sentence.'),
  startTime: dateTime('When the kubelet took the pod.'),
  hostIP: string('The address of its node.'),
  hostIPs: patched(items('The addresses of its node.', address('core.HostIP')), {
    key: 'ip',
    strategy: 'merge',
  }),
  podIP: string('Its address.'),
  podIPs: keyed('Its addresses, the one above first.', address('core.PodIP'), ['ip']),
  nominatedNodeName: string('The node on which others were preempted for this pod.'),
  qosClass: named(
    'core.PodQOSClass',
    oneOf('The quality of service class, which determines the order of evictions under pressure.', [
      'BestEffort',
      'Burstable',
      'Guaranteed',
    ]),
  ),
  containerStatuses: containerStatuses('How its containers are.'),
  initContainerStatuses: containerStatuses('How its init containers are.'),
  ephemeralContainerStatuses: containerStatuses('How its debugging containers are.'),
  resourceClaimStatuses: keyed(
    'Claims that were made for the pod.',
    struct('core.PodResourceClaimStatus', 'A claim.', {
      name: required(string('Its name in the pod.')),
      resourceClaimName: pointer(string('The ResourceClaim.')),
    }),
    ['name'],
    'merge,retainKeys',
  ),
  resize: named('core.PodResizeStatus', string('The progress of a resize; replaced by conditions.')),
  observedGeneration: int64('The observed generation of the pod.'),
});
export type PodStatus = {
  readonly [Field in keyof Infer<typeof podStatusShape>]: Infer<typeof podStatusShape>[Field];
};
export const podStatus: Schema<PodStatus> = podStatusShape;
