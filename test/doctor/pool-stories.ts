/** Pools that are not rendered or send no node, and declared objects that have no effect. */
import {
  clusterImagePolicy,
  containerRuntimeConfig,
  imageDigestMirrorSet,
  image as imageKind,
  imagePolicy,
  imageTagMirrorSet,
  kubeletConfig,
  machineConfig as machineConfigKind,
  machineConfigPool as machineConfigPoolKind,
  pinnedImageSet,
} from '../../src/api/index.ts';
import { patchPool } from '../rollout/story-steps.ts';
import type { World } from '../rollout/world.ts';
import { aClusterImagePolicy, anIdms, anImagePolicy, anItms } from '../support/build-registries.ts';
import { aConfig, aPool, type DoctorWorld, MINUTE, removeRole, setRole } from './doctor-world.ts';
import { change } from './drain-stories.ts';
import type { Story } from './run-stories.ts';

const GROUP = 'machineconfiguration.openshift.io';
const WORKERS = { matchLabels: { [`pools.operator.${GROUP}/worker`]: '' } };

async function createPool({ kube }: World, name: string, spec: object = {}): Promise<void> {
  await kube.create(machineConfigPoolKind, aPool(name, ['worker', name], spec));
}

async function deletePool({ kube }: World, name: string): Promise<void> {
  await kube.delete(machineConfigPoolKind, { name });
}

/** Its version of Ignition does not exist. */
export const badConfig = aConfig('60-bad', { config: { ignition: { version: '9.9.9' } } });

