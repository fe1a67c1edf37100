/**
 * What makes an OS of a root: its name and version, its users, and its services.
 *
 * A kubelet and a container engine cannot run here. They are replaced by services that do what the units of base configs
 * need, and the kubelet's runs one pod: the daemon's.
 */
import { OS_NAME } from './os-name.ts';

export type OsFile = { readonly path: string; readonly text: string; readonly mode?: number };
export type OsLink = { readonly path: string; readonly target: string };

const UNITS = '/usr/lib/systemd/system';

/** Files of the lab for the machine; `/run` is recreated at each boot. */
export const LAB_FOLDER = '/run/lab';

/** The log of the daemon's pod. */
export const DAEMON_LOG = '/var/log/machine-config-daemon.log';
/** The output of `rpm-ostree status` at each boot, before the daemon started. */
export const BOOT_LOG = '/var/log/boot-status.log';

export const OS_LINKS: readonly OsLink[] = [
  { path: '/ostree', target: 'sysroot/ostree' },
  { path: '/home', target: 'var/home' },
  { path: '/root', target: 'var/roothome' },
  { path: '/opt', target: 'var/opt' },
  { path: '/srv', target: 'var/srv' },
  { path: '/mnt', target: 'var/mnt' },
  { path: '/usr/local', target: '../var/usrlocal' },
  { path: '/etc/os-release', target: '../usr/lib/os-release' },
  { path: '/usr/bin/awk', target: 'mawk' },
  // Nothing here has a terminal, a clock of its own or devices.
  ...['getty.target', 'systemd-udevd.service', 'systemd-timesyncd.service', 'systemd-resolved.service'].map(
    masked,
  ),
  ...['systemd-logind.service', 'systemd-networkd.service', 'console-getty.service'].map(masked),
  ...['boot-status.service', 'kubelet.service', 'ostree-finalize-staged.path'].map(wanted),
];

function masked(unit: string): OsLink {
  return { path: `${UNITS}/${unit}`, target: '/dev/null' };
}

function wanted(unit: string): OsLink {
  return { path: `${UNITS}/multi-user.target.wants/${unit}`, target: `../${unit}` };
}

export function osFiles(version: string): readonly OsFile[] {
  return [...filesOf(version), ...UNIT_FILES];
}

function filesOf(version: string): readonly OsFile[] {
  return [
    { path: '/usr/lib/os-release', text: osRelease(version) },
    { path: '/usr/share/lab/version', text: `${version}\n` },
    // Of no use but to ostree, which will not deploy without.
    { path: `/usr/lib/modules/${version}/vmlinuz`, text: `kernel ${version}\n` },
    { path: `/usr/lib/modules/${version}/initramfs.img`, text: `initramfs ${version}\n` },
    { path: '/etc/passwd', text: PASSWD },
    { path: '/etc/group', text: GROUP },
    { path: '/etc/shadow', text: 'root:*:19000::::::\ncore:*:19000::::::\n', mode: 0o640 },
    { path: '/etc/nsswitch.conf', text: 'passwd: files\ngroup: files\nshadow: files\nhosts: files\n' },
    { path: '/etc/hosts', text: '127.0.0.1 localhost\n' },
    { path: '/etc/machine-id', text: '' },
    ...['runuser', 'other'].map((name) => ({ path: `/etc/pam.d/${name}`, text: PAM })),
    { path: '/etc/containers/policy.json', text: '{"default":[{"type":"insecureAcceptAnything"}]}\n' },
    { path: '/usr/lib/tmpfiles.d/lab.conf', text: TMPFILES },
    // There is no firmware that could have it.
    { path: '/usr/bin/mokutil', text: '#!/bin/sh\necho SecureBoot disabled\n', mode: 0o755 },
    { path: '/usr/bin/kubelet', text: KUBELET, mode: 0o755 },
    { path: '/usr/libexec/libostree/ext/ostree-container', text: OSTREE_CONTAINER, mode: 0o755 },
  ];
}

function osRelease(version: string): string {
  return `NAME="Lab"
ID=${OS_NAME}
VARIANT_ID=coreos
VERSION="${version}"
VERSION_ID="${version}"
OSTREE_VERSION="${version}"
PRETTY_NAME="Lab CoreOS ${version}"
`;
}

