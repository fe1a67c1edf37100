/** Two things at once: both are named, the one that blocks first on top. */
import { afterAll, describe, expect, it } from 'vitest';
import {
  BUILDER_LEASE,
  imageDigestMirrorSet,
  imageTagMirrorSet,
  kubeletConfig,
  machineConfigPool as machineConfigPoolKind,
  machineOSConfig as machineOSConfigKind,
  NAMESPACE,
} from '../../src/api/index.ts';
import { createBuilder } from '../../src/controllers/index.ts';
import { createInProcessRegistryTransport } from '../../src/embedded/registry/index.ts';
import { createBuildRegistry, DEFAULT_BUILD_LIMITS } from '../../src/images/index.ts';
import { accountOf, aConfig as aMachineOSConfig, connectionAs } from '../builds/build-cluster.ts';
import { aUnit } from '../daemon/a-config.ts';
import { controlAsLeader } from '../rollout/control.ts';
import { runPod } from '../rollout/pod-reaper.ts';
import { GUARDED, patchPool, setBudget, target } from '../rollout/story-steps.ts';
import { LEASE_SETTINGS } from '../rollout/world.ts';
import { anIdms, anItms } from '../support/build-registries.ts';
import { startBuildScene } from './build-scene.ts';
import { DOUBLE } from './catalogue.ts';
import {
  aConfig,
  aFile,
  aPool,
  type DoctorWorld,
  MINUTE,
  setRole,
  startDoctorWorld,
  startScriptedWorld,
} from './doctor-world.ts';
import { startDrainWorld } from './drain-stories.ts';
import { badConfig } from './pool-stories.ts';
import { codesOf, type Scene } from './run-stories.ts';

/** A scene in which both have happened. */
type DoubleStory = { readonly id: string; readonly produce: () => Promise<Scene> };

const GROUP = 'machineconfiguration.openshift.io';
const GONE = `registry.example/os@sha256:${'c'.repeat(64)}`;

async function blockDrain({ world }: DoctorWorld): Promise<void> {
  await runPod(world, 'web-0', 'worker-0', GUARDED);
  await setBudget(world, 0);
  await world.apply(aConfig('60-x', aFile('/etc/x', 'x')));
}

/** The file is on all nodes, and then changed on the first. */
async function drift({ world, machines, until }: DoctorWorld): Promise<void> {
  const before = await target(world, 'worker');
  await world.apply(aConfig('60-kept', aFile('/etc/kept', 'kept\n')));
  await until('a new target', async () => (await target(world, 'worker')) !== before);
  await world.untilUpdated(['worker'], 30 * MINUTE);
  await machines[0]?.write('/etc/kept', 'by hand\n');
}

/** A builder that reaches no registry. */
function startBuilder({ world }: DoctorWorld): void {
  const transport = createInProcessRegistryTransport(new Map());
  world.startOther(
    (parts) =>
      controlAsLeader(parts, {
        ...{ identity: 'builder-0_1', lease: { name: BUILDER_LEASE, namespace: NAMESPACE } },
        settings: LEASE_SETTINGS,
        component: (context) =>
          createBuilder(context, {
            registry: createBuildRegistry({ transport, env: world.env }),
            builderImage: 'registry.example/builder:1',
            limits: DEFAULT_BUILD_LIMITS,
          }),
      }),
    () => connectionAs(world, accountOf('machine-os-builder')),
  );
}

async function createPools({ world }: DoctorWorld, ...names: readonly string[]): Promise<void> {
  for (const name of names) await world.kube.create(machineConfigPoolKind, aPool(name, ['worker', name]));
}

