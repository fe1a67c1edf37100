/**
 * The Node object and status of a simulated node.
 */

import { canonicalJson } from '../../../base/json.ts';
import { formatTimestamp, parseTimestamp } from '../../../base/text/index.ts';
import type { Labels } from '../../../kubernetes/meta/index.ts';
import type { Node, NodeCondition, NodeStatus, NodeSystemInfo } from '../../../kubernetes/types/index.ts';
import { amountsOf } from '../pod-resources.ts';
import type { Taint } from '../scheduler/tolerations.ts';
import { digestOf } from './digest.ts';
import type { BootInfo } from './machine-state.ts';

/** A simulated machine. Missing fields get deterministic defaults. */
export type SimulatedNode = {
  readonly name: string;
  /** In addition to the standard labels. */
  readonly labels?: Labels;
  readonly annotations?: { readonly [key: string]: string };
  readonly taints?: readonly Taint[];
  /** `cpu`, `memory`, `ephemeral-storage`, `pods`, or extended resources. */
  readonly capacity?: { readonly [resource: string]: string };
  readonly allocatable?: { readonly [resource: string]: string };
  /** Default: one of 10.0.0.0/16. */
  readonly address?: string;
  readonly info?: Partial<NodeSystemInfo>;
};

/** `index` determines the addresses of the node. */
export type NodeSnapshot = {
  readonly node: SimulatedNode;
  readonly index: number;
  readonly boot: BootInfo;
  readonly nowMs: number;
};

/** The object that a kubelet registers. */
export function newNode(scene: NodeSnapshot): Node {
  const { name, labels, annotations, taints } = scene.node;
  const status = nodeStatus(scene, undefined);
  const { operatingSystem = 'linux', architecture = 'amd64' } = status.nodeInfo ?? {};
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'beta.kubernetes.io/arch': architecture,
        'beta.kubernetes.io/os': operatingSystem,
        'kubernetes.io/arch': architecture,
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': operatingSystem,
        ...labels,
      },
      annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true', ...annotations },
    },
    spec: taints === undefined || taints.length === 0 ? {} : { taints },
    status,
  };
}

/** The current status. Keeps conditions of other writers; transition times change only with the status. */
export function nodeStatus(scene: NodeSnapshot, before: NodeStatus | undefined): NodeStatus {
  const { node, index } = scene;
  const capacity = node.capacity ?? CAPACITY;
  return {
    ...before,
    conditions: nodeConditions(scene.nowMs, before?.conditions ?? []),
    addresses: [
      { type: 'InternalIP', address: node.address ?? nodeAddress(index) },
      { type: 'Hostname', address: node.name },
    ],
    capacity,
    allocatable: node.allocatable ?? capacity,
    nodeInfo: systemInfo(scene),
    daemonEndpoints: { kubeletEndpoint: { Port: 10_250 } },
  };
}

/** Whether the status has changed apart from heartbeats, or is due for a periodic report. */
export function isReportDue(
  { status: before }: Node,
  now: NodeStatus,
  { nowMs, everyMs }: { readonly nowMs: number; readonly everyMs: number },
): 'changed' | 'again' | undefined {
  if (withoutHeartbeats(before ?? {}) !== withoutHeartbeats(now)) return 'changed';
  const heartbeat = parseTimestamp(readyOf(before)?.lastHeartbeatTime) ?? 0;
  return nowMs - heartbeat >= everyMs ? 'again' : undefined;
}

export function readyOf(status: NodeStatus | undefined): NodeCondition | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready');
}

const CAPACITY = { cpu: '4', memory: '16Gi', 'ephemeral-storage': '100Gi', pods: '250' } as const;

const HEALTHY: readonly Pick<NodeCondition, 'type' | 'status' | 'reason' | 'message'>[] = [
  {
    type: 'MemoryPressure',
    status: 'False',
    reason: 'KubeletHasSufficientMemory',
    message: 'kubelet has sufficient memory available',
  },
  {
    type: 'DiskPressure',
    status: 'False',
    reason: 'KubeletHasNoDiskPressure',
    message: 'kubelet has no disk pressure',
  },
  {
    type: 'PIDPressure',
    status: 'False',
    reason: 'KubeletHasSufficientPID',
    message: 'kubelet has sufficient PID available',
  },
  {
    type: 'Ready',
    status: 'True',
    reason: 'KubeletReady',
    message: 'kubelet is posting ready status',
  },
];

function nodeConditions(nowMs: number, before: readonly NodeCondition[]): readonly NodeCondition[] {
  const now = formatTimestamp(nowMs);
  const own = HEALTHY.map((condition): NodeCondition => {
    const known = before.find(({ type }) => type === condition.type);
    const isSame = known?.status === condition.status;
    const lastTransitionTime = (isSame ? known.lastTransitionTime : undefined) ?? now;
    return { ...condition, lastHeartbeatTime: now, lastTransitionTime };
  });
  return [...before.filter(({ type }) => !HEALTHY.some((one) => one.type === type)), ...own];
}

function systemInfo({ node: { name, info }, boot }: NodeSnapshot): NodeSystemInfo {
  return {
    machineID: digestOf(name, 'machine').slice(0, 32),
    systemUUID: uuidFrom(digestOf(name, 'system')),
    kernelVersion: '6.12.0',
    osImage: 'Simulated Linux',
    containerRuntimeVersion: 'cri-o://1.33.0',
    kubeletVersion: 'v1.33.0',
    kubeProxyVersion: '',
    operatingSystem: 'linux',
    architecture: 'amd64',
    ...info,
    ...boot,
  };
}

function uuidFrom(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  );
}

const FIRST_NODE_ADDRESS = 10 * 2 ** 24 + 10;
const FIRST_POD_ADDRESS = 10 * 2 ** 24 + 128 * 2 ** 16;
const PODS_PER_NODE = 512;

export function nodeAddress(index: number): string {
  return addressText(FIRST_NODE_ADDRESS + index);
}

/** The first address of the node's range that no pod has. */
export function freePodAddress(index: number, taken: ReadonlySet<string>): string {
  const first = FIRST_POD_ADDRESS + index * PODS_PER_NODE;
  // The first two are the network and the gateway.
  for (let offset = 2; offset < PODS_PER_NODE - 1; offset++) {
    const address = addressText(first + offset);
    if (!taken.has(address)) return address;
  }
  // More pods than a node allows: they share an address, which is never used.
  return addressText(first + PODS_PER_NODE - 1);
}

function addressText(address: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');
}

/** Quantities as numbers, since the server may normalise them. */
function withoutHeartbeats({ conditions = [], capacity, allocatable, ...rest }: NodeStatus): string {
  return canonicalJson({
    ...rest,
    amounts: [capacity, allocatable].map((quantities) => Object.fromEntries(amountsOf(quantities))),
    conditions: conditions.map(({ lastHeartbeatTime: _, ...condition }) => condition),
  });
}
