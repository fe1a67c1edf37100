/**
 * The builder is killed at every write that it makes, just before the write reaches the server or just after, and is
 * restarted: the end is always the same, and nothing is left behind.
 *
 * Every write is cut in one of three ways; `MILLWRIGHT_EVERY_WRITE=1` tries all of them.
 */
import { describe, expect, it } from 'vitest';
import { annotations, machineOSConfig as machineOSConfigKind } from '../../src/api/index.ts';
import { buildStateOf } from '../../src/rollout/index.ts';
import { createCut } from '../rollout/cut-transport.ts';
import { kill } from '../rollout/story-steps.ts';
import { type BuildCluster, createPushSecret, startBuildCluster } from './build-cluster.ts';

const MINUTE = 60_000;
/** More than any of these stories needs: beyond this something writes without end. */
const MAX_WRITES = 100;
const LIMIT_MS = 600_000;
/** The ways to cut a write share the writes among them. */
const STRIDE = process.env.MILLWRIGHT_EVERY_WRITE === '1' ? 1 : 3;

type Story = {
  /** Before the builder that is killed. */
  readonly prepare?: (cluster: BuildCluster) => Promise<void>;
  /** While it runs. */
  readonly change: (cluster: BuildCluster) => Promise<void>;
  readonly isOver: (cluster: BuildCluster) => Promise<boolean>;
};

const imageOf = async (cluster: BuildCluster) => (await cluster.config())?.status?.currentImagePullSpec;
const isClean = async (cluster: BuildCluster) =>
  (await cluster.objects()).every((name) => /^(ConfigMap digest-|Secret final-)/.test(name));
const annotate = ({ world }: BuildCluster, values: object) =>
  world.kube.patch(
    machineOSConfigKind,
    { name: 'infra' },
    { type: 'merge', body: { metadata: { annotations: values } } },
  );

async function built(cluster: BuildCluster): Promise<void> {
  const builder = cluster.startBuilder();
  await cluster.configure();
  await cluster.untilBuilt();
  await cluster.world.env.clock.advance(MINUTE);
  await builder.stop();
}

const isBuilt = async (cluster: BuildCluster) =>
  (await imageOf(cluster)) !== undefined && (await isClean(cluster));

const STORIES: readonly (readonly [string, Story])[] = [
  ['a first build', { change: (cluster) => cluster.configure(), isOver: isBuilt }],
  [
    'a rebuild, while a node runs the old image',
    {
      async prepare(cluster) {
        await built(cluster);
        await cluster.setNodeImage('worker-0', (await imageOf(cluster)) ?? '');
      },
      change: async (cluster) => {
        await annotate(cluster, { [annotations.rebuild]: '' });
      },
      isOver: async (cluster) => {
        const config = await cluster.config();
        const isRequested = config?.metadata.annotations?.[annotations.rebuild] !== undefined;
        return !isRequested && (await cluster.images()).length === 2 && (await isBuilt(cluster));
      },
    },
  ],
  [
    'a new spec in the middle of a build',
    {
      async change(cluster) {
        await cluster.configure();
        await cluster.world.env.clock.advance(10_000);
        await cluster.configure({ content: 'RUN other' });
      },
      isOver: async (cluster) =>
        (await cluster.config())?.status?.observedGeneration === 2 && (await isBuilt(cluster)),
    },
  ],
  [
    'a change of files',
    {
      prepare: built,
      change: (cluster) => cluster.render('rendered-infra-2'),
      isOver: async (cluster) => {
        const builds = await cluster.builds();
        const states = builds.map((build) => buildStateOf(build));
        return (
          states.length === 2 && states.every((state) => state === 'Succeeded') && (await isBuilt(cluster))
        );
      },
    },
  ],
  [
    'a failed build whose Secret is mended',
    {
      async change(cluster) {
        cluster.script.outcome = () => ({ kind: 'fails', message: 'denied' });
        cluster.script.podMs = 1_000;
        await cluster.configure();
        await cluster.world.env.clock.advance(20 * MINUTE);
        cluster.script.outcome = () => ({ kind: 'succeeds' });
        await createPushSecret(cluster.world, 'mended');
      },
      isOver: isBuilt,
    },
  ],
  [
    'the deletion of a MachineOSConfig, until its node has left the image',
    {
      async prepare(cluster) {
        await built(cluster);
        await cluster.setNodeImage('worker-0', (await imageOf(cluster)) ?? '');
      },
      async change(cluster) {
        await cluster.world.kube.delete(machineOSConfigKind, { name: 'infra' });
        await cluster.world.env.clock.advance(MINUTE);
        await cluster.setNodeImage('worker-0', null);
      },
      isOver: async (cluster) => (await cluster.objects()).length === 0,
    },
  ],
  [
    'a pre-built image',
    {
      async change(cluster) {
        const image = await cluster.pushImage('seed');
        await cluster.configure({ annotations: { [annotations.preBuiltImage]: image } });
      },
      isOver: async (cluster) => {
        const values = (await cluster.config())?.metadata.annotations ?? {};
        return values[annotations.preBuiltImage] === undefined && (await isBuilt(cluster));
      },
    },
  ],
];

