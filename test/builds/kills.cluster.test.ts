/**
 * `up`, and with it the builder, its build pods and the nodes, is killed at twenty random moments of builds and rollouts. It
 * always ends in the same way: every node has the last image, and nothing is left behind.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../contract/eventually.ts';
import { seededRandom } from '../support/virtual-env.ts';
import { Cluster } from '../up/cluster.ts';
import { ANYONE, aMachineOSConfig, aPool, aRegistrySecret, NAMESPACE } from './build-objects.ts';
import { builtImage, withBuilds } from './embedded-builds.ts';

const FLAGS = ['--control-plane', '1', '--workers', '1', '--speed', '50'];
const ROUNDS = 10;
/** From the change to the end of its rollout, more or less. */
const MOMENTS_MS = 12_000;
const LIMIT_MS = 30 * 60_000;
const PATIENT = { limitMs: 180_000, intervalMs: 500 };

withBuilds('a cluster that is killed while it builds and rolls out', () => {
  let cluster: Cluster;
  const random = seededRandom(Number(process.env.MILLWRIGHT_SEED ?? 16));
  beforeAll(async () => {
    cluster = await Cluster.start(FLAGS);
    await cluster.apply(aPool('infra'), aRegistrySecret('push', ANYONE));
    await cluster.kubectl(['label', 'node', 'worker-0', 'node-role.kubernetes.io/infra=']);
    await cluster.wait('mcp/infra', '--for=jsonpath={.status.updatedMachineCount}=1');
  });
  afterAll(() => cluster.end());

  const killSomeTime = async () => {
    const delayMs = Math.floor(random.next() * MOMENTS_MS);
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    await cluster.up.end('SIGKILL');
    await cluster.startAgain(FLAGS);
    return delayMs;
  };
  const isUpdated = async (image: string) => {
    const current = await cluster.annotation('worker-0', 'currentImage');
    const updated = await cluster.field('mcp/infra', '{.status.conditions[?(@.type=="Updated")].status}');
    return current === image && updated === 'True';
  };
  const names = async (kinds: string, ...args: readonly string[]) =>
    (await cluster.kubectl(['get', kinds, '-o', 'name', ...args]))
      .split('\n')
      .filter((name) => /infra-[0-9a-f]{32}/.test(name))
      .toSorted();
  const tags = async () => {
    const [, port] = /registry=127\.0\.0\.1:(\d+)/.exec(cluster.up.stdout()) ?? [];
    const answer = await fetch(`http://127.0.0.1:${port}/v2/openshift/infra-os/tags/list`);
    const { tags: found } = (await answer.json()) as { tags?: readonly string[] | null };
    return (found ?? []).toSorted();
  };
  /** Of build pods, which have the data directory in their command line. */
  const processes = () =>
    readdirSync('/proc')
      .filter((pid) => /^\d+$/.test(pid) && existsSync(`/proc/${pid}/cmdline`))
      .map((pid) => {
        try {
          return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
        } catch {
          return '';
        }
      })
      .filter((line) => line.includes(join(cluster.dataDir, 'builds')));
  /** What belongs to no build, once everything has settled. */
  const leftovers = async () => {
    const builds = (await names('machineosbuild')).map((name) => name.split('/')[1] ?? '');
    const objects = await names('jobs,pods,configmaps,secrets', '-n', NAMESPACE);
    const folder = join(cluster.dataDir, 'builds');
    return {
      objects: objects.filter(
        (name) =>
          !builds.some((build) => name.endsWith(`/digest-${build}`) || name.endsWith(`/final-${build}`)),
      ),
      tags: (await tags()).filter((tag) => !builds.includes(tag)),
      processes: processes(),
      folders: existsSync(folder) ? readdirSync(folder) : [],
    };
  };
  const NOTHING = { objects: [], tags: [], processes: [], folders: [] };
  const untilClean = (when: string) =>
    eventually(
      `nothing is left ${when}`,
      async () => {
        const left = await leftovers();
        return JSON.stringify(left) === JSON.stringify(NOTHING) ? true : undefined;
      },
      PATIENT,
    ).catch(async () => expect(await leftovers(), when).toEqual(NOTHING));

  it(
    'ends with the last image on every node, and nothing beside',
    async () => {
      for (let round = 1; round <= ROUNDS; round++) {
        const content = `FROM configs AS final\nRUN echo ${round} > /etc/round && ostree container commit\n`;
        await cluster.apply(aMachineOSConfig({ pool: 'infra', content }));
        const moments = [await killSomeTime(), await killSomeTime()];
        const when = `in round ${round}, killed after ${moments.join(' and ')} ms`;
        const image = await builtImage(cluster, 'infra');
        await eventually(
          `rolled out ${when}`,
          async () => ((await isUpdated(image)) ? true : undefined),
          PATIENT,
        );
        expect(readFileSync(cluster.onNode('worker-0', 'etc/round'), 'utf8'), when).toBe(`${round}\n`);
        await untilClean(when);
      }
    },
    LIMIT_MS,
  );

  it(
    'goes back to the image of the release, and nothing of the builds is left',
    async () => {
      await cluster.kubectl(['delete', 'machineosconfig', 'infra']);
      await killSomeTime();
      await eventually('worker-0 is back', async () => ((await isUpdated('')) ? true : undefined), PATIENT);
      await untilClean('at the end');
      expect(await names('machineosbuild')).toEqual([]);
      expect(await names('jobs,pods,configmaps,secrets', '-n', NAMESPACE)).toEqual([]);
      expect(await tags()).toEqual([]);
    },
    LIMIT_MS,
  );
});