const STORIES: readonly DoubleStory[] = [
  {
    id: 'D-01',
    async produce() {
      const scene = await startDrainWorld();
      await blockDrain(scene);
      await scene.pass(3 * MINUTE);
      await scene.components.controller.stop();
      return scene;
    },
  },
  {
    id: 'D-02',
    async produce() {
      const scene = await startDoctorWorld();
      await drift(scene);
      await scene.world.apply(badConfig);
      return scene;
    },
  },
  {
    id: 'D-03',
    async produce() {
      const scene = await startDoctorWorld();
      await createPools(scene, 'infra');
      await patchPool(scene.world, 'infra', { paused: true });
      await setRole(scene.world, 'worker-2', 'infra');
      await scene.world.apply(aConfig('60-os', { osImageURL: GONE }));
      scene.registry.pullError = 'reading manifest: manifest unknown';
      return scene;
    },
  },
  {
    id: 'D-04',
    async produce() {
      const scene = await startDoctorWorld();
      startBuilder(scene);
      await createPools(scene, 'infra');
      await scene.pass(MINUTE);
      await scene.world.kube.create(machineOSConfigKind, aMachineOSConfig());
      for (const { machine } of scene.machines) machine.faults.isRebootRefused = true;
      await scene.world.apply(aConfig('60-x', aFile('/etc/x', 'x')));
      return scene;
    },
  },
  {
    id: 'D-05',
    async produce() {
      const scene = await startScriptedWorld();
      await patchPool(scene.world, 'worker', { paused: true });
      const config = aMachineOSConfig({ name: 'worker' });
      const spec = { ...config.spec, machineConfigPool: { name: 'worker' } };
      await scene.world.kube.create(machineOSConfigKind, { ...config, spec });
      return scene;
    },
  },
  {
    id: 'D-06',
    async produce() {
      const scene = await startDoctorWorld();
      const contents = '[Unit]\nRequires=containerd.service\n[Service]\nExecStart=/usr/bin/kubelet\n';
      const units = [aUnit('kubelet.service', 'kubelet', { contents })];
      await scene.world.apply(
        aConfig('60-x', { config: { ignition: { version: '3.4.0' }, systemd: { units } } }),
      );
      const machineConfigPoolSelector = { matchLabels: { [`pools.operator.${GROUP}/worker`]: '' } };
      await scene.world.kube.create(kubeletConfig, {
        ...{ apiVersion: `${GROUP}/v1`, kind: 'KubeletConfig', metadata: { name: 'pods' } },
        spec: { machineConfigPoolSelector, kubeletConfig: { maxPods: -5 } },
      });
      return scene;
    },
  },
  {
    id: 'D-07',
    async produce() {
      const scene = await startDoctorWorld();
      await drift(scene);
      scene.machines[2]?.machine.cutPower();
      await scene.pass(10_000);
      await scene.world.apply(aConfig('60-x', aFile('/etc/x', 'x')));
      return scene;
    },
  },
  {
    id: 'D-08',
    async produce() {
      const scene = await startScriptedWorld();
      await createPools(scene, 'edge', 'infra');
      for (const role of ['edge', 'infra']) await setRole(scene.world, 'worker-0', role);
      await scene.pass(MINUTE);
      await scene.components.operator.stop();
      return scene;
    },
  },
  {
    id: 'D-09',
    async produce() {
      const scene = await startDrainWorld();
      await blockDrain(scene);
      const { kube } = scene.world;
      await scene.pass(3 * MINUTE);
      const source = 'quay.io';
      await kube.create(imageTagMirrorSet, anItms('ours', { source, mirrors: ['m.io/quay'] }));
      await kube.create(
        imageDigestMirrorSet,
        anIdms('theirs', { source, mirrors: ['n.io'], mirrorSourcePolicy: 'NeverContactSource' }),
      );
      return scene;
    },
  },
  {
    id: 'D-10',
    async produce() {
      const scene = await startBuildScene();
      const { cluster } = scene;
      cluster.script.outcome = () => ({ kind: 'fails', message: 'STEP 9/10: RUN false: exit status 1' });
      scene.startBuilder();
      await cluster.configure();
      const spec = { maxUnavailable: 'some', configuration: { name: 'rendered-infra-1' } };
      await cluster.world.kube.create(machineConfigPoolKind, aPool('edge', ['worker', 'edge'], spec));
      return scene;
    },
  },
];

describe('a cluster with two faults', () => {
  const rows: string[] = [];
  afterAll(() => {
    process.stdout.write(`${rows.join('\n')}\n`);
  });

  it.each(DOUBLE.map((state) => [state.id, state.state, state] as const))(
    '%s: %s',
    async (id, _, { expected }) => {
      const story = STORIES.find((one) => one.id === id);
      if (story === undefined) throw new Error(`there is no story ${id}`);
      const scene = await story.produce();
      let codes: readonly string[] = [];
      try {
        for (let passedMs = 0; passedMs < 30 * MINUTE; passedMs += 20_000) {
          codes = codesOf(await scene.diagnose());
          if (codes[0] === expected[0] && codes.includes(expected[1])) break;
          await scene.pass(20_000);
        }
      } finally {
        rows.push(`${id} expected ${expected.join(', ')}; found ${codes.join(', ')}`);
        await scene.stop();
      }
      expect(codes).toEqual(expected);
    },
  );
});
