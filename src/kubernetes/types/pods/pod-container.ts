/**
 * A container of a pod.
 */
import {
  boolean,
  type Infer,
  int32,
  list,
  named,
  oneOf,
  pointer,
  required,
  type Schema,
  string,
  struct,
} from '../../schema/index.ts';
import { filled, items, keyed, quantities, strings } from '../fields.ts';
import { env, envFrom } from './pod-environment.ts';
import { lifecycle, probe } from './pod-probe.ts';
import { securityContext } from './pod-security.ts';

export const pullPolicies = ['Always', 'IfNotPresent', 'Never'] as const;
export const protocols = ['SCTP', 'TCP', 'UDP'] as const;

const resourcesShape = (description: string) =>
  struct('core.ResourceRequirements', description, {
    requests: quantities('The reserved resources.'),
    limits: quantities('The limits.'),
    claims: list(
      'Claims of the pod that are used here.',
      struct('core.ResourceClaim', 'A claim.', {
        name: required(string('Its name in resourceClaims of the pod.')),
        request: string('One request of the claim, where not all of it is meant.'),
      }),
      { list: { map: ['name'] } },
    ),
  });
type ResourcesShape = Infer<ReturnType<typeof resourcesShape>>;
type ResourceRequirements = { readonly [Field in keyof ResourcesShape]: ResourcesShape[Field] };
export const resourceRequirements: (description: string) => Schema<ResourceRequirements> = resourcesShape;

const containerPort = struct('core.ContainerPort', 'A port that the container listens on.', {
  containerPort: required(int32('Its number.')),
  name: string('A name by which services and probes may speak of it.'),
  protocol: named('core.Protocol', oneOf('Its protocol.', protocols, { default: 'TCP' })),
  hostPort: int32('The port of the node that leads to it.'),
  hostIP: string('The address of the node that leads to it.'),
});

const volumeMount = struct('core.VolumeMount', 'A volume in the file system of the container.', {
  name: required(string('The name of the volume.')),
  mountPath: required(string('Where it appears.')),
  readOnly: boolean('Whether it is read-only.'),
  recursiveReadOnly: pointer(
    named(
      'core.RecursiveReadOnlyMode',
      string('Whether mounts below it are too: Disabled, IfPossible or Enabled.'),
    ),
  ),
  subPath: string('The part of the volume that appears.'),
  subPathExpr: string('The same, in which $(NAME) expands to a variable.'),
  mountPropagation: pointer(
    named(
      'core.MountPropagationMode',
      oneOf('Whether mounts are seen across host and container.', [
        'Bidirectional',
        'HostToContainer',
        'None',
      ]),
    ),
  ),
});

/** Fields of all containers, ephemeral ones included. */
const containerFields = {
  name: required(string('Its name, unique in the pod.')),
  image: string('The image it runs.'),
  imagePullPolicy: named('core.PullPolicy', oneOf('When the image is pulled.', pullPolicies)),
  command: strings('The program, in place of the entrypoint of the image.', 'An argument.'),
  args: strings('Its arguments, in place of those of the image.', 'An argument.'),
  workingDir: string('The working directory.'),
  env,
  envFrom,
  ports: keyed('Ports that it listens on.', containerPort, ['containerPort', 'protocol']),
  resources: filled(resourceRequirements('Its resource requests and limits.')),
  resizePolicy: items(
    'The restart policy for changes of its resources.',
    struct('core.ContainerResizePolicy', 'For one resource.', {
      resourceName: required(named('core.ResourceName', string('cpu or memory.'))),
      restartPolicy: required(
        named('core.ResourceResizeRestartPolicy', string('NotRequired or RestartContainer.')),
      ),
    }),
  ),
  restartPolicy: pointer(
    named(
      'core.ContainerRestartPolicy',
      string('Always makes an init container a sidecar, which runs as long as the other containers.'),
    ),
  ),
  volumeMounts: keyed('Volumes that are mounted in it.', volumeMount, ['mountPath']),
  volumeDevices: keyed(
    'Volumes that it sees as devices.',
    struct('core.VolumeDevice', 'A volume.', {
      name: required(string('The name of the volume.')),
      devicePath: required(string('The path of the device.')),
    }),
    ['devicePath'],
  ),
  livenessProbe: probe('Restarts the container where it fails.'),
  readinessProbe: probe('Takes the pod out of its services where it fails.'),
  startupProbe: probe('Holds back the other probes until it succeeds.'),
  lifecycle,
  securityContext,
  terminationMessagePath: string('The file whose contents become the termination message.'),
  terminationMessagePolicy: named(
    'core.TerminationMessagePolicy',
    oneOf('What replaces an empty file.', ['FallbackToLogsOnError', 'File']),
  ),
  stdin: boolean('Whether it has an input.'),
  stdinOnce: boolean('Whether the input closes after the first one who attached.'),
  tty: boolean('Whether it has a terminal.'),
};

const containerShape = struct('core.Container', 'A container.', containerFields);
export type Container = {
  readonly [Field in keyof Infer<typeof containerShape>]: Infer<typeof containerShape>[Field];
};
export const container: Schema<Container> = containerShape;

export const ephemeralContainer = struct(
  'core.EphemeralContainer',
  'A container that was added for debugging.',
  {
    ...containerFields,
    targetContainerName: string('The container whose processes it sees.'),
  },
);
