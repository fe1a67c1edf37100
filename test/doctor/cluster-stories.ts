/** Components that do not run or fail, and what only shows elsewhere. Each needs a cluster of its own kind. */
import {
  builtInPool,
  controllerConfig as controllerConfigKind,
  machineConfig as machineConfigKind,
  machineConfigPool as machineConfigPoolKind,
  machineConfiguration,
  pinnedImageSet,
} from '../../src/api/index.ts';
import { workloadSettings } from '../../src/embedded/controllers/index.ts';
import { createDaemonSetController } from '../../src/embedded/controllers/workloads/daemon-set-controller.ts';
import { runControllers } from '../../src/kubernetes/client/index.ts';
import {
  configMap as configMapKind,
  customResourceDefinition,
  type DaemonSet,
  type Deployment,
  daemonSet as daemonSetKind,
  deployment as deploymentKind,
  type Lease,
  lease as leaseKind,
  node as nodeKind,
  certificateSigningRequest as requestKind,
} from '../../src/kubernetes/types/index.ts';
import { aMachineConfig, aNode } from '../rollout/build-world.ts';
import { LEASE } from '../rollout/control.ts';
import { cordonAsAdmin } from '../rollout/story-steps.ts';
import { cachesFor } from '../rollout/world-process.ts';
import { aSigningRequest } from '../support/a-certificate-request.ts';
import { clusterOperatorDefinition } from '../support/cluster-operator-definition.ts';
import { signingRequestDefinition } from '../support/signing-requests.ts';
import { aConfig, aFile, type DoctorWorld, MINUTE, startDoctorWorld } from './doctor-world.ts';

import { forbid } from './forbid.ts';
import type { Story } from './run-stories.ts';

const GROUP = 'machineconfiguration.openshift.io';
const { namespace } = LEASE;
const IMAGES = { name: 'machine-config-osimageurl', namespace };

let lift: () => Promise<unknown> = async () => undefined;

export const CLUSTER_STORIES: readonly Story<DoctorWorld>[] = [
  {
    id: 'M-06',
    produce: ({ components }) => components.controller.stop(),
    mend: async ({ startController }) => startController(),
  },
  {
    id: 'M-07',
    produce: ({ components }) => components.operator.stop(),
    mend: async ({ startOperator }) => startOperator(),
  },
  {
    id: 'M-08',
    async produce(scene) {
      lift = await forbid(scene.world, {
        ...{ name: 'no-rendered-configs', group: GROUP, resource: 'machineconfigs', operation: 'CREATE' },
        expression: "!object.metadata.name.startsWith('rendered-worker')",
      });
      await scene.world.apply(aConfig('60-x', aFile('/etc/x', 'x')));
    },
    async mend({ world }) {
      await lift();
      await world.kube.delete(machineConfigKind, { name: '60-x' });
    },
    says: /render MachineConfigPool worker: .*not in this cluster/,
  },
  {
    id: 'M-10',
    async produce({ world }) {
      await world.kube.create(customResourceDefinition, signingRequestDefinition);
      await world.kube.create(requestKind, {
        ...aSigningRequest({ dnsNames: ['elsewhere'] }),
        metadata: { name: 'csr-1' },
      });
    },
    mend: ({ world }) => world.kube.delete(requestKind, { name: 'csr-1' }),
  },
  {
    id: 'M-09',
    async produce({ world }) {
      // The daemons of this cluster are no pods.
      await world.kube.delete(daemonSetKind, { name: 'machine-config-daemon', namespace });
      startDaemonSets(world);
    },
  },
  {
    id: 'M-34',
    async produce({ world }) {
      await serveClusterOperators(world);
      await world.kube.create(configMapKind, {
        ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: IMAGES },
        data: { releaseVersion: '4.98.0', osImageURL: 'registry.example/os@sha256:0' },
      });
    },
    mend: ({ world }) => world.kube.delete(configMapKind, IMAGES),
    limitMs: 30 * MINUTE,
  },
  {
    id: 'M-40',
    async produce({ world }) {
      await serveClusterOperators(world);
      lift = await forbid(world, {
        ...{ name: 'no-policies', group: 'operator.openshift.io', operation: 'UPDATE' },
        ...{ resource: 'machineconfigurations/status', expression: 'false' },
      });
      const files = [{ path: '/etc/y', actions: [{ type: 'None' }] }];
      const body = { spec: { nodeDisruptionPolicy: { files } } };
      await world.kube.patch(machineConfiguration, { name: 'cluster' }, { type: 'merge', body });
    },
    mend: () => lift(),
  },
  {
    id: 'M-32',
    async produce(scene) {
      await scene.components.controller.stop();
      await scene.components.operator.stop();
      const { kube } = scene.world;
      const all = [deploymentKind, daemonSetKind, leaseKind] as const;
      for (const kind of all) {
        const { items } = await kube.list<Deployment | DaemonSet | Lease>(kind, { namespace });
        for (const { metadata } of items) await kube.delete<Deployment | DaemonSet | Lease>(kind, metadata);
      }
    },
  },
];

