/** OS images that are not built: real controllers, Jobs and registry; the pods of builds end as their scripts say. */
import {
  annotations,
  machineConfigPool as machineConfigPoolKind,
  machineOSConfig as machineOSConfigKind,
  NAMESPACE,
} from '../../src/api/index.ts';
import { node as nodeKind, secret as secretKind } from '../../src/kubernetes/types/index.ts';
import { aConfig, type ConfigChange, createPushSecret, HOST } from '../builds/build-cluster.ts';
import type { PodOutcome } from '../builds/pod-player.ts';
import type { BuildScene } from './build-scene.ts';
import { aPool, MINUTE } from './doctor-world.ts';
import { forbid } from './forbid.ts';
import type { Story } from './run-stories.ts';

/** Configures the pool, with a builder. */
async function configure({ cluster, startBuilder }: BuildScene, change: ConfigChange = {}): Promise<void> {
  startBuilder();
  await cluster.configure(change);
}

/** A MachineOSConfig with other fields in its spec. */
async function configureWith(
  { cluster, startBuilder }: BuildScene,
  spec: object,
  name = 'infra',
): Promise<void> {
  startBuilder();
  const config = aConfig({ name });
  await cluster.world.kube.create(machineOSConfigKind, { ...config, spec: { ...config.spec, ...spec } });
}

async function removeSecret({ cluster }: BuildScene): Promise<void> {
  await cluster.world.kube.delete(secretKind, { name: 'push', namespace: NAMESPACE });
}

/** The push secret with other contents. */
async function replaceSecret(scene: BuildScene, contents: object): Promise<void> {
  await removeSecret(scene);
  await scene.cluster.world.kube.create(secretKind, {
    ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'push', namespace: NAMESPACE } },
    ...contents,
  });
}

const BASE = `${HOST}/base/os@sha256:${'a'.repeat(64)}`;
const FROM = `STEP 1/9: FROM ${BASE} AS extract: creating build container: initializing source docker://${BASE}`;

/** All attempts of the build end so. */
function endsWith(
  id: string,
  outcome: PodOutcome,
  { isLasting = false, ...more }: Partial<Story<BuildScene>> & { readonly isLasting?: boolean } = {},
): Story<BuildScene> {
  return {
    id,
    async produce(scene) {
      scene.cluster.script.outcome = () => outcome;
      await configure(scene);
    },
    // A pod that never ends keeps its build for an hour.
    ...(isLasting ? {} : { mend: (scene) => mendBuild(scene, id) }),
    limitMs: 40 * MINUTE,
    ...more,
  };
}

async function mendBuild({ cluster, stopBuilder }: BuildScene, id: string): Promise<void> {
  cluster.script.outcome = () => ({ kind: 'succeeds' });
  // New credentials are a reason to try again.
  await createPushSecret(cluster.world, `again for ${id}`);
  await cluster.untilBuilt();
  await cluster.world.kube.delete(machineOSConfigKind, { name: 'infra' });
  await stopBuilder();
}

const fails = (message: string): PodOutcome => ({ kind: 'fails', message });
const reports = (status: object): PodOutcome => ({ kind: 'reports', status });
const terminated = (name: string, exitCode: number, message?: string) => ({
  ...{ name, ready: false, restartCount: 0, image: 'i', imageID: '' },
  state: { terminated: { exitCode, reason: 'Error', ...(message && { message }) } },
});

