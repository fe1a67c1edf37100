/** Machines of the cluster: their disks, and what stories ask them. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Disk, ostreeDisk } from '../lab/disk.ts';
import { Machine } from '../lab/machine.ts';
import type { OsFile } from '../lab/os-files.ts';
import type { OsImages } from '../lab/os-images.ts';
import type { RunFolder } from '../lab/run-folder.ts';
import { installSysroot, nextBoot, varFolder } from '../lab/sysroot.ts';
import type { NodeAddress } from './addresses.ts';
import { FINISH_INSTALLATION, installDebian } from './debian-disk.ts';
import type { Programs } from './needs.ts';
import type { Network } from './network.ts';
import {
  commonNodeFiles,
  inDeployment,
  KUBELET_CONFIG,
  KUBELET_DROPINS,
  kubeletArgs,
  type NodeIdentity,
  writeFiles,
} from './node-files.ts';
import { DEBIAN_INIT, OSTREE_INIT } from './node-os.ts';
import { debianFolders, type FileSnapshot, ostreeFolders, snapshotFiles } from './snapshot.ts';

export type NodeSystem = 'ostree' | 'debian';

export type ClusterMachine = {
  readonly name: string;
  readonly address: string;
  readonly system: NodeSystem;
  /** Power, console and commands. */
  readonly machine: Machine;
  /** Standard output of a command, as root of the machine. */
  readonly output: (...command: readonly string[]) => Promise<string>;
  /** Its first boot. */
  readonly start: () => Promise<void>;
  /** Another one after each boot. */
  readonly bootId: () => Promise<string>;
  /** All files of the machine: see `snapshot.ts`. */
  readonly files: () => Promise<FileSnapshot>;
};

export type MachineContext = {
  readonly run: RunFolder;
  readonly network: Network;
  readonly programs: Programs;
  /** The OS of OSTree machines. */
  readonly os: {
    readonly images: OsImages;
    readonly image: { readonly name: string; readonly digest: string; readonly version: string };
  };
};

const CAPABILITIES = ['--capability=all', '--system-call-filter=add_key keyctl request_key bpf'];

/** Its disk is written; it is off. */
export async function installMachine(
  context: MachineContext,
  system: NodeSystem,
  node: NodeIdentity,
): Promise<ClusterMachine> {
  const folder = await machineFolder(context, node);
  const installed =
    system === 'ostree'
      ? await installOstree(context, folder, [
          ...commonNodeFiles(node),
          { path: '/etc/kubernetes/kubelet.conf', text: KUBELET_CONFIG },
          { path: '/etc/kubernetes/kubelet-env', text: `KUBELET_EXTRA_ARGS=${kubeletArgs(node)}\n` },
          { path: '/var/lib/kubelet/kubeconfig', text: node.kubeconfig, mode: 0o600 },
        ])
      : await debian(context, { folder, node });
  return clusterMachine(context, { node, system, folder, ...installed });
}

/** For its disk and its console. */
export async function machineFolder({ run }: MachineContext, { name }: NodeAddress): Promise<string> {
  const folder = join(run.path, 'machines', name);
  await mkdir(folder, { recursive: true });
  return folder;
}

type InstalledMachine = Installed & {
  readonly node: NodeAddress;
  readonly system: NodeSystem;
  readonly folder: string;
};

export function clusterMachine(
  { run, network }: MachineContext,
  { node, system, folder, disk, folders }: InstalledMachine,
): ClusterMachine {
  const { name, address } = node;
  const machine = new Machine({
    name,
    containerName: `${run.containerPrefix}${name}`,
    folder,
    disk,
    init: system === 'ostree' ? OSTREE_INIT : DEBIAN_INIT,
    // The stand-in for rpm-ostree is a program of Node.
    gifts: system === 'ostree' ? { node: process.execPath } : {},
    flags: [...CAPABILITIES, `--network-namespace-path=${network.namespaceOf(name)}`],
  });
  const output = async (...command: readonly string[]) => (await machine.run(command)).stdout.trim();
  return {
    name,
    address,
    system,
    machine,
    output,
    async start() {
      await machine.start();
      if (system === 'debian') await machine.run(FINISH_INSTALLATION);
    },
    bootId: () => output('cat', '/proc/sys/kernel/random/boot_id'),
    files: async () => snapshotFiles(await folders()),
  };
}

type Place = { readonly folder: string; readonly node: NodeIdentity };
type Installed = {
  readonly disk: Disk;
  /** Paths of the machine, and where they are on this computer now. */
  readonly folders: () => Promise<Readonly<Record<string, string>>>;
};

/** A disk with the OS, and these files on it. */
export async function installOstree(
  { os }: MachineContext,
  folder: string,
  files: readonly OsFile[],
): Promise<Installed & { readonly sysroot: string }> {
  const sysroot = join(folder, 'sysroot');
  await installSysroot({
    sysroot,
    kernelArguments: ['rw', 'console=ttyS0'],
    source: { repository: os.images.repository, ref: os.images.installedRef },
    image: os.image,
  });
  const { deployment } = await nextBoot(sysroot);
  await writeFiles(files, inDeployment(deployment, varFolder(sysroot)));
  await mkdir(join(deployment, KUBELET_DROPINS), { recursive: true });
  await mkdir(join(varFolder(sysroot), 'tmp'), { recursive: true });
  return { sysroot, disk: ostreeDisk(sysroot), folders: () => ostreeFolders(sysroot) };
}

async function debian({ programs }: MachineContext, { folder, node }: Place): Promise<Installed> {
  const disk = await installDebian(folder, { node, kubelet: programs.kubelet });
  return { disk, folders: async () => debianFolders(disk) };
}
