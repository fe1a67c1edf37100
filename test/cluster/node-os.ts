/** The OS of the OSTree machines: a real kubelet and CRI-O, in the places where CoreOS has them. */
import { initScript, OSTREE_BOOTED, type OsKind, unitFiles } from '../lab/os-files.ts';
import { PAUSE_IMAGE } from './images.ts';
import type { Programs } from './needs.ts';
import { KUBELET_DROPINS, SHORT_SHUTDOWN } from './node-files.ts';

export const NODE_PACKAGES: readonly string[] = [
  ...['runc', 'conmon', 'containernetworking-plugins', 'iproute2'],
  ...['dbus', 'dbus-bin', 'dbus-daemon', 'dbus-system-bus-common'],
];

export function nodeOs({ kubelet, crio, pinns }: Programs): OsKind {
  return {
    packages: NODE_PACKAGES,
    programs: { '/usr/bin/kubelet': kubelet, '/usr/bin/crio': crio, '/usr/bin/pinns': pinns },
    users: [{ name: 'messagebus', id: 104 }],
    files: [
      { path: '/etc/resolv.conf', text: '' },
      SHORT_SHUTDOWN,
      { path: '/etc/crio/crio.conf.d/00-default', text: CRIO_CONF },
      { path: RUNC, text: LAB_RUNC, mode: 0o755 },
      ...unitFiles({ 'crio.service': CRIO_SERVICE, 'kubelet.service': KUBELET_SERVICE }),
    ],
  };
}

const RUNC = '/usr/libexec/lab/runc';

/**
 * CRI-O gives privileged containers all capabilities that exist, and `runc` fails where one is missing: on computers like ours
 * nobody has CAP_SYS_RESOURCE. Without it no process can lower its `oom_score_adj` either, as critical pods ask for.
 */
const LAB_RUNC = `#!/bin/sh
before= file=
for word in "$@"; do
  case $before in --bundle|-b) file=$word/config.json ;; --process|-p) file=$word ;; esac
  before=$word
done
if [ -n "$file" ] && ! grep -q '^CapBnd:.*[13579bdf]......$' /proc/self/status; then
  sed -i 's/"CAP_SYS_RESOURCE", *//g; s/, *"CAP_SYS_RESOURCE"//g; s/"oomScoreAdj": *-[0-9]*/"oomScoreAdj":0/g' "$file"
fi
exec /usr/sbin/runc "$@"
`;

const CRIO_CONF = `[crio]
version_file_persist = ""
[crio.image]
pause_image = "${PAUSE_IMAGE}"
pause_command = "/pause"
[crio.network]
plugin_dirs = ["/usr/lib/cni"]
[crio.runtime]
disable_hostport_mapping = true
conmon_cgroup = "pod"
cgroup_manager = "systemd"
default_runtime = "runc"
pinns_path = "/usr/bin/pinns"
[crio.runtime.runtimes.runc]
runtime_path = "${RUNC}"
monitor_path = "/usr/bin/conmon"
monitor_cgroup = "pod"
`;

const CRIO_SERVICE = `[Unit]
Wants=network-online.target
After=network-online.target

[Service]
Type=notify
ExecStart=/usr/bin/crio
ExecReload=/bin/kill -s HUP $MAINPID
Delegate=yes
KillMode=process
Restart=always
RestartSec=1
`;

const KUBELET_SERVICE = `[Unit]
Requires=crio.service
After=crio.service
StartLimitIntervalSec=0

[Service]
Type=notify
EnvironmentFile=-/etc/kubernetes/kubelet-env
ExecStart=/usr/bin/kubelet --config=/etc/kubernetes/kubelet.conf --config-dir=${KUBELET_DROPINS} --kubeconfig=/var/lib/kubelet/kubeconfig --container-runtime-endpoint=unix:///var/run/crio/crio.sock $KUBELET_EXTRA_ARGS
Restart=always
RestartSec=1
`;

/** What the kernel of a computer of its own would give it. */
const KERNEL = `
# systemd-nspawn mounts the controllers of cgroup v1 read-only; container engines must make groups.
for place in /sys/fs/cgroup/*/; do mount -o remount,bind,rw,nosuid,nodev,noexec "$place"; done
# Mounts of the machine appear in pods that ask for it.
mount --make-rshared /
# The kubelet does not start without. The real one would show the log of the whole computer.
ln -s null /dev/kmsg
# The kubelet insists on these. The kernel is not the machine's alone, so it reads what it wants to read.
mkdir -p /run/sysctl
while read -r name value; do
  echo "$value" >"/run/sysctl/\${name##*/}"
  mount --bind "/run/sysctl/\${name##*/}" "/proc/sys/$name"
done <<END
vm/overcommit_memory 1
vm/panic_on_oom 0
kernel/panic 10
kernel/panic_on_oops 1
kernel/keys/root_maxkeys 1000000
kernel/keys/root_maxbytes 25000000
END
# Of cgroup v1, systemd makes no groups in these; the kubelet asks for its own in all hierarchies.
for place in cpuset cpuacct freezer; do
  [ ! -d "/sys/fs/cgroup/$place" ] || mkdir -p "/sys/fs/cgroup/$place/system.slice"
done
if [ -d /sys/fs/cgroup/cpuset/system.slice ]; then
  for file in cpuset.cpus cpuset.mems; do cat "/sys/fs/cgroup/cpuset/$file" >"/sys/fs/cgroup/cpuset/system.slice/$file"; done
fi
`;

export const OSTREE_INIT = initScript(OSTREE_BOOTED, KERNEL);
export const DEBIAN_INIT = initScript(KERNEL);
