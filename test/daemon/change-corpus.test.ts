/**
 * The daemon does what is predicted of a change, observed on the machine and on the node: was it drained, which
 * services were reloaded and restarted, did it reboot. The policies are those that the operator publishes.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  annotations,
  FORCE_FILE,
  machineConfigNode as machineConfigNodeKind,
  machineConfiguration as machineConfigurationKind,
  NAMESPACE,
  type NodeDisruptionPolicy,
} from '../../src/api/index.ts';
import { createOperator, DEFAULT_SETTINGS } from '../../src/controllers/index.ts';
import {
  createCaches,
  createEventRecorder,
  createInProcessTransport,
  runControllers,
} from '../../src/kubernetes/client/index.ts';
import { Metrics } from '../../src/kubernetes/metrics/index.ts';
import { node as nodeKind } from '../../src/kubernetes/types/index.ts';
import { ComponentMetrics } from '../../src/processes/component-metrics.ts';
import { anImage } from '../host/an-image.ts';
import { aNode } from '../rollout/build-world.ts';
import { RELEASE } from '../rollout/control.ts';
import { aConfig, aMachineConfig } from '../support/build.ts';
import { A, B, CHANGES, type Change, type Side } from '../support/change-corpus.ts';
import { createDaemonNode, type DaemonNode, NO_TIME, provision } from './daemon-node.ts';
import { type SmallCluster, startSmallCluster } from './small-cluster.ts';

/**
 * Changes that are not covered here: first boots and image mode have tests of their own, and the
 * machines have no extensions.
 */
const isCovered = ({ before, after, isFirstBoot }: Change): boolean =>
  isFirstBoot !== true &&
  before?.image === undefined &&
  before?.spec?.extensions === undefined &&
  after?.image === undefined;
const COVERED = CHANGES.filter(isCovered);

const SERVICE =
  '[Service]\nExecStart=/usr/bin/true\nExecReload=/usr/bin/true\n[Install]\nWantedBy=multi-user.target\n';
const services = ['kubelet', 'coreos-update-ca-trust', 'sshd', 'foo'].map((name) => `${name}.service`);
const files = Object.fromEntries(
  services.flatMap((name) => [
    [`/usr/lib/systemd/system/${name}`, SERVICE],
    [`/usr/lib/systemd/system/multi-user.target.wants/${name}`, `-> ../${name}`],
  ]),
);
const EXTENSIONS = 'registry.example/extensions:1';
const packages = [
  'usbguard',
  ...['core', 'modules', 'modules-extra', 'kvm'].map((part) => `kernel-rt-${part}`),
];
const rpms = Object.fromEntries(
  packages.map((name) => [`/usr/share/rpm-ostree/extensions/${name}-1.rpm`, name]),
);
const images = {
  [A]: anImage({ digest: 'a', files }),
  [B]: anImage({ digest: 'b', files }),
  [EXTENSIONS]: anImage({ digest: 'e', files: rpms }),
};
const MINUTE = 60_000;

let cluster: SmallCluster;
let stopOperator: () => Promise<void>;
const nodes: DaemonNode[] = [];
/** Nodes that were ever cordoned. */
const cordoned = new Set<string>();

beforeAll(async () => {
  cluster = await startSmallCluster();
  cluster.nodes.onChange(({ after }) => {
    if (after?.spec.unschedulable === true) cordoned.add(after.metadata.name);
  });
  stopOperator = startOperator();
});
afterAll(async () => {
  for (const node of nodes) node.stopDaemon();
  await stopOperator();
  await cluster.stop();
});

describe('the daemon does what the plan of each change predicts', () => {
  it.each(COVERED.map((change, index) => ({ ...change, index })))(
    '$what: $actions',
    async ({ index, ...change }) => {
      await setPolicy(change.policy);
      const node = await join(`worker-${index}`, change.before ?? {});
      const before = await standing(node);
      if (change.isForced === true) await node.write(FORCE_FILE, '');
      const next = `rendered-${node.name}-next`;
      await cluster.addConfig(configOf(next, change.after ?? {}));
      await cluster.send(node.name, next);
      await cluster.untilDone(node.name, next);
      expect(await deeds(node, before)).toEqual(expected(change));
      node.stopDaemon();
    },
  );

  it('covers at least sixty changes, of every kind', () => {
    expect(COVERED.length).toBeGreaterThanOrEqual(60);
    const actions = COVERED.map((change) => change.actions).join(' ');
    for (const action of ['None', 'Reload', 'Restart', 'DaemonReload', 'Drain', 'Special', 'Reboot']) {
      expect(actions).toContain(action);
    }
  });
});

type Deeds = {
  readonly hasDrained: boolean;
  readonly hasRebooted: boolean;
  /** `reload crio.service`, sorted; without what a boot starts. */
  readonly services: readonly string[];
};

