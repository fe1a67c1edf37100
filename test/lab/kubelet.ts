/** Replaces the kubelet of a machine: its Node is Ready while the machine is up, and it starts the daemon's pod. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Kube } from '../../src/kubernetes/client/index.ts';
import { type Node, node as nodeKind } from '../../src/kubernetes/types/index.ts';
import type { Machine } from './machine.ts';

export function aNode(name: string, isReady: boolean): Node {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/os': 'linux',
        'kubernetes.io/hostname': name,
        'node-role.kubernetes.io/worker': '',
      },
    },
    spec: {},
    status: { conditions: [readyCondition(isReady)] },
  };
}

/** Keeps the Ready condition of the Node current. Returns a function that resolves once all writes are done. */
export function followPower(kube: Kube, machine: Machine): () => Promise<void> {
  let last: Promise<unknown> = Promise.resolve();
  machine.onPower(({ kind }) => {
    const patchStatus = async () => {
      const isUp = kind === 'up';
      const status = { conditions: [readyCondition(isUp)], ...(isUp ? await nodeInfoOf(machine) : {}) };
      const body = { status };
      await kube.patch(
        nodeKind,
        { name: machine.name },
        { type: 'strategic', body },
        { subresource: 'status' },
      );
    };
    last = last.then(patchStatus);
  });
  return async () => {
    await last;
  };
}

/** The OS as it names itself; nothing where the machine has gone down meanwhile. */
async function nodeInfoOf(machine: Machine): Promise<{ readonly nodeInfo?: object }> {
  const command = ['sh', '-c', '. /usr/lib/os-release; echo "$PRETTY_NAME"'];
  const osImage = (
    await machine.run(command, { allowsFailure: true }).catch(() => ({ stdout: '' }))
  ).stdout.trim();
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  return osImage === '' ? {} : { nodeInfo: { osImage, architecture } };
}

function readyCondition(isReady: boolean) {
  const at = `${new Date().toISOString().slice(0, 19)}Z`;
  return {
    ...{
      type: 'Ready',
      status: isReady ? 'True' : 'False',
      reason: isReady ? 'KubeletReady' : 'KubeletStopped',
    },
    message: '',
    lastHeartbeatTime: at,
    lastTransitionTime: at,
  };
}

export type PodOptions = {
  readonly node: string;
  readonly kubeconfig: string;
  /** Machines of the lab share one network. */
  readonly metricsPort: number;
  readonly folder: string;
};

/** Writes what the machine starts the daemon's pod with: see `machine-config-daemon-pod.service`. */
export async function writePod({ node, kubeconfig, metricsPort, folder }: PodOptions): Promise<void> {
  const flags = [
    '--root-mount=/rootfs',
    '--kubeconfig=/pod/kubeconfig',
    `--metrics-url=127.0.0.1:${metricsPort}`,
  ];
  const program = '/millwright/node /millwright/package/dist/main.js';
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'kubeconfig'), kubeconfig, { mode: 0o600 });
  await writeFile(
    join(folder, 'command'),
    `export NODE_NAME=${node}\nexec ${program} daemon ${flags.join(' ')}\n`,
  );
}
