/**
 * Security contexts of pods and containers.
 */
import {
  boolean,
  type Infer,
  int64,
  named,
  oneOf,
  pointer,
  required,
  type Schema,
  string,
  struct,
} from '../../schema/index.ts';
import { always, items } from '../fields.ts';

/** Fields of the security contexts of both pods and containers. */
const sharedFields = {
  runAsUser: pointer(int64('The user id, where it is not the one of the image.')),
  runAsGroup: pointer(int64('The group id, where it is not the one of the image.')),
  runAsNonRoot: pointer(boolean('Whether to refuse to start as root.')),
  seLinuxOptions: struct('core.SELinuxOptions', 'The SELinux context.', {
    user: string('Its user.'),
    role: string('Its role.'),
    type: string('Its type.'),
    level: string('Its level.'),
  }),
  seccompProfile: profile(
    'core.SeccompProfile',
    'Which system calls are allowed.',
    'A file below the seccomp folder of the kubelet.',
  ),
  appArmorProfile: profile(
    'core.AppArmorProfile',
    'The AppArmor profile.',
    'The name of a profile that the node has loaded.',
  ),
  windowsOptions: struct('core.WindowsSecurityContextOptions', 'Settings for Windows.', {
    gmsaCredentialSpecName: pointer(string('The name of the gMSA credential spec.')),
    gmsaCredentialSpec: pointer(string('Its contents.')),
    runAsUserName: pointer(string('The name of the user.')),
    hostProcess: pointer(boolean('Whether the container runs as a process of the host.')),
  }),
};

function profile(goType: string, description: string, localhostProfile: string) {
  const types = ['Localhost', 'RuntimeDefault', 'Unconfined'] as const;
  return struct(goType, description, {
    type: required(named(`${goType}Type`, oneOf('Where the profile comes from.', types))),
    localhostProfile: pointer(string(`${localhostProfile} For the type Localhost.`)),
  });
}

const capability = named('core.Capability', string('A capability.'));

/** For one container; it overrides the pod. */
const securityContextShape = struct('core.SecurityContext', 'The security context of the container.', {
  ...sharedFields,
  privileged: pointer(boolean('Whether its processes are as good as root on the host.')),
  allowPrivilegeEscalation: pointer(boolean('Whether a process may gain more rights than its parent.')),
  readOnlyRootFilesystem: pointer(boolean('Whether its root file system is read-only.')),
  procMount: pointer(
    named('core.ProcMountType', oneOf('How much of /proc is hidden.', ['Default', 'Unmasked'])),
  ),
  capabilities: struct('core.Capabilities', 'Capabilities in addition to those of the runtime.', {
    add: items('Those to add.', capability),
    drop: items('Those to take away.', capability),
  }),
});
type SecurityContext = {
  readonly [Field in keyof Infer<typeof securityContextShape>]: Infer<typeof securityContextShape>[Field];
};
export const securityContext: Schema<SecurityContext> = securityContextShape;

const podSecurityContextShape = struct('core.PodSecurityContext', 'The security context of all containers.', {
  ...sharedFields,
  fsGroup: pointer(int64('The group that owns the volumes.')),
  fsGroupChangePolicy: pointer(
    named(
      'core.PodFSGroupChangePolicy',
      oneOf('When volumes get that group; Always unless given.', ['Always', 'OnRootMismatch']),
    ),
  ),
  seLinuxChangePolicy: pointer(
    named(
      'core.PodSELinuxChangePolicy',
      string('How volumes get the SELinux label: MountOption or Recursive.'),
    ),
  ),
  supplementalGroups: items('Further groups of the first process.', int64('A group id.')),
  supplementalGroupsPolicy: pointer(
    named(
      'core.SupplementalGroupsPolicy',
      oneOf('Whether the groups of the image are added to them.', ['Merge', 'Strict']),
    ),
  ),
  sysctls: items(
    'Kernel parameters of the namespaces of the pod.',
    struct('core.Sysctl', 'A parameter.', {
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
