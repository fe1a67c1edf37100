/**
 * `up`, and the builder as a process of its own, are killed at random moments of builds and rollouts of OS images, with a real
 * `buildah`, and continue where they stopped: nothing is left behind, and the pool is never shown as updated while a node is not.
 *
 * A few times in `npm run test:images`, and 20 times with `npm run test:kills`. As often as one likes, and with the moments of
 * an earlier run:
 *
 *     MILLWRIGHT_KILLS=100 MILLWRIGHT_SEED=1234 npx vitest run test/builds/interruptions.images.test.ts
 */
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { diceFrom } from '../apiserver/server-durability-random.ts';
import { startDebians } from '../registry/registries.ts';
import { Cluster } from '../up/cluster.ts';
import { ANYONE, aMachineOSConfig, aPool, aRegistrySecret } from './build-objects.ts';
import { BuilderProcess } from './builder-process.ts';
import { currentBuild, imageOfSpec, poolHasImage, withBuilds } from './embedded-builds.ts';
import { PoolHistory } from './pool-history.ts';
import { debiansImages, expectOnly, ownImages } from './traces.ts';

const { MILLWRIGHT_KILLS, MILLWRIGHT_SEED } = process.env;
const KILLS = Number(MILLWRIGHT_KILLS ?? 4);
const SEED = MILLWRIGHT_SEED ?? String(randomInt(2 ** 31));
/** Of one image: the first of them while it is built, the others while nodes are updated to it. */
const KILLS_OF_ROUND = ['build', 'build', 'rollout', 'rollout'] as const;
/** About as long as each takes, so that every part of it is hit at some time; builds go on without a builder. */
const BELOW_MS = { build: 6_000, rollout: 9_000, builder: 4_000 };
/** The two before the current one are kept, to go back to. */
const KEPT_BUILDS = 3;
const FLAGS = ['--control-plane', '1', '--workers', '3', '--speed', '50'];
const NODES = ['worker-0', 'worker-1'];

withBuilds('an OS image', () => {
  let cluster: Cluster;
  const history = new PoolHistory();
  const dice = diceFrom(SEED);
  const built: string[] = [];

  beforeAll(async () => {
    cluster = await Cluster.start(FLAGS);
    history.follow(cluster.call);
    await cluster.apply(aPool('infra'), aRegistrySecret('push', ANYONE));
    for (const node of NODES)
      await cluster.kubectl(['label', 'node', node, 'node-role.kubernetes.io/infra=']);
    await cluster.wait('mcp/infra', '--for=jsonpath={.status.updatedMachineCount}=2');
  });
  afterAll(async () => {
    history.stop();
    await cluster.end();
  });

  const killAfter = async (delayMs: number) => {
    await sleep(delayMs);
    await cluster.up.end('SIGKILL');
    await cluster.startAgain(FLAGS);
    history.follow(cluster.call);
  };
  const checkHistory = async (pool: string, minUpdates: number) => {
    await history.untilSeen(await cluster.field(`mcp/${pool}`, '{.metadata.resourceVersion}'));
    const { updates, wrong } = history.judge(pool);
    expect(wrong).toEqual([]);
    // It has really been looked at.
    expect(updates).toBeGreaterThanOrEqual(minUpdates);
  };
  const say = (text: string) => process.stdout.write(`seed ${SEED}, ${text}\n`);
  const contentOf = (round: number) =>
    `FROM configs AS final\nRUN sleep 1; echo ${round} > /etc/round && ostree container commit\n`;
  const roundOn = (node: string) => readFileSync(cluster.onNode(node, 'etc/round'), 'utf8');

  const rounds = Math.ceil(KILLS / KILLS_OF_ROUND.length);
  const numbers = Array.from({ length: rounds }, (_, index) => index + 1);
  it.each(numbers)(
    `is built and rolled out although up is killed again and again (image %i of ${rounds}, seed ${SEED})`,
    async (round) => {
      const left = KILLS - (round - 1) * KILLS_OF_ROUND.length;
      await cluster.apply(aMachineOSConfig({ pool: 'infra', content: contentOf(round) }));
      for (const phase of KILLS_OF_ROUND.slice(0, left)) {
        if (phase === 'rollout') await imageOfSpec(cluster, 'infra');
        const delayMs = dice.between(0, BELOW_MS[phase]);
        say(`image ${round}: up is killed ${delayMs} ms into the ${phase}`);
        await killAfter(delayMs);
      }
      const image = await imageOfSpec(cluster, 'infra');
      await poolHasImage(cluster, { pool: 'infra', image, nodes: NODES });
      for (const node of NODES) expect(roundOn(node)).toBe(`${round}\n`);
      built.push(await currentBuild(cluster, 'infra'));
      await expectOnly(cluster, {
        config: 'infra',
        builds: built.slice(-KEPT_BUILDS),
        images: () => ownImages(cluster, 'openshift/infra-os'),
      });
      await checkHistory('infra', built.length);
    },
  );

  describe('by a builder that is killed', () => {
    let registry: Awaited<ReturnType<typeof startDebians>>;
    let builder: BuilderProcess;
    const builtThere: string[] = [];
    beforeAll(async () => {
      registry = await startDebians();
      const { host } = registry;
      await cluster.apply(aPool('edge'), aRegistrySecret('edge-push', { ...ANYONE, host }));
      await cluster.kubectl(['label', 'node', 'worker-2', 'node-role.kubernetes.io/edge=']);
      await cluster.wait('mcp/edge', '--for=jsonpath={.status.updatedMachineCount}=1');
      builder = new BuilderProcess(cluster);
      await builder.takeOver();
    });
    afterAll(async () => {
      await builder.kill();
      await registry.stop();
    });

    it.each(numbers)(
      `is built, and nothing is left behind (image %i of ${rounds}, seed ${SEED})`,
      async (round) => {
        const pushSpec = `${registry.host}/os/edge:latest`;
        const options = { pool: 'edge', pushSpec, pushSecret: 'edge-push', content: contentOf(round) };
        await cluster.apply(aMachineOSConfig(options));
        const kills = Math.min(KILLS_OF_ROUND.length, KILLS - (round - 1) * KILLS_OF_ROUND.length);
        for (let count = 0; count < kills; count++) {
          const delayMs = dice.between(0, BELOW_MS.builder);
          say(`image ${round}: the builder is killed after ${delayMs} ms`);
          await sleep(delayMs);
          await builder.startAgain();
        }
        const image = await imageOfSpec(cluster, 'edge');
        await poolHasImage(cluster, { pool: 'edge', image, nodes: ['worker-2'] });
        expect(roundOn('worker-2')).toBe(`${round}\n`);
        builtThere.push(await currentBuild(cluster, 'edge'));
        await expectOnly(cluster, {
          config: 'edge',
          builds: builtThere.slice(-KEPT_BUILDS),
          images: () => debiansImages(registry, 'os/edge'),
        });
        await checkHistory('edge', builtThere.length);
      },
    );
  });
});
