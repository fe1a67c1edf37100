/**
 * The OS of the lab. A kubelet and a container engine cannot run here: they are replaced by services that do what the units of
 * base configs need, and the kubelet's runs one pod, the daemon's.
 */
import { initScript, LAB_FOLDER, OSTREE_BOOTED, type OsKind, unitFiles } from './os-files.ts';

/** The log of the daemon's pod. */
export const DAEMON_LOG = '/var/log/machine-config-daemon.log';

/** Starts the pod of this node, like a kubelet soon after its start, and then does nothing. */
const KUBELET = `#!/bin/sh
if [ -e ${LAB_FOLDER}/pod/command ]; then systemctl start --no-block machine-config-daemon-pod.service; fi
systemd-notify --ready
exec sleep infinity
`;

const UNITS = unitFiles({
  'crio.service': `[Service]
ExecStart=/bin/sleep infinity
ExecReload=/bin/true
`,
  'kubelet.service': `[Service]
Type=notify
ExecStart=/usr/bin/kubelet
Restart=always
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
});

export const LAB_OS: OsKind = {
  packages: [],
  programs: {},
  users: [],
  files: [{ path: '/usr/bin/kubelet', text: KUBELET, mode: 0o755 }, ...UNITS],
};

/** With the root of the daemon's pod. */
export const LAB_INIT = initScript(
  OSTREE_BOOTED,
  `mkdir -p ${LAB_FOLDER}/pod-root
cd ${LAB_FOLDER}/pod-root
mkdir -p usr dev proc sys run tmp etc millwright/package pod rootfs
for name in bin sbin lib lib64; do ln -s usr/$name $name; done
: >millwright/node
`,
);
