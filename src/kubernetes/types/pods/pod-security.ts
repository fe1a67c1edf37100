/**
 * As whom the processes of a pod run, and what they may do.
 */
import {
  boolean,
  type Infer,
  int64,
  object,
  oneOf,
  required,
  type Schema,
  string,
} from '../../schema/index.ts';
import { always, items, strings } from '../fields.ts';

/** What a pod says for all of its containers, and each container for itself. */
const sharedFields = {
  runAsUser: int64('The user id, where it is not the one of the image.'),
  runAsGroup: int64('The group id, where it is not the one of the image.'),
  runAsNonRoot: boolean('Whether to refuse to start as root.'),
  seLinuxOptions: object('The SELinux context.', {
    user: string('Its user.'),
    role: string('Its role.'),
    type: string('Its type.'),
    level: string('Its level.'),
  }),
  seccompProfile: profile(
    'Which system calls are allowed.',
    'A file below the seccomp folder of the kubelet.',
  ),
  appArmorProfile: profile('The AppArmor profile.', 'The name of a profile that the node has loaded.'),
  windowsOptions: object('Settings for Windows.', {
    gmsaCredentialSpecName: string('The name of the gMSA credential spec.'),
    gmsaCredentialSpec: string('Its contents.'),
    runAsUserName: string('The name of the user.'),
    hostProcess: boolean('Whether the container runs as a process of the host.'),
  }),
};

function profile(description: string, localhostProfile: string) {
  return object(description, {
    type: required(oneOf('Where the profile comes from.', ['Localhost', 'RuntimeDefault', 'Unconfined'])),
    localhostProfile: string(`${localhostProfile} For the type Localhost.`),
  });
}

/** For one container; what it says wins over the pod. */
const securityContextShape = object('As whom the container runs, and what it may do.', {
  ...sharedFields,
  privileged: boolean('Whether its processes are as good as root on the host.'),
  allowPrivilegeEscalation: boolean('Whether a process may gain more rights than its parent.'),
  readOnlyRootFilesystem: boolean('Whether its root file system is read-only.'),
  procMount: oneOf('How much of /proc is hidden.', ['Default', 'Unmasked']),
  capabilities: object('Capabilities beside those that the runtime gives.', {
    add: strings('Those to add.', 'A capability.'),
    drop: strings('Those to take away.', 'A capability.'),
  }),
});
type SecurityContext = {
  readonly [Field in keyof Infer<typeof securityContextShape>]: Infer<typeof securityContextShape>[Field];
};
export const securityContext: Schema<SecurityContext> = securityContextShape;

const podSecurityContextShape = object('As whom the containers run, and what they may do.', {
  ...sharedFields,
  fsGroup: int64('The group that owns the volumes.'),
  fsGroupChangePolicy: oneOf('When volumes get that group; Always unless given.', [
    'Always',
    'OnRootMismatch',
  ]),
  seLinuxChangePolicy: string('How volumes get the SELinux label: MountOption or Recursive.'),
  supplementalGroups: items('Further groups of the first process.', int64('A group id.')),
  supplementalGroupsPolicy: oneOf('Whether the groups of the image are added to them.', ['Merge', 'Strict']),
  sysctls: items(
    'Kernel parameters of the namespaces of the pod.',
    object('A parameter.', {
      name: required(string('Its name.')),
      value: always(string('Its value.')),
    }),
  ),
});
type PodSecurityContext = {
  readonly [Field in keyof Infer<typeof podSecurityContextShape>]: Infer<
    typeof podSecurityContextShape
  >[Field];
};
export const podSecurityContext: Schema<PodSecurityContext> = podSecurityContextShape;
