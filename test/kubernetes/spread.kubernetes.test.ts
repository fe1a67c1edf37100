/** Where a real scheduler puts a replica of a component while the other one runs, with nodes that nobody runs. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NAMESPACE } from '../../src/api/index.ts';
import {
  type Node,
  namespace,
  node as nodeKind,
  type Pod,
  pod as podKind,
  serviceAccount,
} from '../../src/kubernetes/types/index.ts';
import { type Manifest, manifests } from '../support/manifests-files.ts';
import { type Administrator, administrator } from './administrator.ts';
import { startKubernetes } from './kubernetes.ts';
import { findProgram } from './programs.ts';

const cluster = await startKubernetes();
const scheduler = await findProgram('kube-scheduler');
const lacks = [cluster, scheduler].flatMap((one) =>
  typeof one === 'object' && 'unavailable' in one ? [one.unavailable] : [],
);
const canRun = 'startScheduler' in cluster && typeof scheduler === 'string';
const reason = canRun ? '' : ` (skipped: ${lacks[0] ?? 'the cluster has a scheduler of its own'})`;
const DEPLOYMENTS = manifests.filter(({ kind }) => kind === 'Deployment');
const [ACCOUNT = ''] = DEPLOYMENTS.map(({ metadata }) => metadata.name);
const HOSTNAME = 'kubernetes.io/hostname';
const LIMIT_MS = 60_000;

/** As the controllers mark nodes that wait for their update. */
const WAITING = { key: 'UpdateInProgress', effect: 'PreferNoSchedule' } as const;
const CORDONED = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' } as const;

type Machine = { readonly name: string; readonly role: 'control-plane' | 'worker' } & {
  readonly taint?: typeof WAITING | typeof CORDONED;
};

const CONTROL_PLANE_TAINT = { key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' } as const;

function aNode({ name, role, taint }: Machine): Node {
  const amounts = { cpu: '4', memory: '8Gi', pods: '110' };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        [HOSTNAME]: name,
        'kubernetes.io/os': 'linux',
        ...(role === 'control-plane' ? { 'node-role.kubernetes.io/control-plane': '' } : {}),
      },
    },
    spec: {
      taints: [
        ...(role === 'control-plane' ? [CONTROL_PLANE_TAINT] : []),
        ...(taint === undefined ? [] : [taint]),
      ],
      ...(taint === CORDONED ? { unschedulable: true } : {}),
    },
    status: { capacity: amounts, allocatable: amounts },
  };
}

/** As a ReplicaSet of the Deployment makes it; the server validates it. `on`: the only node for it. */
function aReplica({ spec }: Manifest, name: string, on?: string): Pod {
  const template = spec?.template;
  const nodeSelector = { ...template?.spec?.nodeSelector, ...(on === undefined ? {} : { [HOSTNAME]: on }) };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: NAMESPACE,
      labels: { ...template?.metadata?.labels, 'pod-template-hash': 'abc' },
    },
    spec: { ...template?.spec, nodeSelector },
  } as unknown as Pod;
}

/** Once it is bound, the scheduler knows its node, and that nothing but what is tolerated here keeps pods away. */
function aScout(node: string): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `scout-${node}`, namespace: NAMESPACE },
    spec: {
      serviceAccountName: ACCOUNT,
      nodeSelector: { [HOSTNAME]: node },
      tolerations: [CONTROL_PLANE_TAINT, CORDONED].map(({ key }) => ({ key, operator: 'Exists' })),
      containers: [{ name: 'main', image: 'example.com/main' }],
    },
  };
}

