/**
 * What makes an OS of a root: its name and version, its users, and its services. Its kubelet and its container engine are
 * files of one kind of OS: those of the lab are in `lab-files.ts`.
 */
import { OS_NAME } from './os-name.ts';

export type OsFile = { readonly path: string; readonly text: string; readonly mode?: number };
export type OsLink = { readonly path: string; readonly target: string };

const UNITS = '/usr/lib/systemd/system';

/** Files of the lab for the machine; `/run` is recreated at each boot. */
export const LAB_FOLDER = '/run/lab';

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

/** A kind of OS: what differs between the machines of one suite and those of another. */
export type OsKind = {
  /** Debian packages whose files it has, beside those of every OS. */
  readonly packages: readonly string[];
  /** Programs, by their paths in the OS: paths here. */
  readonly programs: Readonly<Record<string, string>>;
  readonly files: readonly OsFile[];
  /** Of services; each has a group of the same name and id. */
  readonly users: readonly OsUser[];
};

export type OsUser = { readonly name: string; readonly id: number };

export function osFiles(version: string, users: readonly OsUser[]): readonly OsFile[] {
  return [...filesOf(version, users), ...UNIT_FILES];
}

function filesOf(version: string, users: readonly OsUser[]): readonly OsFile[] {
  const passwd = users.map(({ name, id }) => `${name}:x:${id}:${id}::/nonexistent:/usr/sbin/nologin\n`);
  const group = users.map(({ name, id }) => `${name}:x:${id}:\n`);
  return [
    { path: '/usr/lib/os-release', text: osRelease(version) },
    { path: '/usr/share/lab/version', text: `${version}\n` },
    // Of no use but to ostree, which will not deploy without.
    { path: `/usr/lib/modules/${version}/vmlinuz`, text: `kernel ${version}\n` },
    { path: `/usr/lib/modules/${version}/initramfs.img`, text: `initramfs ${version}\n` },
    { path: '/etc/passwd', text: `${PASSWD}${passwd.join('')}` },
    { path: '/etc/group', text: `${GROUP}${group.join('')}` },
    { path: '/etc/shadow', text: 'root:*:19000::::::\ncore:*:19000::::::\n', mode: 0o640 },
    { path: '/etc/nsswitch.conf', text: 'passwd: files\ngroup: files\nshadow: files\nhosts: files\n' },
    { path: '/etc/hosts', text: '127.0.0.1 localhost\n' },
    { path: '/etc/machine-id', text: '' },
    ...['runuser', 'other'].map((name) => ({ path: `/etc/pam.d/${name}`, text: PAM })),
    { path: '/etc/containers/policy.json', text: '{"default":[{"type":"insecureAcceptAnything"}]}\n' },
    { path: '/usr/lib/tmpfiles.d/lab.conf', text: TMPFILES },
    // There is no firmware that could have it.
    { path: '/usr/bin/mokutil', text: '#!/bin/sh\necho SecureBoot disabled\n', mode: 0o755 },
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

/** Of `ostree container`, which Debian does not have: the command that ends `RUN` steps. What it removes is no part of an OS. */
const OSTREE_CONTAINER = `#!/bin/sh
set -e
for word; do last=$word; done
if [ "$last" != commit ]; then echo "error: Unrecognized subcommand: $*" >&2; exit 1; fi
for place in /tmp /var/tmp /var/cache /var/log; do
  [ ! -d $place ] || find $place -xdev -mindepth 1 -delete
done
`;

/** Files of units, by their names. */
export function unitFiles(units: Readonly<Record<string, string>>): readonly OsFile[] {
  return Object.entries(units).map(([name, text]) => ({ path: `${UNITS}/${name}`, text }));
}

const UNIT_FILES = unitFiles({
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
  'boot-status.service': `[Unit]
Before=kubelet.service

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/bin/rpm-ostree status
StandardOutput=append:${BOOT_LOG}
`,
});

/** What an initramfs does before it hands over to systemd: the first process of a machine. */
export function initScript(...steps: readonly string[]): string {
  return `#!/bin/sh
set -e
${steps.join('')}mount --bind ${LAB_FOLDER}/cmdline /proc/cmdline
exec /usr/lib/systemd/systemd
`;
}

/** By this file programs know that they are on a machine of OSTree. */
export const OSTREE_BOOTED = ': >/run/ostree-booted\n';