/** As OpenShift does. */
async function serveClusterOperators({ kube }: DoctorWorld['world']): Promise<void> {
  const { metadata } = clusterOperatorDefinition;
  if ((await kube.get(customResourceDefinition, metadata)) !== undefined) return;
  await kube.create(customResourceDefinition, clusterOperatorDefinition);
}

/** As much of Kubernetes as makes pods of DaemonSets. There are no kubelets that would run them. */
function startDaemonSets(world: DoctorWorld['world']): void {
  world.startOther(async (parts) => {
    const caches = cachesFor(parts);
    const settings = workloadSettings({ authorityPem: '' });
    await runControllers([createDaemonSetController({ ...parts, caches, settings })], { env: parts.env });
    await caches.stop();
  });
}

/** Real daemons, on machines that have no container registry. */
export const MACHINE_STORIES: readonly Story<DoctorWorld>[] = [
  {
    id: 'S3-39',
    produce: ({ world }) =>
      world.kube.create(pinnedImageSet, {
        ...{ apiVersion: `${GROUP}/v1`, kind: 'PinnedImageSet' },
        metadata: { name: 'apps', labels: { [`${GROUP}/role`]: 'worker' } },
        spec: { pinnedImages: [{ name: `r.example.com/a@sha256:${'0'.repeat(64)}` }] },
      }),
    mend: ({ world }) => world.kube.delete(pinnedImageSet, { name: 'apps' }),
    says: /cannot keep the images of PinnedImageSet apps/,
  },
  {
    id: 'S3-41',
    async produce(scene) {
      scene.registry.isHanging = true;
      await scene.world.apply(aConfig('60-os', { osImageURL: scene.registry.image }));
      await scene.pass(50 * MINUTE);
    },
  },
  {
    id: 'M-31',
    async produce(scene) {
      const { kube, env } = scene.world;
      await kube.create(nodeKind, aNode('worker-9', ['worker']));
      await scene.pass(11 * MINUTE);
      const lastHeartbeatTime = `${new Date(env.clock.now()).toISOString().slice(0, 19)}Z`;
      const body = { status: { conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime }] } };
      await kube.patch(nodeKind, { name: 'worker-9' }, { type: 'merge', body }, { subresource: 'status' });
    },
    mend: ({ world }) => world.kube.delete(nodeKind, { name: 'worker-9' }),
    says: /^node worker-9 has no daemon/,
  },
];

const OLDER = { version: 'millwright older', controllerVersion: 'older' };

/** The controllers are of another version than the operator. */
export const startMixedWorld = () =>
  startDoctorWorld({ workers: 1, daemons: 'scripted', release: OLDER, isRendered: false });

export const MIXED_STORIES: readonly Story<DoctorWorld>[] = [
  { id: 'S3-22', produce: ({ pass }) => pass(5 * MINUTE), limitMs: 20 * MINUTE },
];

/** Nothing is rendered, since the operator may not write what renderings begin with. */
export const startBareWorld = () =>
  startDoctorWorld({
    ...{ workers: 1, daemons: 'scripted', isRendered: false },
    before: async (world) => {
      lift = await forbid(world, {
        ...{ name: 'no-controller-config', group: GROUP, resource: 'controllerconfigs', operation: 'CREATE' },
        expression: 'false',
      });
    },
  });

export const BARE_STORIES: readonly Story<DoctorWorld>[] = [
  { id: 'M-35', produce: ({ pass }) => pass(MINUTE) },
];

/** A control plane of two nodes with an arbiter. */
export async function startArbiterWorld(): Promise<DoctorWorld> {
  const scene = await startDoctorWorld({ masters: 2, workers: 1, daemons: 'scripted' });
  const { world } = scene;
  const infra = {
    ...{ apiVersion: 'config.openshift.io/v1', kind: 'Infrastructure', metadata: { name: 'cluster' } },
    ...{ spec: {}, status: { controlPlaneTopology: 'HighlyAvailableArbiter' } },
  };
  const body = { spec: { infra } };
  await world.kube.patch(
    controllerConfigKind,
    { name: 'machine-config-controller' },
    { type: 'merge', body },
  );
  await world.apply(aMachineConfig('00-arbiter', 'arbiter', 'base'));
  await world.kube.create(machineConfigPoolKind, builtInPool('arbiter'));
  await world.kube.create(nodeKind, aNode('arbiter-0', ['arbiter']));
  await world.untilUpdated(['master', 'arbiter', 'worker'], 60 * MINUTE);
  return scene;
}

export const ARBITER_STORIES: readonly Story<DoctorWorld>[] = [
  {
    id: 'M-22',
    async produce(scene) {
      await cordonAsAdmin(scene.world, 'arbiter-0', true);
      await scene.world.apply(aMachineConfig('50-master-motd', 'master', 'hello'));
    },
    mend: ({ world }) => cordonAsAdmin(world, 'arbiter-0', false),
    says: /^pool master sends no node: 1 nodes of pool arbiter are unavailable \(arbiter-0\)/,
  },
  {
    id: 'M-41',
    async produce(scene) {
      await cordonAsAdmin(scene.world, 'master-0', true);
      await scene.world.apply(aMachineConfig('50-arbiter-motd', 'arbiter', 'hello'));
    },
    mend: ({ world }) => cordonAsAdmin(world, 'master-0', false),
  },
];
