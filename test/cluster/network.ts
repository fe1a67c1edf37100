/**
 * The network of the cluster: a namespace with a bridge for the control plane, and one for each machine, joined to the bridge.
 *
 * A namespace lives as long as a process in it. Here that is a child of this process, so nothing of the network outlives it.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Child, startChild } from '../kubernetes/child.ts';
import { runTool } from '../lab/run-tool.ts';
import { until } from '../lab/until.ts';
import { API_ADDRESS, type NodeAddress, REGISTRIES, SERVICE_ADDRESS } from './addresses.ts';

export type Network = {
  /** The beginning of a command that runs beside the control plane. */
  readonly inControlPlane: readonly string[];
  /** What `systemd-nspawn` joins. */
  readonly namespaceOf: (node: string) => string;
  readonly stop: () => Promise<void>;
};

type Namespace = { readonly path: string; readonly child: Child };

const START_LIMIT_MS = 20_000;

export async function makeNetwork(folder: string, nodes: readonly NodeAddress[]): Promise<Network> {
  const namespaces = new Map<string, Namespace>();
  const stop = async () => {
    await Promise.all([...namespaces.values()].map(({ child }) => child.stop()));
  };
  try {
    const control = await holdNamespace(folder, 'control-plane');
    namespaces.set('', control);
    await addBridge(control);
    for (const [index, node] of nodes.entries()) {
      const own = await holdNamespace(folder, node.name);
      namespaces.set(node.name, own);
      await connectMachine({ control, own, node, link: `v${index}` });
    }
    return {
      inControlPlane: entering(control),
      namespaceOf: (node) => namespaces.get(node)?.path ?? '',
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function holdNamespace(folder: string, name: string): Promise<Namespace> {
  const logPath = join(folder, `namespace-${name}.log`);
  const args = ['--net', 'sh', '-c', 'echo "$$"; exec sleep infinity'];
  const child = startChild({ name: `namespace ${name}`, program: 'unshare', args, logPath });
  let pid = '';
  await until(`the network namespace of ${name} exists`, { limitMs: START_LIMIT_MS }, async () => {
    if (child.hasEnded()) throw new Error(await child.logTail());
    pid = /^(\d+)\n/.exec(await readFile(logPath, 'utf8'))?.[1] ?? '';
    return pid !== '';
  });
  return { path: `/proc/${pid}/ns/net`, child };
}

function entering({ path }: Namespace): readonly string[] {
  return ['nsenter', `--net=${path}`, '--'];
}

async function addBridge(control: Namespace): Promise<void> {
  const ip = ipIn(control);
  await ip('link set lo up');
  await ip('link add br0 type bridge');
  await ip(`addr add ${API_ADDRESS}/24 dev br0`);
  for (const address of [SERVICE_ADDRESS, ...Object.values(REGISTRIES)])
    await ip(`addr add ${address}/32 dev br0`);
  await ip('link set br0 up');
  await forwardPackets(control);
}

type Joint = {
  readonly control: Namespace;
  readonly own: Namespace;
  readonly node: NodeAddress;
  readonly link: string;
};

async function connectMachine({ control, own, node, link }: Joint): Promise<void> {
  const pid = /\d+/.exec(own.path)?.[0] ?? '';
  const [bridge, machine] = [ipIn(control), ipIn(own)];
  await bridge(`link add ${link} type veth peer name eth0 netns ${pid}`);
  await bridge(`link set ${link} master br0 up`);
  await machine('link set lo up');
  await machine(`addr add ${node.address}/24 dev eth0`);
  await machine('link set eth0 up');
  await machine(`route add default via ${API_ADDRESS}`);
  await bridge(`route add ${node.podSubnet} via ${node.address}`);
  await forwardPackets(own);
}

/** Pods are behind their machines, and machines behind the bridge. */
async function forwardPackets(namespace: Namespace): Promise<void> {
  await runTool([...entering(namespace), 'sh', '-ec', 'echo 1 >/proc/sys/net/ipv4/ip_forward']);
}

function ipIn(namespace: Namespace): (words: string) => Promise<string> {
  return (words) => runTool([...entering(namespace), 'ip', ...words.split(' ')]);
}