function expected({ actions, drains }: Change): Deeds {
  const list = actions.slice(1, -1).split(', ');
  const done = list.flatMap((action) => {
    const [type = '', service = ''] = action.split(' ');
    if (type === 'Special') return ['reload crio.service'];
    if (type === 'DaemonReload') return ['daemon-reload'];
    return type === 'Reload' || type === 'Restart' ? [`${type.toLowerCase()} ${service}`] : [];
  });
  return {
    hasDrained: drains,
    hasRebooted: list.includes('Reboot'),
    // The number of reloads does not matter.
    services: [...new Set(done)].sort(),
  };
}

type Standing = {
  readonly bootId: string;
  readonly lines: number;
  readonly services: ReadonlyMap<string, { readonly starts: number; readonly reloads: number }>;
};

async function standing({ machine }: DaemonNode): Promise<Standing> {
  const bootId = await machine.host.bootId();
  const known = await machine.services();
  return { bootId, lines: machine.journal.length, services: new Map(known.map((one) => [one.name, one])) };
}

async function deeds(node: DaemonNode, before: Standing): Promise<Deeds> {
  const after = await standing(node);
  const hasRebooted = after.bootId !== before.bootId;
  const touched = [...after.services].flatMap(([name, { starts, reloads }]) => {
    const old = before.services.get(name) ?? { starts: 0, reloads: 0 };
    return [
      ...(starts > old.starts ? [`restart ${name}`] : []),
      ...(reloads > old.reloads ? [`reload ${name}`] : []),
    ];
  });
  // The machine does not count reloads of systemd itself; they are in its journal.
  const hasReloaded = node.machine.journal
    .slice(before.lines)
    .some((line) => line.includes('daemon-reload service reloaded successfully!'));
  return {
    hasDrained: cordoned.has(node.name),
    hasRebooted,
    services: hasRebooted ? [] : [...touched, ...(hasReloaded ? ['daemon-reload'] : [])].sort(),
  };
}

function configOf(name: string, { spec, image: _, ...sections }: Side) {
  const given = { baseOSExtensionsContainerImage: EXTENSIONS, config: aConfig(sections), ...spec };
  return aMachineConfig(name, given, { labels: {} });
}

async function join(name: string, side: Side): Promise<DaemonNode> {
  const first = `rendered-${name}-first`;
  const config = await cluster.addConfig(configOf(first, side));
  await cluster.kube.create(nodeKind, aNode(name, ['worker']));
  const isKnown = async () => (await cluster.kube.get(machineConfigNodeKind, { name })) !== undefined;
  await cluster.until('the operator has seen it', isKnown, MINUTE);
  const kernelArguments = ['rw', ...config.kernelArguments];
  const node = await createDaemonNode({
    env: cluster.env,
    handle: cluster.handle,
    name,
    images: { ...images },
    image: A,
    kernelArguments,
    durations: NO_TIME,
    isQuiet: true,
  });
  nodes.push(node);
  const keys = [annotations.currentConfig, annotations.desiredConfig, annotations.firstPivotConfig];
  await provision(node, config, {
    ...Object.fromEntries(keys.map((key) => [key, first])),
    [annotations.state]: 'Done',
  });
  node.startDaemon();
  await cluster.untilDone(name, first);
  return node;
}

/** As users set it; the operator publishes the merged policies. */
async function setPolicy(policy: NodeDisruptionPolicy | undefined): Promise<void> {
  const place = { name: 'cluster' };
  const find = () => cluster.kube.get(machineConfigurationKind, place);
  await cluster.until('the operator has made it', async () => (await find()) !== undefined, MINUTE);
  const patch = { type: 'merge', body: { spec: { nodeDisruptionPolicy: null } } } as const;
  await cluster.kube.patch(machineConfigurationKind, place, patch);
  if (policy !== undefined) {
    const body = { spec: { nodeDisruptionPolicy: policy } };
    await cluster.kube.patch(machineConfigurationKind, place, { type: 'merge', body });
  }
  const isReported = async () => {
    const found = await find();
    return found?.status?.observedGeneration === found?.metadata.generation;
  };
  await cluster.until('the status shows the policies in force', isReported, MINUTE);
}

function startOperator(): () => Promise<void> {
  const ending = new AbortController();
  const env = { ...cluster.env, signal: ending.signal };
  const transport = createInProcessTransport({
    handle: cluster.handle,
    user: { name: 'admin', groups: ['system:masters'] },
  });
  const caches = createCaches({ transport, env });
  const { kube } = cluster;
  const running = runControllers(
    createOperator({
      kube,
      caches,
      env,
      settings: DEFAULT_SETTINGS,
      release: RELEASE,
      eventsOf: (component) => createEventRecorder({ kube, env, component, namespace: NAMESPACE }),
      metrics: new Metrics(ComponentMetrics.definitions('operator')),
    }),
    { env },
  );
  return async () => {
    ending.abort();
    await cluster.env.clock.resolved(Promise.all([running, caches.stop()]), MINUTE);
  };
}