describe.skipIf(!canRun)(`a replica of a component${reason}`, () => {
  let admin: Administrator;
  beforeAll(async () => {
    if ('unavailable' in cluster) return;
    admin = await administrator(cluster.kubeconfigPath, 'spread');
    const { kube } = admin;
    await kube.create(namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
    for (const { metadata } of DEPLOYMENTS) {
      const account = { name: metadata.name, namespace: NAMESPACE };
      await kube.create(serviceAccount, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: account });
    }
    await cluster.startScheduler?.();
  }, 2 * LIMIT_MS);
  afterAll(async () => {
    if ('unavailable' in cluster) return;
    admin?.transport.close();
    await cluster.stop();
  });

  let count = 0;

  /** The node of the second replica, where the first one is on `first`. */
  async function placed(deployment: Manifest, given: readonly Machine[], first: string): Promise<string> {
    const { kube } = admin;
    // Names of their own: the scheduler may learn late that nodes of an earlier case are gone.
    const suffix = `-${count++}`;
    const machines = given.map((machine) => ({ ...machine, name: `${machine.name}${suffix}` }));
    for (const machine of machines) {
      const wanted = aNode(machine);
      await kube.create(nodeKind, wanted);
      // Admission has added the taint of nodes that are not ready yet.
      const body = { spec: { taints: wanted.spec?.taints } };
      await kube.patch(nodeKind, { name: machine.name }, { type: 'merge', body });
    }
    await Promise.all(machines.map(({ name }) => nodeOf(aScout(name))));
    await nodeOf(aReplica(deployment, `first${suffix}`, `${first}${suffix}`));
    const found = await nodeOf(aReplica(deployment, `second${suffix}`));
    for (const { metadata } of (await kube.list(podKind, { namespace: NAMESPACE })).items)
      await kube.delete(podKind, { name: metadata.name, namespace: NAMESPACE }, { gracePeriodSeconds: 0 });
    for (const { name } of machines) await kube.delete(nodeKind, { name });
    return found.replace(suffix, '');
  }

  /** Where the scheduler puts it. */
  async function nodeOf(pod: Pod): Promise<string> {
    const { kube } = admin;
    await kube.create(podKind, pod);
    const deadline = performance.now() + LIMIT_MS;
    while (performance.now() < deadline) {
      const { name } = pod.metadata;
      const nodeName = (await kube.get(podKind, { name, namespace: NAMESPACE }))?.spec?.nodeName ?? '';
      if (nodeName !== '') return nodeName;
      await pause(50);
    }
    return 'nowhere';
  }

  const controlPlane = (name: string, taint?: Machine['taint']): Machine => ({
    ...{ name, role: 'control-plane' },
    ...(taint === undefined ? {} : { taint }),
  });
  const worker = (name: string, taint?: Machine['taint']): Machine => ({
    ...{ name, role: 'worker' },
    ...(taint === undefined ? {} : { taint }),
  });

  const CASES: readonly (readonly [string, readonly Machine[], string, string])[] = [
    [
      'goes to a control plane node that waits for its update, not to the updated one, which has the other replica',
      [controlPlane('a'), controlPlane('b', WAITING), controlPlane('c', CORDONED)],
      'a',
      'b',
    ],
    [
      'goes to a worker that waits for its update, not to the updated one, which has the other replica',
      [worker('a'), worker('b', WAITING), worker('c', CORDONED)],
      'a',
      'b',
    ],
    [
      'goes to a worker where the only control plane node has the other replica',
      [controlPlane('a'), worker('b')],
      'a',
      'b',
    ],
    ['prefers a control plane node', [controlPlane('a'), controlPlane('b'), worker('c')], 'a', 'b'],
    ['goes to the only node that there is', [controlPlane('a')], 'a', 'a'],
    [
      'goes to the only node that is not cordoned',
      [controlPlane('a'), controlPlane('b', CORDONED), worker('c', CORDONED)],
      'a',
      'a',
    ],
  ];

  it.each(DEPLOYMENTS.flatMap((one) => CASES.map((rest) => [one.metadata.name, ...rest, one] as const)))(
    '%s: %s',
    async (_, _title, machines, first, expected, deployment) => {
      expect(await placed(deployment, machines, first)).toBe(expected);
    },
    2 * LIMIT_MS,
  );
});
