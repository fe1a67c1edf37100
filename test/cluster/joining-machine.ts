/**
 * A machine that is no node: it has the OS of the OSTree nodes and a kubelet that asks for its certificates, and no credentials at
 * all. What makes it a node it gets from Ignition.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { nextBoot, varFolder } from '../lab/sysroot.ts';
import {
  type ClusterMachine,
  clusterMachine,
  installOstree,
  type MachineContext,
  machineFolder,
} from './cluster-machine.ts';
import { runIgnition } from './ignition.ts';
import { JOINING_KUBELET_CONFIG, kubeletArgs, type MachineIdentity, machineFiles } from './node-files.ts';

export type JoiningMachine = ClusterMachine & {
  /** Runs Ignition on its disk, with the network of the machine, which is off. Returns the log. */
  readonly ignite: (program: string, userData: string) => Promise<string>;
};

/** Where the server puts the kubeconfig for the first request of a kubelet. */
const BOOTSTRAP_KUBECONFIG = '/etc/kubernetes/kubeconfig';

/** Its disk is written; it is off. */
export async function installJoiningMachine(
  context: MachineContext,
  identity: MachineIdentity,
): Promise<JoiningMachine> {
  const folder = await machineFolder(context, identity);
  const { sysroot, ...installed } = await installOstree(context, folder, [
    ...machineFiles(identity),
    { path: '/etc/kubernetes/kubelet.conf', text: JOINING_KUBELET_CONFIG },
    {
      path: '/etc/kubernetes/kubelet-env',
      text: `KUBELET_EXTRA_ARGS=--bootstrap-kubeconfig=${BOOTSTRAP_KUBECONFIG} ${kubeletArgs(identity)}\n`,
    },
  ]);
  const machine = clusterMachine(context, { node: identity, system: 'ostree', folder, ...installed });
  return {
    ...machine,
    async ignite(program, userData) {
      const own = join(folder, 'ignition');
      await mkdir(own, { recursive: true });
      const { deployment: root } = await nextBoot(sysroot);
      const network = context.network.namespaceOf(identity.name);
      return await runIgnition({
        program,
        folder: own,
        network,
        root,
        varFolder: varFolder(sysroot),
        userData,
      });
    },
  };
}