/** Everything there is, without what differs from run to run: uids, times and digests. */
async function summary(cluster: BuildCluster) {
  const config = await cluster.config();
  const { conditions = [], currentImagePullSpec = '', ...status } = config?.status ?? {};
  const images = await cluster.images();
  return {
    annotations: config?.metadata.annotations ?? {},
    status,
    conditions: conditions.map(({ type, status: value, reason }) => `${type}=${value} ${reason}`).toSorted(),
    builds: (await cluster.builds())
      .map((build) => `${build.metadata.name} ${buildStateOf(build)}`)
      .toSorted(),
    objects: await cluster.objects(),
    images: images.length,
    hasImage: images.some((digest) => currentImagePullSpec.endsWith(digest)),
  };
}

/** Undefined where the story was over before the kill. */
async function tell(story: Story, cut?: ReturnType<typeof createCut>, restMs = 0) {
  const cluster = await startBuildCluster();
  try {
    await story.prepare?.(cluster);
    const doomed = cluster.startBuilder(cut?.wrap);
    await story.change(cluster);
    await cluster.until(
      'the kill or the end',
      async () => cut?.isCut() === true || (await story.isOver(cluster)),
    );
    const isKilled = cut?.isCut() === true;
    if (isKilled) {
      await kill(doomed, cut);
      await cluster.world.env.clock.advance(restMs);
      cluster.startBuilder();
      await cluster.until('the end', () => story.isOver(cluster));
    }
    await cluster.world.env.clock.advance(12 * MINUTE);
    return isKilled || cut === undefined ? await summary(cluster) : undefined;
  } finally {
    await cluster.world.stop();
  }
}

describe.each([
  ['just before a write reaches the server', { isReached: false, restMs: 0, first: 1 }],
  ['just after a write has reached the server', { isReached: true, restMs: 0, first: 2 }],
  // Its Job has ended by then.
  ['just after a write, and started ten minutes later', { isReached: true, restMs: 10 * MINUTE, first: 3 }],
])('a builder that is killed %s', (when, { isReached, restMs, first }) => {
  it.each(STORIES)(
    'leaves %s behind that the next one ends in the same way',
    async (what, story) => {
      const expected = await tell(story);
      let tried = 0;
      for (let atWrite = STRIDE === 1 ? 1 : first; ; atWrite += STRIDE) {
        expect(atWrite).toBeLessThan(MAX_WRITES);
        const found = await tell(story, createCut({ atWrite, isReached }), restMs);
        if (found === undefined) break;
        expect(found, `killed at write ${atWrite}`).toEqual(expected);
        tried++;
      }
      // A story of one write is cut in the first way alone.
      if (first === 1) expect(tried).toBeGreaterThan(0);
      process.stdout.write(`${what}, cut ${when}: ${tried}\n`);
    },
    LIMIT_MS,
  );
});