export const POOL_STORIES: readonly Story<DoctorWorld>[] = [
  {
    id: 'S3-20',
    async produce(scene) {
      await patchPool(scene.world, 'worker', { paused: true });
      await change(scene);
    },
    mend: ({ world }) => patchPool(world, 'worker', { paused: false }),
    says: /^pool worker is paused, and 3 nodes wait for rendered-worker-/,
  },
  {
    id: 'S3-21',
    produce: ({ world }) => world.apply(aConfig('60-bad', { config: { ignition: { version: '9.9.9' } } })),
    mend: ({ world }) => world.kube.delete(machineConfigKind, { name: '60-bad' }),
    says: /in MachineConfig 60-bad/,
  },
  {
    id: 'M-33',
    async produce({ world }) {
      await world.apply({
        ...badConfig,
        metadata: { name: '60-bad', labels: { [`${GROUP}/role`]: 'infra' } },
      });
      await createPool(world, 'infra');
    },
    async mend({ world }) {
      await deletePool(world, 'infra');
      await world.kube.delete(machineConfigKind, { name: '60-bad' });
    },
    says: /^the config of pool infra cannot be rendered/,
  },
  {
    id: 'S3-23',
    async produce({ world }) {
      for (const name of ['edge', 'infra']) {
        await createPool(world, name);
        await setRole(world, 'worker-0', name);
      }
    },
    async mend({ world }) {
      for (const name of ['edge', 'infra']) {
        await removeRole(world, 'worker-0', name);
        await deletePool(world, name);
      }
    },
    says: /the custom pools edge and infra both select it/,
  },
  {
    id: 'S3-24',
    async produce({ world }) {
      await createPool(world, 'infra');
      await setRole(world, 'master-0', 'infra');
    },
    async mend({ world }) {
      await removeRole(world, 'master-0', 'infra');
      await deletePool(world, 'infra');
    },
  },
  {
    id: 'M-29',
    async produce({ world }) {
      await setRole(world, 'worker-2', 'storage');
      await removeRole(world, 'worker-2', 'worker');
    },
    async mend({ world }) {
      await setRole(world, 'worker-2', 'worker');
      await removeRole(world, 'worker-2', 'storage');
    },
  },
  {
    id: 'S3-25',
    produce: ({ world }) => createPool(world, 'infra', { nodeSelector: {} }),
    mend: ({ world }) => deletePool(world, 'infra'),
  },
  {
    id: 'M-20',
    produce: ({ world }) => patchPool(world, 'worker', { maxUnavailable: 'some' }),
    mend: ({ world }) => patchPool(world, 'worker', { maxUnavailable: 1 }),
  },
  {
    id: 'M-21',
    produce: ({ world }) =>
      createPool(world, 'infra', {
        nodeSelector: { matchExpressions: [{ key: 'a', operator: 'In', values: [] }] },
      }),
    mend: ({ world }) => deletePool(world, 'infra'),
  },
  {
    id: 'M-15',
    async produce({ world }) {
      const source = 'quay.io';
      await world.kube.create(imageTagMirrorSet, anItms('ours', { source, mirrors: ['m.io/quay'] }));
      await world.kube.create(
        imageDigestMirrorSet,
        anIdms('theirs', { source, mirrors: ['n.io'], mirrorSourcePolicy: 'NeverContactSource' }),
      );
    },
    async mend({ world }) {
      await world.kube.delete(imageTagMirrorSet, { name: 'ours' });
      await world.kube.delete(imageDigestMirrorSet, { name: 'theirs' });
    },
    says: /conflicting mirrorSourcePolicy/,
  },
  {
    id: 'M-16',
    produce: ({ world }) =>
      world.kube.create(kubeletConfig, {
        ...{ apiVersion: `${GROUP}/v1`, kind: 'KubeletConfig', metadata: { name: 'pods' } },
        spec: { machineConfigPoolSelector: WORKERS, kubeletConfig: { maxPods: -5 } },
      }),
    mend: ({ world }) => world.kube.delete(kubeletConfig, { name: 'pods' }),
    says: /maxPods/,
  },
  {
    id: 'M-17',
    produce: ({ world }) =>
      world.kube.create(containerRuntimeConfig, {
        ...{ apiVersion: `${GROUP}/v1`, kind: 'ContainerRuntimeConfig', metadata: { name: 'limits' } },
        spec: {
          machineConfigPoolSelector: { matchLabels: { no: 'pool' } },
          containerRuntimeConfig: { pidsLimit: 2048 },
        },
      }),
    mend: ({ world }) => world.kube.delete(containerRuntimeConfig, { name: 'limits' }),
  },
  {
    id: 'M-18',
    async produce({ world }) {
      await world.kube.create(clusterImagePolicy, aClusterImagePolicy('all', ['quay.io/team']));
      await world.kube.create(
        imagePolicy,
        anImagePolicy({ namespace: 'default', name: 'own' }, ['quay.io/team/app']),
      );
    },
    async mend({ world }) {
      await world.kube.delete(imagePolicy, { namespace: 'default', name: 'own' });
      await world.kube.delete(clusterImagePolicy, { name: 'all' });
    },
    says: /ImagePolicy own .*conflicting scope/,
  },
  {
    id: 'M-19',
    produce: ({ world }) =>
      world.kube.create(imageKind, {
        ...{ apiVersion: 'config.openshift.io/v1', kind: 'Image', metadata: { name: 'cluster' } },
        spec: { registrySources: { containerRuntimeSearchRegistries: ['*.io'] } },
      }),
    mend: ({ world }) => world.kube.delete(imageKind, { name: 'cluster' }),
  },
  {
    id: 'M-28',
    async produce({ world }) {
      for (const name of setNames()) {
        await world.kube.create(pinnedImageSet, {
          ...{ apiVersion: `${GROUP}/v1`, kind: 'PinnedImageSet' },
          metadata: { name, labels: { [`${GROUP}/role`]: 'worker' } },
          spec: { pinnedImages: [{ name: `r.example.com/a@sha256:${'0'.repeat(64)}` }] },
        });
      }
    },
    async mend({ world }) {
      for (const name of setNames()) await world.kube.delete(pinnedImageSet, { name });
      await world.env.clock.advance(MINUTE);
    },
  },
];

/** One more than a pool can have. */
function setNames(): readonly string[] {
  return Array.from({ length: 101 }, (_, index) => `set-${1000 + index}`);
}
