/**
 * The disk of a plain Debian with containerd, in the form that kubeadm leaves behind. Its `/usr` is this computer's with a layer
 * of its own above, in which everything can be changed; all other folders are its own.
 */
import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Disk } from '../lab/disk.ts';
import type { OsFile } from '../lab/os-files.ts';
import { runTool } from '../lab/run-tool.ts';
import { PAUSE_IMAGE } from './images.ts';
import {
  commonNodeFiles,
  KUBELET_CONFIG,
  KUBELET_DROPINS,
  kubeletArgs,
  type NodeIdentity,
  SHORT_SHUTDOWN,
  writeFiles,
} from './node-files.ts';

export type DebianDisk = Disk & {
  readonly root: string;
  /** What was changed of `/usr`. */
  readonly usrLayer: string;
};

/** Of this computer, as they are after an installation. */
const COPIED = [
  ...['passwd', 'group', 'shadow', 'gshadow', 'nsswitch.conf', 'login.defs', 'ld.so.cache', 'ld.so.conf'],
  ...[
    'ld.so.conf.d',
    'pam.d',
    'security',
    'protocols',
    'services',
    'alternatives',
    'dbus-1',
    'grub.d',
    'debian_version',
  ],
];

const MASKED = [
  ...['getty.target', 'console-getty.service', 'systemd-udevd.service', 'systemd-udev-trigger.service'],
  ...['systemd-timesyncd.service', 'systemd-resolved.service', 'systemd-networkd.service'],
  ...['systemd-networkd-wait-online.service', 'systemd-logind.service', 'systemd-random-seed.service'],
  ...['apt-daily.timer', 'apt-daily-upgrade.timer'],
];

export async function installDebian(
  folder: string,
  { node, kubelet }: { readonly node: NodeIdentity; readonly kubelet: string },
): Promise<DebianDisk> {
  const root = join(folder, 'root');
  const usrLayer = join(folder, 'usr');
  await makeRoot(root);
  await writeFiles([...commonNodeFiles(node), ...ownFiles(node)], (path) =>
    path.startsWith('/usr/') ? join(folder, path) : join(root, path),
  );
  await mkdir(join(root, KUBELET_DROPINS), { recursive: true });
  await mkdir(join(usrLayer, 'bin'), { recursive: true });
  await cp(kubelet, join(usrLayer, 'bin/kubelet'));
  const wants = join(root, 'etc/systemd/system/multi-user.target.wants');
  await mkdir(wants, { recursive: true });
  for (const unit of ['containerd.service', 'kubelet.service'])
    await symlink(`/lib/systemd/system/${unit}`, join(wants, unit));
  for (const unit of MASKED) await symlink('/dev/null', join(root, 'etc/systemd/system', unit));
  return {
    root,
    usrLayer,
    varFolder: join(root, 'var'),
    remove: () => rm(folder, { recursive: true, force: true }),
    nextBoot: async () => ({
      root,
      mounts: [`--overlay=/usr:${usrLayer}:/usr`],
      kernelArguments: grubArguments(await readFile(join(root, GRUB_CFG), 'utf8').catch(() => '')),
    }),
  };
}

/** What the boot loader passes to the kernel of its first entry. */
function grubArguments(configuration: string): readonly string[] {
  const line = /^\s*linux\s+(.*)$/m.exec(configuration)?.[1] ?? '/boot/vmlinuz';
  return `BOOT_IMAGE=${line}`.split(/\s+/).filter((word) => word !== '');
}

const GRUB_CFG = '/boot/grub/grub.cfg';

/** The last step of an installation, on the running machine: the configuration of its boot loader. */
export const FINISH_INSTALLATION: readonly string[] = ['grub-mkconfig', '-o', GRUB_CFG];

async function makeRoot(root: string): Promise<void> {
  const folders = [
    'var/log/journal',
    'var/lib/kubelet',
    'var/tmp',
    'run',
    'tmp',
    'proc',
    'sys',
    'dev',
    'root',
  ];
  for (const name of [...folders, 'boot', 'home', 'opt', 'srv', 'mnt', 'etc/systemd/system'])
    await mkdir(join(root, name), { recursive: true });
  await runTool(['chmod', '1777', join(root, 'tmp'), join(root, 'var/tmp')]);
  // By this name systemd-nspawn knows, before /usr is mounted, which systemd will run, and gives it cgroup2 for its own groups.
  // Without it systemd never learns that a scope is empty, and a reboot waits for each of them.
  for (const library of await sharedLibraries()) {
    await mkdir(join(root, 'usr/lib/systemd'), { recursive: true });
    await writeFile(join(root, 'usr/lib/systemd', library), '');
  }
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) await symlink(`usr/${name}`, join(root, name));
  for (const name of COPIED)
    await cp(join('/etc', name), join(root, 'etc', name), { recursive: true, verbatimSymlinks: true });
  await symlink('../usr/lib/os-release', join(root, 'etc/os-release'));
}