const PASSWD = `root:x:0:0:root:/root:/bin/bash
core:x:1000:1000:core:/home/core:/bin/bash
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
`;

const GROUP = `root:x:0:
tty:x:5:
shadow:x:42:
utmp:x:43:
systemd-journal:x:101:
core:x:1000:
nogroup:x:65534:
`;

/** Only root may switch users. */
const PAM = `auth required pam_rootok.so
account required pam_permit.so
password required pam_deny.so
session required pam_permit.so
`;

const TMPFILES = `d /var/home 0755 root root -
d /var/home/core 0700 core core -
d /var/roothome 0700 root root -
d /var/opt 0755 root root -
d /var/srv 0755 root root -
d /var/mnt 0755 root root -
d /var/usrlocal 0755 root root -
d /var/usrlocal/bin 0755 root root -
d /var/usrlocal/sbin 0755 root root -
`;

/** Starts the pod of this node, like a kubelet soon after its start, and then does nothing. */
const KUBELET = `#!/bin/sh
if [ -e ${LAB_FOLDER}/pod/command ]; then systemctl start --no-block machine-config-daemon-pod.service; fi
systemd-notify --ready
exec sleep infinity
`;

/** Of `ostree container`, which Debian does not have: the command that ends `RUN` steps. What it removes is no part of an OS. */
const OSTREE_CONTAINER = `#!/bin/sh
set -e
for word; do last=$word; done
if [ "$last" != commit ]; then echo "error: Unrecognized subcommand: $*" >&2; exit 1; fi
for place in /tmp /var/tmp /var/cache /var/log; do
  [ ! -d $place ] || find $place -xdev -mindepth 1 -delete
done
`;

const UNIT_FILES: readonly OsFile[] = Object.entries({
  'ostree-finalize-staged.path': `[Unit]
ConditionPathExists=/run/ostree-booted

[Path]
PathExists=/run/ostree/staged-deployment
`,
  'ostree-finalize-staged.service': `[Unit]
ConditionPathExists=/run/ostree-booted
DefaultDependencies=no
RequiresMountsFor=/sysroot /boot
After=local-fs.target systemd-journal-flush.service
Before=basic.target final.target
Conflicts=final.target

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStop=/usr/bin/ostree admin finalize-staged
`,
  'rpm-ostreed.service': `[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/true
`,
  'crio.service': `[Service]
ExecStart=/bin/sleep infinity
ExecReload=/bin/true
`,
  'kubelet.service': `[Service]
Type=notify
ExecStart=/usr/bin/kubelet
Restart=always
`,
  'boot-status.service': `[Unit]
Before=kubelet.service

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/bin/rpm-ostree status
StandardOutput=append:${BOOT_LOG}
`,
  // A privileged container that shares the process ids and the network of its machine, as in the DaemonSet.
  'machine-config-daemon-pod.service': `[Service]
RootDirectory=${LAB_FOLDER}/pod-root
MountAPIVFS=yes
BindReadOnlyPaths=/usr ${LAB_FOLDER}/node:/millwright/node ${LAB_FOLDER}/package:/millwright/package
BindReadOnlyPaths=${LAB_FOLDER}/pod:/pod
BindPaths=/:/rootfs:rbind
ExecStart=/bin/sh /pod/command
Restart=always
RestartSec=1
TimeoutStopSec=30
StandardOutput=append:${DAEMON_LOG}
StandardError=append:${DAEMON_LOG}
`,
}).map(([name, text]) => ({ path: `${UNITS}/${name}`, text }));

/** The first process of a machine: what an initramfs does before it hands over to systemd. */
export const INIT = `#!/bin/sh
set -e
: >/run/ostree-booted
mkdir -p ${LAB_FOLDER}/pod-root
cd ${LAB_FOLDER}/pod-root
mkdir -p usr dev proc sys run tmp etc millwright/package pod rootfs
for name in bin sbin lib lib64; do ln -s usr/$name $name; done
: >millwright/node
mount --bind ${LAB_FOLDER}/cmdline /proc/cmdline
exec /usr/lib/systemd/systemd
`;
