/**
 * A cluster in memory and in virtual time whose nodes run real daemons, and what happens on it, read from the outside: writes to
 * Nodes and Jobs as the store has them, boot ids, OS images, services and journals of the machines. Nothing here uses a function
 * of the plan.
 */
import { annotations, machineConfig as machineConfigKind } from '../../src/api/index.ts';
import { isObject, own } from '../../src/base/json.ts';
import { node as nodeKind } from '../../src/kubernetes/types/index.ts';
import type { PullImage } from '../../src/node/host/index.ts';
import { readNodeConfig } from '../../src/node/plan/index.ts';
import { createDaemonNode, type DaemonNode, NO_TIME, provision } from '../daemon/daemon-node.ts';
import { anImage } from '../host/an-image.ts';
import type { World } from '../rollout/build-world.ts';
import { target } from '../rollout/story-steps.ts';
import { startWorld } from '../rollout/world.ts';
import { A, B } from '../support/change-corpus.ts';
import type { Deeds } from './prediction.ts';

export const MINUTE = 60_000;
/** Another OS image than those of the corpus. */
export const C = `registry.example/os@sha256:${'c'.repeat(64)}`;
export const EXTENSIONS = 'registry.example/extensions:1';

const SERVICE =
  '[Service]\nExecStart=/usr/bin/true\nExecReload=/usr/bin/true\n[Install]\nWantedBy=multi-user.target\n';
const services = ['kubelet', 'coreos-update-ca-trust', 'sshd', 'foo'].map((name) => `${name}.service`);
/** Of every OS image. */
export const OS_FILES = {
  // Of the base configs' kubelet.
  '/etc/os-release': '-> ../usr/lib/os-release',
  ...Object.fromEntries(
    services.flatMap((name) => [
      [`/usr/lib/systemd/system/${name}`, SERVICE],
      [`/usr/lib/systemd/system/multi-user.target.wants/${name}`, `-> ../${name}`],
    ]),
  ),
};
const packages = [
  'usbguard',
  ...['NetworkManager-libreswan', 'libreswan', 'openvswitch3.5-ipsec'],
  ...['core', 'modules', 'modules-extra', 'kvm'].map((part) => `kernel-rt-${part}`),
];
const rpms = Object.fromEntries(
  packages.map((name) => [`/usr/share/rpm-ostree/extensions/${name}-1.rpm`, name]),
);
const images = {
  [A]: anImage({ digest: 'a', files: OS_FILES }),
  [B]: anImage({ digest: 'b', files: OS_FILES }),
  [C]: anImage({ digest: 'c', files: OS_FILES }),
  [EXTENSIONS]: anImage({ digest: 'e', files: rpms }),
};

export type PlannedCluster = {
  readonly world: World;
  readonly nodes: readonly DaemonNode[];
  /** What has happened since it was last asked. */
  readonly happened: () => Promise<Happened>;
  readonly stop: () => Promise<void>;
};

export type Happened = {
  /** In the order in which they got another target. */
  readonly targeted: readonly string[];
  /** By node, only those on which anything happened. */
  readonly nodes: { readonly [name: string]: Deeds };
  /** Jobs that have succeeded, in order: the builds of OS images. One that is superseded before its end gives no image. */
  readonly jobs: readonly string[];
  /** Nodes that got another target while such a Job had not ended. */
  readonly targetedDuringJobs: readonly string[];
  /** By node: the OS image that it has booted; all nodes. */
  readonly booted: { readonly [name: string]: string };
};

type PlannedClusterOptions = {
  readonly workers: number;
  /** Pulls OS images beside those that are known here. */
  readonly pullFor?: (world: World) => PullImage;
};

export async function startPlannedCluster({
  workers,
  pullFor,
}: PlannedClusterOptions): Promise<PlannedCluster> {
  const world = await startWorld({ masters: 0, workers });
  const names = Array.from({ length: workers }, (_, index) => `worker-${index}`);
  const nodeInfo = {
    osImage: 'Red Hat Enterprise Linux CoreOS 9',
    containerRuntimeVersion: 'cri-o://1.33.1',
    architecture: 'amd64',
  };
  for (const name of names) {
    const patch = { type: 'merge', body: { status: { nodeInfo } } } as const;
    await world.kube.patch(nodeKind, { name }, patch, { subresource: 'status' });
  }
  const watched = watchStore(world);
  const pull = pullFor?.(world);
  await world.startControllers();
  const hasTarget = async () => {
    const pool = (await world.pools()).find(({ metadata }) => metadata.name === 'worker');
    return (pool?.spec.configuration?.name ?? '') !== '';
  };
  await world.until('the pool has a config', hasTarget, 2 * MINUTE);
  const config = await world.kube.get(machineConfigKind, { name: await target(world, 'worker') });
  const outcome = readNodeConfig(config);
  if (outcome.kind !== 'ok') throw new Error(JSON.stringify(outcome.problems));
  const nodes: DaemonNode[] = [];
  for (const name of names) {
    const node = await createDaemonNode({
      ...{ env: world.env, handle: world.server.handle, name, images: { ...images }, image: A },
      ...{ durations: NO_TIME, isQuiet: true },
      ...(pull === undefined ? {} : { pullerFor: () => pull }),
    });
    await provision(node, outcome.value, {
      [annotations.currentConfig]: outcome.value.name,
      [annotations.desiredConfig]: outcome.value.name,
      [annotations.state]: 'Done',
    });
    nodes.push(node);
    node.startDaemon();
  }
  await world.untilUpdated(['worker'], 5 * MINUTE);
  let before = await standings(nodes);
  watched.take();
  return {
    world,
    nodes,
    async happened() {
      const { targeted, cordoned, jobs, targetedDuringJobs } = watched.take();
      const after = await standings(nodes);
      const all = nodes.map(({ name }) => {
        const deeds = deedsOf(before.get(name), after.get(name), cordoned.has(name));
        return [name, deeds] as const;
      });
      before = after;
      return {
        ...{ targeted, jobs, targetedDuringJobs },
        nodes: Object.fromEntries(all.filter(([name]) => targeted.includes(name))),
        booted: Object.fromEntries([...after].map(([name, { osImage }]) => [name, osImage])),
      };
    },
    async stop() {
      for (const node of nodes) node.stopDaemon();
      await world.stop();
    },
  };
}