export const BUILD_STORIES: readonly Story<BuildScene>[] = [
  {
    id: 'S1-03',
    produce: (scene) => configureWith(scene, { renderedImagePushSpec: `${HOST}/OS/infra:latest` }),
  },
  {
    id: 'S1-05',
    produce: (scene) => configureWith(scene, { machineConfigPool: { name: 'nopool' } }, 'nopool'),
  },
  {
    id: 'S1-06',
    async produce(scene) {
      await removeSecret(scene);
      await configure(scene);
    },
  },
  {
    id: 'S1-07',
    async produce(scene) {
      await replaceSecret(scene, { type: 'Opaque', data: { a: 'Yg==' } });
      await configure(scene);
    },
  },
  {
    id: 'S1-08',
    async produce(scene) {
      const data = { '.dockerconfigjson': btoa('{"auths": {"a": {"auth": 7}}}') };
      await replaceSecret(scene, { type: 'kubernetes.io/dockerconfigjson', data });
      await configure(scene);
    },
  },
  {
    id: 'S1-09',
    async produce(scene) {
      const status = { nodeInfo: { osImage: 'Ubuntu 24.04', architecture: 'amd64' } };
      const patch = { type: 'merge', body: { status } } as const;
      const { kube } = scene.cluster.world;
      await kube.patch(nodeKind, { name: 'worker-1' }, patch, { subresource: 'status' });
      await configure(scene);
    },
  },
  {
    id: 'S1-11',
    produce: (scene) =>
      configureWith(scene, {
        containerFile: [{ containerfileArch: 'ARM64', content: 'FROM configs AS final' }],
      }),
  },
  { id: 'S1-12', produce: ({ cluster }) => cluster.configure(), limitMs: 10 * MINUTE },
  {
    id: 'S1-13',
    produce: (scene) =>
      configure(scene, { annotations: { [annotations.preBuiltImage]: `${HOST}/os/infra:tag` } }),
  },
  {
    id: 'S1-14',
    async produce(scene) {
      const image = await scene.cluster.pushImage('seed');
      await removeSecret(scene);
      await configure(scene, { annotations: { [annotations.preBuiltImage]: image } });
    },
  },
  { id: 'S2-03', produce: (scene) => configure(scene, { content: 'RUM dnf' }), says: /line 2/ },
  endsWith(
    'S2-04',
    fails(
      `${FROM}: unable to retrieve auth token: invalid username/password: unauthorized: authentication required`,
    ),
  ),
  endsWith(
    'S2-05',
    fails(`${FROM}: reading manifest sha256:${'a'.repeat(64)} in ${HOST}/base/os: manifest unknown`),
  ),
  endsWith(
    'M-37',
    fails(
      `${FROM}: pinging container registry ${HOST}: Get "https://${HOST}/v2/": dial tcp: lookup registry.example: no such host`,
    ),
  ),
  endsWith(
    'S2-06',
    fails('STEP 9/10: RUN install nosuch: exit status 1: install: package nosuch not found'),
    {
      says: /a step of its Containerfile failed: STEP 9\/10: RUN install nosuch/,
    },
  ),
  endsWith(
    'S2-08',
    fails('STEP 6/10: RUN rpm-ostree install usbguard: exit status 1: error: Packages not found: usbguard'),
  ),
  {
    id: 'S2-09',
    async produce(scene) {
      await scene.cluster.render('rendered-infra-2', { kernelType: '64k-pages' });
      await configure(scene);
    },
  },
  {
    id: 'S2-10',
    async produce(scene) {
      scene.cluster.outage.refusesPush = true;
      await configure(scene);
    },
    says: /denied/,
  },
  {
    id: 'S2-11',
    async produce(scene) {
      scene.cluster.outage.isDown = true;
      await configure(scene);
    },
    says: /no such host/,
  },
  endsWith(
    'S2-12',
    fails(
      'pushing the image: trying to reuse blob sha256:0 at destination: checking whether a blob sha256:0 exists: authentication required',
    ),
  ),
  endsWith(
    'S2-13',
    reports({
      phase: 'Failed',
      containerStatuses: [
        terminated(
          'create-digest-configmap',
          1,
          'configmaps "digest-infra" is forbidden: User "x" cannot patch resource "configmaps"',
        ),
      ],
    }),
  ),
  {
    id: 'S2-15',
    produce: (scene) => configureWith(scene, { renderedImagePushSpec: `${HOST}/a/b/c/infra:latest` }),
  },
  endsWith(
    'S2-16',
    reports({
      phase: 'Pending',
      conditions: [
        {
          ...{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' },
          message: '0/2 nodes are available: 2 Insufficient ephemeral-storage.',
        },
      ],
    }),
    { says: /Insufficient ephemeral-storage/, isLasting: true },
  ),
  endsWith(
    'S2-17',
    reports({
      phase: 'Pending',
      initContainerStatuses: [
        {
          ...{ name: 'image-build', ready: false, restartCount: 0, image: 'i', imageID: '' },
          state: { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image "i"' } },
        },
      ],
    }),
    { isLasting: true },
  ),
  {
    id: 'S2-18',
    async produce(scene) {
      await forbid(scene.cluster.world, {
        ...{ name: 'no-build-pods', group: '', resource: 'pods', operation: 'CREATE' },
        expression:
          "!has(object.metadata.labels) || !('batch.kubernetes.io/job-name' in object.metadata.labels)",
      });
      await configure(scene);
    },
  },
  endsWith(
    'S2-19',
    reports({
      phase: 'Failed',
      reason: 'Evicted',
      message: 'The node was low on resource: ephemeral-storage.',
    }),
  ),
  {
    id: 'S2-20',
    async produce(scene) {
      scene.cluster.script.outcome = () => ({ kind: 'hangs' });
      await configure(scene);
      await scene.pass(55 * MINUTE);
    },
  },
  endsWith('S2-21', reports({ phase: 'Failed', initContainerStatuses: [terminated('image-build', 137)] })),
  {
    id: 'S2-25',
    async produce(scene) {
      const noise = Array.from({ length: 500_000 }, (_, at) => ((at * 7919) ^ (at >> 3)).toString(36)).join(
        '',
      );
      const files = [{ path: '/etc/noise', contents: { source: `data:,${noise.slice(0, 1_400_000)}` } }];
      const config = { ignition: { version: '3.5.0' }, storage: { files } };
      await scene.cluster.render('rendered-infra-2', { config });
      await configure(scene);
    },
  },
  {
    id: 'S2-26',
    async produce(scene) {
      const name = 'a-pool-with-a-very-long-name';
      await scene.cluster.world.kube.create(machineConfigPoolKind, aPool(name, ['worker', name]));
      const configuration = { name: 'rendered-infra-1' };
      const patch = { type: 'merge', body: { spec: { configuration } } } as const;
      await scene.cluster.world.kube.patch(machineConfigPoolKind, { name }, patch);
      await configureWith(scene, { machineConfigPool: { name } }, name);
    },
  },
  {
    id: 'S2-31',
    async produce(scene) {
      await configure(scene);
      await scene.cluster.untilBuilt();
      scene.cluster.script.outcome = () => fails('STEP 9/10: RUN false: exit status 1');
      await scene.cluster.configure({ content: 'RUN false' });
    },
    limitMs: 40 * MINUTE,
  },
  {
    id: 'S2-32',
    async produce(scene) {
      scene.cluster.script.podMs = 10 * MINUTE;
      await configure(scene);
      await scene.pass(MINUTE);
      await scene.stopBuilder();
    },
    limitMs: 15 * MINUTE,
  },
  {
    id: 'M-38',
    async produce(scene) {
      await removeSecret(scene);
      await forbid(scene.cluster.world, {
        ...{ name: 'no-status', group: 'machineconfiguration.openshift.io', operation: 'UPDATE' },
        ...{ resource: 'machineosconfigs/status', expression: 'false' },
      });
      await configure(scene);
    },
  },
  {
    id: 'M-01',
    async produce(scene) {
      await configure(scene);
      await scene.cluster.untilBuilt();
      await scene.cluster.createRival('a-infra');
    },
  },
  {
    id: 'M-02',
    async produce(scene) {
      await scene.cluster.render('rendered-infra-2', { osImageURL: '' });
      await configure(scene);
    },
  },
];
