/**
 * A cluster in memory and in virtual time with the operator, the controllers and real daemons, and a doctor who looks at it through
 * the API alone. Every request of the doctor is recorded.
 */
import {
  annotations,
  type MachineConfig,
  type MachineConfigPool,
  machineConfig as machineConfigKind,
  machineConfigPool as machineConfigPoolKind,
} from '../../src/api/index.ts';
import { Failure } from '../../src/base/errors.ts';
import { readDoctorSources } from '../../src/cli/doctor/doctor-sources.ts';
import { listFleet, snapshotOf } from '../../src/cli/fleet-source.ts';
import { ClusterSession } from '../../src/cli/objects/cluster-session.ts';
import type { RegistryHandler } from '../../src/embedded/registry/registry-http.ts';
import { type Diagnosis, diagnose, fleetStatus, type Subject, withCauses } from '../../src/insight/index.ts';
import {
  createInProcessTransport,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from '../../src/kubernetes/client/index.ts';
import { node as nodeKind } from '../../src/kubernetes/types/index.ts';
import { readNodeConfig } from '../../src/node/plan/index.ts';
import {
  createDaemonNode,
  type DaemonNode,
  NO_TIME,
  type NodeOptions,
  OLD_OS,
  osImages,
  provision,
} from '../daemon/daemon-node.ts';
import { createImageRegistry } from '../daemon/image-registry.ts';
import { anImage } from '../host/an-image.ts';
import {
  type Component,
  controlAsLeader,
  controllers,
  LEASE,
  OPERATOR_LEASE,
  operator,
  type RELEASE,
} from '../rollout/control.ts';
import { target } from '../rollout/story-steps.ts';
import { LEASE_SETTINGS, startWorld, type World } from '../rollout/world.ts';
import type { Running } from '../rollout/world-process.ts';

export const MINUTE = 60_000;

export type DoctorWorld = {
  readonly world: World;
  /** The machines of the pool worker. */
  readonly machines: readonly DaemonNode[];
  /** The processes of our components. */
  readonly components: { controller: Running; operator: Running };
  /** What stands between our components and the API server: an answer in its place. */
  readonly interference: { answer?: (request: TransportRequest) => TransportResponse | undefined };
  readonly startController: () => void;
  readonly startOperator: () => void;
  readonly diagnose: (subject?: Subject) => Promise<Diagnosis>;
  /** The codes that `millwright status` shows at this moment. */
  readonly statusCodes: () => Promise<readonly string[]>;
  /** `GET /api/v1/nodes` … of all diagnoses. */
  readonly requests: readonly string[];
  /** An OS image in a registry, and what stands between it and the nodes. */
  readonly registry: {
    readonly image: string;
    wrap: Wrap;
    pullError: string;
    isHanging: boolean;
    lacksPackages: boolean;
  };
  readonly pass: (ms: number) => Promise<void>;
  readonly until: (what: string, holds: () => Promise<boolean>, limitMs?: number) => Promise<void>;
  /** Resolves once all nodes are updated. */
  readonly settle: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

export type Wrap = (handle: RegistryHandler) => RegistryHandler;

type Options = {
  readonly masters?: number;
  readonly workers?: number;
  /** Of the machines of the pool worker; by default real ones. Those of masters are scripted. */
  readonly daemons?: 'real' | 'scripted';
  /** Of the controllers, where it is not that of the operator. */
  readonly release?: Partial<typeof RELEASE>;
  /** Where nothing is ever rendered, nothing waits for it. */
  readonly isRendered?: boolean;
  /** What happens before our components start. */
  readonly before?: (world: World) => Promise<void>;
};

/** Scripted daemons, which are faster: for what happens elsewhere. */
export const startScriptedWorld = () => startDoctorWorld({ masters: 1, daemons: 'scripted' });

export async function startDoctorWorld(options: Options = {}): Promise<DoctorWorld> {
  const { masters = 0, workers = 3, daemons = 'real', release, isRendered = true } = options;
  const world = await startWorld({ masters, workers });
  await options.before?.(world);
  const interference: DoctorWorld['interference'] = {};
  const lead = (component: Component, lease: typeof LEASE, identity: string) =>
    world.startOther(
      (parts) =>
        controlAsLeader(parts, {
          ...{ identity, lease, settings: LEASE_SETTINGS, component },
          ...(release && component === controllers && { options: { release } }),
        }),
      (connection) => ({
        send: async (request) => interference.answer?.(request) ?? (await connection.send(request)),
      }),
    );
  const startController = () => lead(controllers, LEASE, 'machine-config-controller-0_1');
  const startOperator = () => lead(operator, OPERATOR_LEASE, 'machine-config-operator-0_1');
  const components = { controller: startController(), operator: startOperator() };
  const hasTarget = async () => {
    const pool = await world.kube.get(machineConfigPoolKind, { name: 'worker' });
    return (pool?.spec.configuration?.name ?? '') !== '';
  };
  if (isRendered) await world.until('the pool has a config', hasTarget, 2 * MINUTE);
  const registry: DoctorWorld['registry'] = {
    ...{ image: '', wrap: (handle) => handle },
    ...{ pullError: '', isHanging: false, lacksPackages: false },
  };
  const served = await createImageRegistry(world.env, (handle) => registry.wrap(handle));
  Object.assign(registry, { image: served.image });
  const pullerFor: NonNullable<NodeOptions['pullerFor']> = (host) => async (reference) => {
    // As a program that pulls and never returns.
    if (registry.isHanging) await new Promise(() => undefined);
    if (registry.pullError !== '') throw new Failure('stalled', 'PullFailed', registry.pullError);
    return await served.images.pullerFor(host)(reference);
  };
  const osFor: NonNullable<NodeOptions['osFor']> = ({ os }) => ({
    ...os,
    installed: async (packages) => (registry.lacksPackages ? [] : await os.installed(packages)),
  });
  const machines = daemons === 'real' ? await startMachines(world, workers, { pullerFor, osFor }) : [];
  if (daemons === 'scripted') await world.startDaemons();
  const doctor = createDoctor(world);
  const pass = (ms: number) => world.env.clock.advance(ms);
  const until: DoctorWorld['until'] = (what, holds, limitMs = 30 * MINUTE) =>
    world.until(what, holds, limitMs);
  const pools = ['worker', ...(masters > 0 ? ['master'] : [])];
  if (isRendered) await world.untilUpdated(pools, 5 * MINUTE);
  return {
    ...{ world, machines, components, interference, registry, pass, until },
    startController: () => {
      components.controller = startController();
    },
    startOperator: () => {
      components.operator = startOperator();
    },
    ...doctor,
    async settle() {
      // What was taken back is rendered after a moment.
      await pass(10_000);
      await world.untilUpdated(pools, 60 * MINUTE);
    },
    async stop() {
      for (const machine of machines) machine.stopDaemon();
      await world.stop();
    },
  };
}

type Doctor = Pick<DoctorWorld, 'diagnose' | 'statusCodes' | 'requests'>;

/** As the command reads a cluster, with the rights of an administrator. */
export function createDoctor({ server, env }: Pick<World, 'server' | 'env'>): Doctor {
  const requests: string[] = [];
  const admin = createInProcessTransport({
    handle: server.handle,
    user: { name: 'admin', groups: ['system:masters'] },
  });
  const transport: Transport = {
    send: (request) => {
      requests.push(`${request.method} ${request.path}${request.query === '' ? '' : `?${request.query}`}`);
      return admin.send(request);
    },
  };
  const session = () =>
    new ClusterSession({ transport, clock: env.clock, namespace: 'default', warn: () => undefined });
  return {
    requests,
    diagnose: async (subject) => {
      const { snapshot, namespace } = await readDoctorSources(session());
      return diagnose(snapshot, { namespace, subject });
    },
    statusCodes: async () => {
      const fleet = snapshotOf(await listFleet(transport, env), env.clock.now());
      const { cause, pools } = withCauses(fleetStatus(fleet), fleet);
      return [cause, ...pools.map((pool) => pool.cause)].filter((code) => code !== undefined);
    },
  };
}

/** An image with the packages of an extension. */
export const EXTENSIONS = 'registry.example/extensions:1';
const extensions = anImage({
  digest: 'e',
  files: { '/usr/share/rpm-ostree/extensions/usbguard-1.rpm': 'usbguard' },
});

async function startMachines(
  world: World,
  workers: number,
  options: Required<Pick<NodeOptions, 'osFor' | 'pullerFor'>>,
): Promise<readonly DaemonNode[]> {
  const name = await target(world, 'worker');
  const config = readNodeConfig(await world.kube.get(machineConfigKind, { name }));
  if (config.kind !== 'ok') throw new Error(JSON.stringify(config.problems));
  const machines: DaemonNode[] = [];
  for (let index = 0; index < workers; index++) {
    const worker = `worker-${index}`;
    const machine = await createDaemonNode({
      ...{ env: world.env, handle: world.server.handle, name: worker, seed: 100 + index },
      ...{
        images: { ...osImages(), [EXTENSIONS]: extensions },
        image: OLD_OS,
        durations: { ...NO_TIME, bootMs: 30_000 },
      },
      ...options,
    });
    reportPower(world, machine);
    await provision(machine, config.value, {
      [annotations.currentConfig]: name,
      [annotations.desiredConfig]: name,
      [annotations.state]: 'Done',
    });
    machines.push(machine);
    machine.startDaemon();
  }
  return machines;
}

/** As much of a kubelet as the doctor looks at: whether it is there, and since when. */
function reportPower(world: World, { name, machine }: DaemonNode): void {
  machine.onPower(({ kind }) => {
    setReady(world, name, kind === 'up').catch(() => undefined);
  });
}

export async function setReady({ kube, env }: World, name: string, isReady: boolean): Promise<void> {
  const ready = {
    type: 'Ready',
    status: isReady ? 'True' : 'Unknown',
    reason: isReady ? 'KubeletReady' : 'NodeStatusUnknown',
    message: isReady ? 'kubelet is posting ready status' : 'Kubelet stopped posting node status.',
    lastTransitionTime: `${new Date(env.clock.now()).toISOString().slice(0, 19)}Z`,
  };
  const body = { status: { conditions: [ready] } };
  await kube.patch(nodeKind, { name }, { type: 'merge', body }, { subresource: 'status' });
}

/** A MachineConfig with any fields, for workers. */
export function aConfig(name: string, spec: object, role = 'worker'): MachineConfig {
  return {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfig',
    metadata: { name, labels: { 'machineconfiguration.openshift.io/role': role } },
    spec: { config: { ignition: { version: '3.4.0' } }, ...spec },
  };
}

export function aFile(path: string, text: string): object {
  const source = `data:,${encodeURIComponent(text)}`;
  return {
    config: {
      ignition: { version: '3.4.0' },
      storage: { files: [{ path, mode: 0o644, contents: { source } }] },
    },
  };
}

export function aPool(name: string, roles: readonly string[], spec: object = {}): MachineConfigPool {
  const key = 'machineconfiguration.openshift.io/role';
  return {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfigPool',
    metadata: { name, labels: { [`pools.operator.machineconfiguration.openshift.io/${name}`]: '' } },
    spec: {
      machineConfigSelector: { matchExpressions: [{ key, operator: 'In', values: [...roles] }] },
      nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${name}`]: '' } },
      ...spec,
    },
  };
}

export function setRole(world: World, node: string, role: string): Promise<void> {
  return label(world, node, role, '');
}

export function removeRole(world: World, node: string, role: string): Promise<void> {
  return label(world, node, role, null);
}

async function label({ kube }: World, name: string, role: string, value: string | null): Promise<void> {
  const body = { metadata: { labels: { [`node-role.kubernetes.io/${role}`]: value } } };
  await kube.patch(nodeKind, { name }, { type: 'merge', body });
}

/** The answer of an API server that refuses a request, as a webhook makes it. */
export function refusal(message: string, code = 403): TransportResponse {
  const status = {
    ...{ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', reason: 'Forbidden' },
    ...{ message, code },
  };
  return {
    status: code,
    headers: { 'content-type': 'application/json' },
    body: (async function* () {
      yield new TextEncoder().encode(JSON.stringify(status));
    })(),
  };
}