/** Where the store has Jobs. */
const JOBS = 'batch/jobs/';

/** Which nodes got another target, which were cordoned, and which Jobs there were, as the store has it. */
function watchStore({ store }: World) {
  let targeted: string[] = [];
  let cordoned = new Set<string>();
  let jobs: string[] = [];
  let targetedDuringJobs: string[] = [];
  const running = new Set<string>();
  const from = store.revision();
  store.subscribe({ prefix: '/nodes/', from }, (event) => {
    if (event.kind !== 'put' || event.previous === undefined) return;
    const [now, before] = [parsed(event.value), parsed(event.previous.value)];
    const name = event.key.slice('/nodes/'.length);
    const desired = (node: unknown) =>
      [annotations.desiredConfig, annotations.desiredImage]
        .map((key) => at(node, 'metadata', 'annotations', key) ?? '')
        .join(' ');
    if (desired(now) !== desired(before)) {
      if (!targeted.includes(name)) targeted.push(name);
      if (running.size > 0) targetedDuringJobs.push(name);
    }
    if (at(now, 'spec', 'unschedulable') === true) cordoned.add(name);
  });
  store.subscribe({ prefix: JOBS, from }, (event) => {
    const name = event.key.slice(event.key.lastIndexOf('/') + 1);
    if (event.kind !== 'put') {
      running.delete(name);
      return;
    }
    if (event.previous === undefined) running.add(name);
    if (at(parsed(event.value), 'status', 'succeeded') === 1 && running.delete(name)) jobs.push(name);
  });
  return {
    take() {
      const taken = { targeted, cordoned, jobs, targetedDuringJobs };
      targeted = [];
      cordoned = new Set();
      jobs = [];
      targetedDuringJobs = [];
      return taken;
    },
  };
}

function parsed(bytes: Uint8Array): unknown {
  return JSON.parse(new TextDecoder().decode(bytes));
}

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((found, key) => (isObject(found) ? own(found, key) : undefined), value);
}

type Standing = {
  readonly bootId: string;
  readonly osImage: string;
  readonly journal: readonly string[];
  readonly services: ReadonlyMap<string, { readonly starts: number; readonly reloads: number }>;
};

async function standings(nodes: readonly DaemonNode[]): Promise<ReadonlyMap<string, Standing>> {
  const all = await Promise.all(
    nodes.map(async ({ name, machine }) => {
      const known = await machine.services();
      const deployments = await machine.host.os.deployments();
      const standing = {
        bootId: await machine.host.bootId(),
        osImage: deployments.find(({ isBooted }) => isBooted)?.image ?? '',
        journal: [...machine.journal],
        services: new Map(known.map((one) => [one.name, one])),
      };
      return [name, standing] as const;
    }),
  );
  return new Map(all);
}

/** The journal keeps its last lines alone, so its length does not tell what is new. */
function newLines(before: readonly string[], after: readonly string[]): readonly string[] {
  const known = JSON.stringify(before.slice(-3));
  for (let end = after.length; end > 0; end--) {
    if (JSON.stringify(after.slice(Math.max(0, end - 3), end)) === known) return after.slice(end);
  }
  return after;
}

function deedsOf(before: Standing | undefined, after: Standing | undefined, isDrained: boolean): Deeds {
  const isRebooted = before?.bootId !== after?.bootId;
  const touched = [...(after?.services ?? [])].flatMap(([name, { starts, reloads }]) => {
    const old = before?.services.get(name) ?? { starts: 0, reloads: 0 };
    return [
      ...(starts > old.starts ? [`restart ${name}`] : []),
      ...(reloads > old.reloads ? [`reload ${name}`] : []),
    ];
  });
  const lines = newLines(before?.journal ?? [], after?.journal ?? []);
  const hasReloaded = lines.some((line) => line.includes('daemon-reload service reloaded successfully!'));
  return {
    isDrained,
    isRebooted,
    services: isRebooted ? [] : [...touched, ...(hasReloaded ? ['reload systemd'] : [])].sort(),
  };
}
