/**
 * Plans of pools whose OS image is built are held to reality: whether a build runs, which nodes go once it is done, and what they do.
 * Builder, controllers, registry and daemons are real, the pods of builds are played.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { annotations, machineOSConfig } from '../../src/api/index.ts';
import { parseImageReference, type RegistryClient } from '../../src/images/index.ts';
import type { SnapshotObject } from '../../src/insight/index.ts';
import { aConfig, createPushSecret, REPOSITORY, startBuildParts } from '../builds/build-cluster.ts';
import { pushOsImage } from '../builds/pod-player.ts';
import { anImage, pullFrom } from '../host/an-image.ts';
import { createReality, type HeldPlan, type Reality } from './hold-to-reality.ts';
import { IMAGE_MODE_CHANGES, INFRA, inInfra } from './image-mode-changes.ts';
import { MINUTE, OS_FILES, type PlannedCluster, startPlannedCluster } from './planned-cluster.ts';

/** `npm run test:plan` tries all. */
const isComplete = process.env.MILLWRIGHT_ALL_CHANGES === '1';
const CHANGES = IMAGE_MODE_CHANGES.filter(({ isTypical }) => isComplete || isTypical === true);

let cluster: PlannedCluster;
let reality: Reality;
let registry: RegistryClient;

beforeAll(async () => {
  cluster = await startPlannedCluster({
    workers: 3,
    pullFor: (world) => {
      const parts = startBuildParts(world);
      registry = parts.registry;
      parts.startBuilder();
      // What the player of pods has pushed has nothing to boot in it; whether it is there is the registry's answer.
      return async (name) => {
        const reference = parseImageReference(name);
        if (reference.kind === 'invalid') return pullFrom({})(name);
        const { descriptor } = await registry.fetchManifest(reference.value);
        return anImage({ digest: descriptor.digest.replace('sha256:', ''), files: OS_FILES });
      };
    },
  });
  await createPushSecret(cluster.world);
  reality = await createReality(cluster);
});
afterAll(async () => {
  await cluster.stop();
  process.stdout.write(`plans of image mode that were held to reality: ${reality.compared()}\n`);
});

describe('a plan with pools in image mode', { timeout: 10 * MINUTE }, () => {
  it.each(CHANGES)('says what happens for $what', async ({ applied, deleted, image, sent }) => {
    const held = await reality.hold(applied ?? [], deleted);
    const infra = held.plan.pools.find(({ name }) => name === 'infra');
    expect([infra?.build?.kind, held.happened.targeted.length]).toEqual([image, sent]);
    expectImages(held);
  });

  it('says that an image which the MachineOSConfig names is used in place of a first build', async () => {
    const digest = await pushOsImage(registry, `${REPOSITORY}:seed`, 'pre-built');
    const image = `${REPOSITORY}@${digest}`;
    const seeded = aConfig({ annotations: { [annotations.preBuiltImage]: image } });
    // Before nodes are in the pool, so that nothing else is on its way.
    await reality.hold([INFRA, ...['worker-0', 'worker-1'].map(inInfra)]);
    const { plan, happened } = await reality.hold([seeded as unknown as SnapshotObject]);
    expect(plan.pools.map(({ build }) => build?.kind)).toEqual(['pre-built']);
    expect(happened.jobs).toEqual([]);
    expect(happened.targeted.map((name) => happened.booted[name])).toEqual([image, image]);
  });

  it('says that nothing can be built from a wrong Containerfile, and no node moves', async () => {
    const { kube, env } = cluster.world;
    const wrong = aConfig({ content: 'RUNN true' });
    const plan = await reality.plan({ applied: [wrong as unknown as SnapshotObject], deleted: [] });
    const message = 'Containerfile validation failed: line 2: unknown Dockerfile instruction: runn';
    expect(plan.problems).toEqual([{ object: 'MachineOSConfig/infra', message }]);
    expect(plan.effect).toBe('invalid');
    await cluster.happened();
    await kube.apply(machineOSConfig, wrong);
    await env.clock.advance(5 * MINUTE);
    const found = await kube.get(machineOSConfig, { name: 'infra' });
    const degraded = found?.status?.conditions?.find(({ type }) => type === 'Degraded');
    expect([degraded?.status, degraded?.message]).toEqual(['True', message]);
    expect(await cluster.happened()).toMatchObject({ targeted: [], jobs: [] });
  });

  it('sends no writes', () => {
    expect(reality.writes).toEqual([]);
  });
});

/** Nodes that were sent have booted the image that the plan names, or the one that was built for them. */
function expectImages({ plan, happened }: HeldPlan): void {
  const infra = plan.pools.find(({ name }) => name === 'infra');
  for (const name of happened.targeted) {
    const isLayered = infra?.build !== undefined && infra.nodes.some((one) => one.name === name);
    if (!isLayered) continue;
    const booted = happened.booted[name];
    if (infra.build.kind === 'reused') expect(booted).toBe(infra.build.image);
    else expect(booted).toMatch(new RegExp(`^${REPOSITORY}@sha256:[0-9a-f]{64}$`));
  }
}