async function sharedLibraries(): Promise<readonly string[]> {
  const listed = await runTool(['dpkg', '-L', 'systemd', 'libsystemd-shared']);
  const names = listed.split('\n').map((path) => path.replace(/^.*\//, ''));
  return names.filter((name) => /^libsystemd-shared-.*\.so$/.test(name));
}

function ownFiles(node: NodeIdentity): readonly OsFile[] {
  const system = '/usr/lib/systemd/system';
  return [
    { path: '/etc/resolv.conf', text: '' },
    SHORT_SHUTDOWN,
    { path: '/etc/default/grub', text: GRUB_DEFAULTS },
    { path: '/boot/vmlinuz-6.1.0-lab', text: 'kernel\n' },
    { path: '/boot/initrd.img-6.1.0-lab', text: 'initramfs\n' },
    { path: '/boot/grub/.keep', text: '' },
    { path: '/usr/sbin/grub-probe', text: GRUB_PROBE, mode: 0o755 },
    { path: '/etc/containerd/config.toml', text: CONTAINERD_CONFIG },
    { path: '/etc/systemd/system/containerd.service.d/lab.conf', text: CONTAINERD_DROPIN },
    { path: '/etc/kubernetes/kubelet.conf', text: node.kubeconfig, mode: 0o600 },
    { path: '/var/lib/kubelet/config.yaml', text: KUBELET_CONFIG },
    {
      path: '/var/lib/kubelet/kubeadm-flags.env',
      text: 'KUBELET_KUBEADM_ARGS="--container-runtime-endpoint=unix:///run/containerd/containerd.sock"\n',
    },
    {
      path: '/etc/default/kubelet',
      text: `KUBELET_EXTRA_ARGS="--config-dir=${KUBELET_DROPINS} ${kubeletArgs(node)}"\n`,
    },
    { path: `${system}/kubelet.service`, text: KUBELET_SERVICE },
    { path: `${system}/kubelet.service.d/10-kubeadm.conf`, text: KUBEADM_DROPIN },
  ];
}

const GRUB_DEFAULTS = `GRUB_DEFAULT=0
GRUB_TIMEOUT=5
GRUB_CMDLINE_LINUX_DEFAULT="quiet"
GRUB_CMDLINE_LINUX=""
`;

/** There is no disk: what GRUB would find out about one. */
const GRUB_PROBE = `#!/bin/sh
for word; do
  case $word in
    --target=device) echo /dev/vda1 ;;
    --target=fs) echo ext2 ;;
    --target=fs_uuid) echo 6d696c6c-7772-6967-6874-000000000001 ;;
    --target=partmap) echo gpt ;;
    --target=drive) echo '(hd0,gpt1)' ;;
  esac
done
`;

const CONTAINERD_CONFIG = `version = 2
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${PAUSE_IMAGE}"
  # Without CAP_SYS_RESOURCE nobody can lower the oom_score_adj that he has.
  restrict_oom_score_adj = true
  disable_apparmor = true
  [plugins."io.containerd.grpc.v1.cri".registry]
    config_path = "/etc/containerd/certs.d"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        SystemdCgroup = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "/etc/cni/net.d"
`;

/** Debian's unit asks for less than 0, which not every computer permits: see `restrict_oom_score_adj`. */
const CONTAINERD_DROPIN = `[Service]
OOMScoreAdjust=0
RestartSec=1
`;

/** As in the packages of Kubernetes. */
const KUBELET_SERVICE = `[Unit]
Description=kubelet: The Kubernetes Node Agent
Wants=network-online.target
After=network-online.target

[Service]
ExecStart=/usr/bin/kubelet
Restart=always
StartLimitInterval=0
RestartSec=10

[Install]
WantedBy=multi-user.target
`;

const KUBEADM_DROPIN = `[Service]
Environment="KUBELET_KUBECONFIG_ARGS=--kubeconfig=/etc/kubernetes/kubelet.conf"
Environment="KUBELET_CONFIG_ARGS=--config=/var/lib/kubelet/config.yaml"
EnvironmentFile=-/var/lib/kubelet/kubeadm-flags.env
EnvironmentFile=-/etc/default/kubelet
ExecStart=
ExecStart=/usr/bin/kubelet $KUBELET_KUBECONFIG_ARGS $KUBELET_CONFIG_ARGS $KUBELET_KUBEADM_ARGS $KUBELET_EXTRA_ARGS
`;
