/**
 * What makes up an image is deleted by hand, while it is built and while nodes run it: it is made again, nothing is left behind, and the
 * pool is never shown as updated while a node is not.
 */
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../contract/eventually.ts';
import { Cluster } from '../up/cluster.ts';
import {
  ANYONE,
  aMachineOSConfig,
  aPool,
  aRegistrySecret,
  NAMESPACE,
  SMALL_CHANGE,
} from './build-objects.ts';
import {
  builtImage,
  currentBuild,
  imageOfSpec,
  PATIENT,
  poolHasImage,
  untilCondition,
  withBuilds,
} from './embedded-builds.ts';
import { PoolHistory } from './pool-history.ts';
import { expectOnly, filesOfBuilds, ownImages, processesNamed, processesOfBuilds } from './traces.ts';

const FLAGS = ['--control-plane', '1', '--workers', '2', '--speed', '50'];
const NODES = ['worker-0', 'worker-1'];
/** Long enough to be hit, and with a process that does not end with its step. */
const slowChange = (sleep: string) =>
  `FROM configs AS final\nRUN setsid ${sleep} >/dev/null 2>&1 & sleep 3; echo layered > /etc/layered && ostree container commit\n`;

withBuilds('an OS image', () => {
  let cluster: Cluster;
  const history = new PoolHistory();

  beforeAll(async () => {
    cluster = await Cluster.start(FLAGS);
    history.follow(cluster.call);
    await cluster.apply(aPool('infra'), aRegistrySecret('push', ANYONE));
    await cluster.kubectl(['patch', 'mcp/infra', '--type=merge', '-p', '{"spec":{"maxUnavailable":2}}']);
    for (const node of NODES)
      await cluster.kubectl(['label', 'node', node, 'node-role.kubernetes.io/infra=']);
    await cluster.wait('mcp/infra', '--for=jsonpath={.status.updatedMachineCount}=2');
    await cluster.apply(aMachineOSConfig({ pool: 'infra', content: SMALL_CHANGE }));
    const image = await imageOfSpec(cluster, 'infra');
    await poolHasImage(cluster, { pool: 'infra', image, nodes: NODES });
  });
  afterAll(async () => {
    history.stop();
    await cluster.end();
  });

  const uidOf = (of: string) =>
    cluster.kubectl(['get', of, '-n', NAMESPACE, '--ignore-not-found', '-o', 'jsonpath={.metadata.uid}']);
  /** Resolves once the object is another one. */
  const replaced = (of: string, former: string) =>
    eventually(
      `${of} is created again`,
      async () => (['', former].includes(await uidOf(of)) ? undefined : true),
      PATIENT,
    );
  const images = (pool: string) => () => ownImages(cluster, `openshift/${pool}-os`);
  const nothingIsFalse = async () => {
    await history.untilSeen(await cluster.field('mcp/infra', '{.metadata.resourceVersion}'));
    const { updates, wrong } = history.judge('infra');
    expect(wrong).toEqual([]);
    expect(updates).toBeGreaterThan(0);
  };

  /** The pod of the build, once its process is running. */
  const runningPod = (build: string) =>
    eventually(
      `${build} is running`,
      async () => {
        const listed = await cluster.kubectl([
          ...['get', 'pods', '-n', NAMESPACE, '-l', `batch.kubernetes.io/job-name=build-${build}`],
          ...['-o', 'jsonpath={range .items[*]}{.metadata.name} {.metadata.uid}{"\\n"}{end}'],
        ]);
        const [name = '', uid = ''] = listed.split(/\s/);
        const isRunning =
          uid !== '' && processesOfBuilds(cluster).some((line) => /buildah/.test(line) && line.includes(uid));
        return isRunning ? { name, uid } : undefined;
      },
      PATIENT,
    );
  const startedBuild = (config: string) =>
    eventually(
      `${config} is being built`,
      async () => (await currentBuild(cluster, config)) || undefined,
      PATIENT,
    );

  describe.concurrent('is built to the end although', () => {
    it.each<[string, string, (build: string, pod: string) => string, { readonly endsPod: boolean }]>([
      ['its pod', 'nopod', (_, pod) => `pod/${pod}`, { endsPod: true }],
      ['its Job', 'nojob', (build) => `job/build-${build}`, { endsPod: true }],
      ['its MachineOSBuild', 'nobuild', (build) => `machineosbuild/${build}`, { endsPod: true }],
      [
        'the ConfigMap for its digest',
        'nodigest',
        (build) => `configmap/digest-${build}`,
        { endsPod: false },
      ],
    ])(
      '%s is deleted, and only the last attempt leaves something',
      async (_, pool, objectOf, { endsPod }) => {
        // Of this test alone.
        const sleep = `sleep ${process.pid}${pool.length}${pool.charCodeAt(3)}`;
        await cluster.apply(aPool(pool), aMachineOSConfig({ pool, content: slowChange(sleep) }));
        const build = await startedBuild(pool);
        const pod = await runningPod(build);
        await eventually('its step is running', async () =>
          processesNamed(sleep).length > 0 ? true : undefined,
        );
        const object = objectOf(build, pod.name);
        const former = await uidOf(object);
        await cluster.kubectl(['delete', object, '-n', NAMESPACE]);
        if (object !== `pod/${pod.name}`) await replaced(object, former);
        if (endsPod) {
          await eventually(
            'nothing of the pod is left',
            async () =>
              (await uidOf(`pod/${pod.name}`)) === '' &&
              !filesOfBuilds(cluster).includes(pod.uid) &&
              !processesOfBuilds(cluster).some((line) => line.includes(pod.uid))
                ? true
                : undefined,
            PATIENT,
          );
        }
        await builtImage(cluster, pool);
        await untilCondition(cluster, `mcp/${pool}`, { type: 'Updated', status: 'True' });
        expect(await currentBuild(cluster, pool)).toBe(build);
        await expectOnly(cluster, { config: pool, builds: [build], images: images(pool) });
        expect(processesNamed(sleep)).toEqual([]);
      },
    );
  });

  it('keeps its record and the credentials for it: a deleted digest ConfigMap is restored', async () => {
    const image = await builtImage(cluster, 'infra');
    const build = await currentBuild(cluster, 'infra');
    const former = await uidOf(`configmap/digest-${build}`);
    await cluster.kubectl(['delete', `configmap/digest-${build}`, '-n', NAMESPACE]);
    await replaced(`configmap/digest-${build}`, former);
    await expectOnly(cluster, { config: 'infra', builds: [build], images: images('infra') });
    const digest = await cluster.kubectl([
      ...['get', `configmap/digest-${build}`, '-n', NAMESPACE],
      ...['-o', 'jsonpath={.data.repository}@{.data.digest}'],
    ]);
    expect(digest).toBe(image);
    await poolHasImage(cluster, { pool: 'infra', image, nodes: NODES });
    await nothingIsFalse();
  });

  it('that nodes run is built and rolled out again when its MachineOSBuild is deleted', async () => {
    const build = await currentBuild(cluster, 'infra');
    const former = await uidOf(`machineosbuild/${build}`);
    await cluster.kubectl(['delete', `machineosbuild/${build}`]);
    await replaced(`machineosbuild/${build}`, former);
    const image = await builtImage(cluster, 'infra');
    await poolHasImage(cluster, { pool: 'infra', image, nodes: NODES });
    await expectOnly(cluster, { config: 'infra', builds: [build], images: images('infra') });
    await nothingIsFalse();
  });

  it('that nodes run is built and rolled out again when it is deleted from its registry', async () => {
    const build = await currentBuild(cluster, 'infra');
    const lost = await builtImage(cluster, 'infra');
    const former = await uidOf(`machineosbuild/${build}`);
    const [, host = ''] = / registry=(\S+)/.exec(cluster.up.stdout()) ?? [];
    const digest = lost.slice(lost.indexOf('@') + 1);
    const answer = await fetch(`http://${host}/v2/openshift/infra-os/manifests/${digest}`, {
      method: 'DELETE',
    });
    expect(answer.status).toBe(202);
    await replaced(`machineosbuild/${build}`, former);
    const image = await builtImage(cluster, 'infra');
    await poolHasImage(cluster, { pool: 'infra', image, nodes: NODES });
    await expectOnly(cluster, { config: 'infra', builds: [build], images: images('infra') });
    await nothingIsFalse();
  });

  it('of a second MachineOSConfig for the pool is not built before the first one is deleted', async () => {
    const first = await builtImage(cluster, 'infra');
    const build = await currentBuild(cluster, 'infra');
    const content = 'FROM configs AS final\nRUN echo second > /etc/second && ostree container commit\n';
    const second = aMachineOSConfig({ name: 'second', pool: 'infra', content });
    await expect(cluster.apply(second)).rejects.toThrow(
      'can only have one MachineOSConfig per MachineConfigPool',
    );
    // As it was before there was this rule.
    await cluster.kubectl([
      ...['patch', 'crd/machineosconfigs.machineconfiguration.openshift.io', '--type=json', '-p'],
      '[{"op":"remove","path":"/spec/versions/0/schema/openAPIV3Schema/x-kubernetes-validations"}]',
    ]);
    await eventually('a second one is accepted', () =>
      cluster.apply(second).then(
        () => true,
        () => undefined,
      ),
    );
    const { reason } = await untilCondition(cluster, 'machineosconfig/second', {
      type: 'Degraded',
      status: 'True',
    });
    expect(reason).toBe('AnotherMachineOSConfig');
    await expectOnly(cluster, {
      config: 'second',
      builds: [],
      images: async () => ({ tags: [], manifests: [] }),
    });
    await expectOnly(cluster, { config: 'infra', builds: [build], images: images('infra') });
    await poolHasImage(cluster, { pool: 'infra', image: first, nodes: NODES });
    await cluster.kubectl(['delete', 'machineosconfig', 'infra']);
    const image = await builtImage(cluster, 'second');
    await poolHasImage(cluster, { pool: 'infra', image, nodes: NODES });
    for (const node of NODES) expect(existsSync(cluster.onNode(node, 'etc/second'))).toBe(true);
    const next = await currentBuild(cluster, 'second');
    await expectOnly(cluster, { config: 'second', builds: [next], images: images('infra') });
    await expectOnly(cluster, {
      config: 'infra',
      builds: [],
      images: async () => ({ tags: [], manifests: [] }),
    });
    await nothingIsFalse();
  });
});
