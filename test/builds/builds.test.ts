/** Builds of OS images from a MachineOSConfig to its image, and everything that may be deleted or changed on the way. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  annotations,
  machineConfigPool as machineConfigPoolKind,
  machineOSBuild as machineOSBuildKind,
  machineOSConfig as machineOSConfigKind,
  NAMESPACE,
} from '../../src/api/index.ts';
import {
  configMap as configMapKind,
  job as jobKind,
  node as nodeKind,
  pod as podKind,
  secret as secretKind,
} from '../../src/kubernetes/types/index.ts';
import { buildStateOf } from '../../src/rollout/index.ts';
import { eventsAbout } from '../rollout/story-steps.ts';
import {
  type BuildCluster,
  createPool,
  createPushSecret,
  HOST,
  REPOSITORY,
  startBuildCluster,
} from './build-cluster.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let cluster: BuildCluster;
beforeEach(async () => {
  cluster = await startBuildCluster();
});
afterEach(() => cluster.world.stop());

const kube = () => cluster.world.kube;
const pass = (ms: number) => cluster.world.env.clock.advance(ms);
/** The builds by age, with their states. */
const states = async () =>
  (await cluster.builds())
    .toSorted((a, b) =>
      (a.metadata.creationTimestamp ?? '').localeCompare(b.metadata.creationTimestamp ?? ''),
    )
    .map((build) => buildStateOf(build));
const current = async () =>
  (await cluster.config())?.metadata.annotations?.[annotations.currentMachineOSBuild] ?? '';
const degraded = async (name = 'infra') =>
  (await cluster.config(name))?.status?.conditions?.find(({ type }) => type === 'Degraded');
const untilState = (state: string) =>
  cluster.until(`a build that is ${state}`, async () => (await states()).some((one) => one === state));
const annotateConfig = (values: object) =>
  kube().patch(
    machineOSConfigKind,
    { name: 'infra' },
    { type: 'merge', body: { metadata: { annotations: values } } },
  );
const digestOf = (image: string) => image.split('@')[1] ?? '';
const records = (...builds: readonly string[]) => [
  ...builds.map((build) => `ConfigMap digest-${build}`),
  ...builds.map((build) => `Secret final-${build}`),
];
const namesOf = async () => (await cluster.builds()).map(({ metadata }) => metadata.name).toSorted();
const begin = async () => {
  cluster.startBuilder();
  await cluster.configure();
  return cluster.untilBuilt();
};

describe('a MachineOSConfig', () => {
  it('gets a build, whose image it names, and no other objects are left', async () => {
    const image = await begin();
    await pass(MINUTE);
    const name = await current();
    expect(name).toMatch(/^infra-[0-9a-f]{32}$/);
    expect(await cluster.images()).toEqual([digestOf(image)]);
    expect(await cluster.objects()).toEqual(records(name));
    const [build] = await cluster.builds();
    expect(build?.status).toMatchObject({
      digestedImagePushSpec: image,
      builder: { imageBuilderType: 'Job' },
    });
    const { buildStart = '', buildEnd = '' } = build?.status ?? {};
    expect(Date.parse(buildEnd)).toBeGreaterThan(Date.parse(buildStart));
    expect(Number(build?.metadata.annotations?.[annotations.imageSize])).toBeGreaterThan(100);
    expect((await cluster.config())?.status).toMatchObject({
      observedGeneration: 1,
      currentImagePullSpec: image,
      machineOSBuild: { group: 'machineconfiguration.openshift.io', resource: 'machineosbuilds', name },
      conditions: [{ type: 'Degraded', status: 'False', reason: 'AsExpected' }],
    });
    const reasons = (await eventsAbout(cluster.world, 'MachineOSBuild', name)).map(({ reason }) => reason);
    expect(reasons.toSorted()).toEqual([
      'BuildBuilding',
      'BuildCompleted',
      'BuildPreparing',
      'BuildStarted',
      'JobCompleted',
      'JobCreated',
      'JobDeleted',
      'JobStarted',
    ]);
  });

  it('leaves no image of a pod that died before it could report it', async () => {
    cluster.script.outcome = (_, pod) => ({ kind: pod === 2 ? 'succeeds' : 'forgets' });
    const image = await begin();
    await pass(MINUTE);
    expect(await cluster.images()).toEqual([digestOf(image)]);
    expect(await cluster.objects()).toEqual(records(await current()));
  });

  it('writes nothing more once its image is built', async () => {
    await begin();
    await pass(MINUTE);
    const before = [await cluster.config(), await cluster.builds()];
    await pass(HOUR);
    expect([await cluster.config(), await cluster.builds()]).toEqual(before);
  });

  it('keeps its image when only files change, under a new build without a Job', async () => {
    const image = await begin();
    const first = await current();
    await cluster.render('rendered-infra-2');
    await cluster.until(
      'the new build',
      async () => (await current()) !== first && (await states()).length === 2,
    );
    await pass(MINUTE);
    expect(await states()).toEqual(['Succeeded', 'Succeeded']);
    expect((await cluster.config())?.status?.currentImagePullSpec).toBe(image);
    expect(await cluster.images()).toEqual([digestOf(image)]);
    expect(await cluster.objects()).toEqual(records(first));
  });

  it('keeps its image for new files although the registry is down and the push secret is gone', async () => {
    const image = await begin();
    const first = await current();
    cluster.outage.isDown = true;
    await kube().delete(secretKind, { name: 'push', namespace: NAMESPACE });
    await pass(11 * MINUTE);
    await cluster.render('rendered-infra-2');
    await cluster.until('the new build', async () => (await current()) !== first);
    await pass(MINUTE);
    expect(await states()).toEqual(['Succeeded', 'Succeeded']);
    expect((await cluster.config())?.status?.currentImagePullSpec).toBe(image);
    expect(await degraded()).toMatchObject({ status: 'True', reason: 'SecretNotFound' });
  });

  it('does not stop a running build for new files, and takes its image', async () => {
    cluster.script.podMs = 10 * MINUTE;
    cluster.startBuilder();
    await cluster.configure();
    await untilState('Building');
    await cluster.render('rendered-infra-2');
    const image = await cluster.untilBuilt();
    await pass(MINUTE);
    expect(await cluster.images()).toEqual([digestOf(image)]);
    expect(await states()).toEqual(['Succeeded', 'Succeeded']);
  });

  it('gets a new image when the kernel changes', async () => {
    const image = await begin();
    await cluster.render('rendered-infra-2', { kernelArguments: ['quiet'] });
    const next = await cluster.untilBuilt(image);
    await pass(MINUTE);
    expect(await cluster.images()).toEqual([digestOf(image), digestOf(next)].toSorted());
  });

  it('stops a running build that its new spec supersedes, without a trace', async () => {
    cluster.startBuilder();
    await cluster.configure();
    await untilState('Building');
    const first = await current();
    await cluster.configure({ content: 'RUN other' });
    const image = await cluster.untilBuilt();
    await pass(MINUTE);
    expect(await current()).not.toBe(first);
    expect(await namesOf()).toEqual([await current()]);
    expect(await cluster.objects()).toEqual(records(await current()));
    expect(await cluster.images()).toEqual([digestOf(image)]);
    expect((await cluster.config())?.status?.observedGeneration).toBe(2);
  });

  it('stops a running build at once when its new spec cannot be built, and builds once it can', async () => {
    cluster.script.podMs = 10 * MINUTE;
    cluster.startBuilder();
    await cluster.configure();
    await untilState('Building');
    await cluster.configure({ pushSecret: 'later' });
    await cluster.until('no build', async () => (await cluster.builds()).length === 0, MINUTE);
    await pass(MINUTE);
    expect(await cluster.objects()).toEqual([]);
    expect(await degraded()).toMatchObject({ status: 'True', reason: 'SecretNotFound' });
    await createPushSecret(cluster.world, 'secret', 'later');
    const image = await cluster.untilBuilt();
    await pass(MINUTE);
    expect(await cluster.images()).toEqual([digestOf(image)]);
  });

  it('takes the image of its running build for new files although the push secret is gone', async () => {
    cluster.script.podMs = 10 * MINUTE;
    cluster.startBuilder();
    await cluster.configure();
    await untilState('Building');
    await kube().delete(secretKind, { name: 'push', namespace: NAMESPACE });
    await cluster.render('rendered-infra-2');
    const image = await cluster.untilBuilt();
    await pass(MINUTE);
    expect(await cluster.images()).toEqual([digestOf(image)]);
    expect(await states()).toEqual(['Succeeded', 'Succeeded']);
  });

  it('says in events that changes were taken up, or why not', async () => {
    await begin();
    await cluster.configure({ content: 'RUN other' });
    await cluster.until(
      'it is observed',
      async () => (await cluster.config())?.status?.observedGeneration === 2,
    );
    await kube().delete(secretKind, { name: 'push', namespace: NAMESPACE });
    await pass(MINUTE);
    await cluster.configure({ content: 'RUN another' });
    await cluster.render('rendered-infra-2');
    await pass(MINUTE);
    const about = async (kind: string) =>
      (await eventsAbout(cluster.world, kind, 'infra')).map(({ reason, message }) => `${reason} ${message}`);
    const ofConfig = await about('MachineOSConfig');
    expect(ofConfig).toContain(
      'ConfigReconciled MachineOSConfig spec change detected and reconciled: new build created or reused',
    );
    expect(ofConfig.find((one) => one.startsWith('ConfigReconcileFailed'))).toContain(
      'Failed to reconcile MachineOSConfig spec change: could not validate renderedImagePushSecret "push"',
    );
    expect(await about('MachineConfigPool')).toContain(
      'PoolConfigChanged Rendered config changed from rendered-infra-1 to rendered-infra-2',
    );
  });

  it('is not observed before it names the build of its new spec', async () => {
    await begin();
    const seen: string[] = [];
    const first = await current();
    await cluster.configure({ content: 'RUN other' });
    await cluster.until('the new build', async () => {
      const config = await cluster.config();
      const isOld = config?.metadata.annotations?.[annotations.currentMachineOSBuild] === first;
      if (isOld && config?.status?.observedGeneration === 2) seen.push('observed with the old build');
      return !isOld && config?.status?.observedGeneration === 2;
    });
    expect(seen).toEqual([]);
  });

  it('builds again on request, and the old image goes once no node runs it', async () => {
    const image = await begin();
    await cluster.setNodeImage('worker-0', image);
    await annotateConfig({ [annotations.rebuild]: '' });
    const next = await cluster.untilBuilt(image);
    await pass(MINUTE);
    const values = (await cluster.config())?.metadata.annotations ?? {};
    expect(values[annotations.rebuild]).toBeUndefined();
    expect(values[annotations.rebuilds]).toBeUndefined();
    expect(await cluster.images()).toEqual([digestOf(image), digestOf(next)].toSorted());
    await cluster.setNodeImage('worker-0', next);
    await pass(MINUTE);
    expect(await cluster.images()).toEqual([digestOf(next)]);
    expect(await cluster.objects()).toEqual(records(await current()));
  });

  it('is not built again on request while the registry is down, and keeps its build', async () => {
    const image = await begin();
    const [before] = await cluster.builds();
    cluster.outage.isDown = true;
    await pass(11 * MINUTE);
    await annotateConfig({ [annotations.rebuild]: '' });
    await pass(MINUTE);
    expect(await degraded()).toMatchObject({ status: 'True', reason: 'RegistryError' });
    expect((await cluster.builds())[0]?.metadata.uid).toBe(before?.metadata.uid);
    cluster.outage.isDown = false;
    expect(await cluster.untilBuilt(image)).not.toBe(image);
  });

  it('keeps two older images for going back, and those of nodes', async () => {
    const first = await begin();
    await cluster.setNodeImage('worker-0', first);
    let image = first;
    for (const content of ['RUN 2', 'RUN 3', 'RUN 4', 'RUN 5']) {
      await pass(MINUTE);
      await cluster.configure({ content });
      image = await cluster.untilBuilt(image);
    }
    await pass(11 * MINUTE);
    // The current one, two older ones, and that of the node.
    expect((await cluster.builds()).length).toBe(4);
    expect((await cluster.images()).length).toBe(4);
    await cluster.setNodeImage('worker-0', image);
    await pass(11 * MINUTE);
    expect((await cluster.builds()).length).toBe(3);
    expect((await cluster.images()).length).toBe(3);
    expect(await cluster.objects()).toEqual(records(...(await namesOf())));
  });

  it('does not collect builds of the same image without end', async () => {
    await begin();
    for (let count = 2; count <= 6; count++) {
      await pass(MINUTE);
      await cluster.render(`rendered-infra-${count}`);
      await pass(10_000);
    }
    await pass(11 * MINUTE);
    expect(await states()).toEqual(['Succeeded', 'Succeeded', 'Succeeded']);
    expect((await cluster.images()).length).toBe(1);
  });
});

describe('a deletion in the middle of a build', () => {
  const untilBuilding = async () => {
    cluster.startBuilder();
    await cluster.configure();
    await untilState('Building');
    return current();
  };
  const clean = async () => {
    const image = await cluster.untilBuilt();
    await pass(MINUTE);
    expect(await cluster.images()).toEqual([digestOf(image)]);
    expect(await cluster.objects()).toEqual(records(await current()));
    expect(await namesOf()).toEqual([await current()]);
    expect(await degraded()).toMatchObject({ status: 'False' });
  };

  it('of the Job is an interruption, after which the build is repeated', async () => {
    const name = await untilBuilding();
    await kube().delete(
      jobKind,
      { name: `build-${name}`, namespace: NAMESPACE },
      { propagationPolicy: 'Background' },
    );
    await clean();
    const reasons = (await eventsAbout(cluster.world, 'MachineOSBuild', name)).map(({ reason }) => reason);
    expect(reasons).toContain('BuildInterrupted');
  });

  it('of the pod is one failed attempt of the Job', async () => {
    const name = await untilBuilding();
    const uid = (await cluster.builds())[0]?.metadata.uid;
    const { items } = await kube().list(podKind, { namespace: NAMESPACE });
    await kube().delete(podKind, { name: items[0]?.metadata.name ?? '', namespace: NAMESPACE });
    await clean();
    expect(await current()).toBe(name);
    expect((await cluster.builds())[0]?.metadata.uid).toBe(uid);
  });

  it('of the MachineOSBuild stops the Job, and the build is repeated', async () => {
    const name = await untilBuilding();
    await kube().delete(machineOSBuildKind, { name });
    await clean();
  });

  it('of the MachineOSBuild alone, which leaves its Job behind, is mended too', async () => {
    const name = await untilBuilding();
    await kube().delete(machineOSBuildKind, { name }, { propagationPolicy: 'Orphan' });
    await clean();
  });

  it('of the ConfigMap for the digest is mended before the pod needs it', async () => {
    const name = await untilBuilding();
    await kube().delete(configMapKind, { name: `digest-${name}`, namespace: NAMESPACE });
    await clean();
  });

  it('of the copy of the push credentials is mended', async () => {
    const name = await untilBuilding();
    await kube().delete(secretKind, { name: `final-${name}`, namespace: NAMESPACE });
    await pass(1_000);
    expect(await cluster.objects()).toContain(`Secret final-${name}`);
    await clean();
  });

  it('of the pool stops the build that runs, without a trace, and the pool created anew gets one', async () => {
    cluster.script.podMs = 10 * MINUTE;
    await untilBuilding();
    await kube().delete(machineConfigPoolKind, { name: 'infra' });
    await cluster.until('no build', async () => (await cluster.builds()).length === 0, MINUTE);
    await pass(HOUR);
    expect(await cluster.builds()).toEqual([]);
    expect(await cluster.objects()).toEqual([]);
    expect(await cluster.images()).toEqual([]);
    expect(await degraded()).toMatchObject({ status: 'True', reason: 'PoolNotFound' });
    await createPool(cluster.world, 'rendered-infra-2');
    await clean();
  });
});

describe('a deletion after a build', () => {
  it('of the ConfigMap with the digest is mended, and the image is still deleted in the end', async () => {
    const image = await begin();
    const name = await current();
    await kube().delete(configMapKind, { name: `digest-${name}`, namespace: NAMESPACE });
    await pass(MINUTE);
    expect(await cluster.objects()).toEqual(records(name));
    expect((await cluster.config())?.status?.currentImagePullSpec).toBe(image);
    await kube().delete(machineOSConfigKind, { name: 'infra' });
    await pass(MINUTE);
    expect(await cluster.images()).toEqual([]);
    expect(await cluster.objects()).toEqual([]);
  });

  it('of the image in the registry is noticed, and it is built again', async () => {
    const image = await begin();
    await cluster.setNodeImage('worker-0', image);
    await cluster.deleteImage(image);
    const next = await cluster.untilBuilt(image);
    await pass(MINUTE);
    expect(await cluster.images()).toEqual([digestOf(next)]);
    expect(await namesOf()).toEqual([await current()]);
    const events = await eventsAbout(cluster.world, 'MachineOSConfig', 'infra');
    expect(events.filter(({ reason }) => reason === 'ImageMissing')).toMatchObject([
      { type: 'Warning', message: `Image ${image} is not in its registry any more: it is built again` },
    ]);
  });

  it('is not assumed where the registry hides images from credentials that may only push', async () => {
    cluster.outage.hidesImages = true;
    const image = await begin();
    await pass(2 * HOUR);
    expect((await cluster.config())?.status?.currentImagePullSpec).toBe(image);
    expect(await cluster.images()).toEqual([digestOf(image)]);
  });

  it('of the MachineOSBuild builds a new image', async () => {
    const image = await begin();
    await kube().delete(machineOSBuildKind, { name: await current() });
    const next = await cluster.untilBuilt(image);
    await pass(MINUTE);
    expect(await cluster.images()).toEqual([digestOf(next)]);
    expect(await cluster.objects()).toEqual(records(await current()));
  });

  it('of the pool leaves its successful build and the image', async () => {
    const image = await begin();
    const name = await current();
    await kube().delete(machineConfigPoolKind, { name: 'infra' });
    await pass(HOUR);
    expect(await namesOf()).toEqual([name]);
    expect(await cluster.images()).toEqual([digestOf(image)]);
    expect(await cluster.objects()).toEqual(records(name));
    expect(await degraded()).toMatchObject({ status: 'True', reason: 'PoolNotFound' });
  });

  it('of the MachineOSConfig deletes its builds, and the image once the last node has left it', async () => {
    const image = await begin();
    const name = await current();
    await cluster.setNodeImage('worker-0', image);
    await cluster.setNodeImage('worker-1', image);
    await kube().delete(machineOSConfigKind, { name: 'infra' });
    await cluster.until('no builds', async () => (await cluster.builds()).length === 0);
    await kube().delete(secretKind, { name: 'push', namespace: NAMESPACE });
    await cluster.setNodeImage('worker-0', null);
    await pass(HOUR);
    expect(await cluster.images()).toEqual([digestOf(image)]);
    expect(await cluster.objects()).toEqual(records(name));
    await cluster.setNodeImage('worker-1', null);
    await pass(MINUTE);
    expect(await cluster.images()).toEqual([]);
    expect(await cluster.objects()).toEqual([]);
    const events = await eventsAbout(cluster.world, 'MachineOSConfig', 'infra');
    expect(events.map(({ reason }) => reason)).toContain('ConfigDeleted');
  });

  it('of the MachineOSConfig and its creation anew end with one build and one image', async () => {
    await begin();
    await kube().delete(machineOSConfigKind, { name: 'infra' });
    await cluster.configure();
    const image = await cluster.untilBuilt();
    await pass(11 * MINUTE);
    expect(await namesOf()).toEqual([await current()]);
    const owner = (await cluster.builds())[0]?.metadata.ownerReferences?.[0]?.uid;
    expect(owner).toBe((await cluster.config())?.metadata.uid);
    expect(await cluster.images()).toEqual([
      digestOf((await cluster.config())?.status?.currentImagePullSpec ?? ''),
    ]);
    expect(image).not.toBe('');
  });

  it('of an image that its registry refuses to delete leaves no record for ever', async () => {
    await begin();
    cluster.outage.refusesDeletion = true;
    await kube().delete(machineOSConfigKind, { name: 'infra' });
    await pass(MINUTE);
    expect(await cluster.objects()).toEqual([]);
    expect(cluster.world.env.lines.some(({ message }) => message === 'Image not deleted')).toBe(true);
  });
});

describe('a failing build', () => {
  const failing = { kind: 'fails', message: 'pushing the image: unauthorized: access denied' } as const;

  it('uses its four attempts, keeps its objects for looking at, and says why on the MachineOSConfig', async () => {
    cluster.script.outcome = () => failing;
    cluster.startBuilder();
    await cluster.configure();
    await untilState('Failed');
    await pass(1_000);
    const name = await current();
    const [build] = await cluster.builds();
    const failed = build?.status?.conditions?.find(({ type }) => type === 'Failed');
    expect(failed?.message).toBe(`Build Failed: ${failing.message}`);
    expect(await degraded()).toMatchObject({
      status: 'True',
      reason: 'BuildFailed',
      message: `MachineOSBuild ${name}: Build Failed: ${failing.message}`,
    });
    expect((await cluster.objects()).filter((one) => one.startsWith('Pod')).length).toBe(4);
    expect(await cluster.objects()).toContain(`Job build-${name}`);
    const reasons = (await eventsAbout(cluster.world, 'MachineOSConfig', 'infra')).map(
      ({ reason }) => reason,
    );
    expect(reasons.toSorted()).toEqual(['BuildDegraded', 'BuildFailed']);
  });

  it('is repeated with the new credentials as soon as the Secret is mended', async () => {
    cluster.script.outcome = () => failing;
    cluster.startBuilder();
    await cluster.configure();
    await untilState('Failed');
    cluster.script.outcome = () => ({ kind: 'succeeds' });
    await createPushSecret(cluster.world, 'mended');
    await cluster.until('the retry', async () => (await states()).includes('Building'), MINUTE);
    const name = await current();
    const copy = await kube().get(secretKind, { name: `final-${name}`, namespace: NAMESPACE });
    expect(atob(copy?.data?.['.dockerconfigjson'] ?? '')).toContain(btoa('builder:mended'));
    await cluster.untilBuilt();
    await pass(MINUTE);
    expect(await degraded()).toMatchObject({ status: 'False' });
    const reasons = (await eventsAbout(cluster.world, 'MachineOSConfig', 'infra')).map(
      ({ reason }) => reason,
    );
    expect(reasons).toContain('BuildRecovered');
  });

  it('is repeated by itself after ten minutes, and then more and more rarely', async () => {
    cluster.script.outcome = () => failing;
    cluster.script.podMs = 1_000;
    cluster.startBuilder();
    await cluster.configure();
    const uids = new Set<string>();
    const end = cluster.world.env.clock.monotonic() + 24 * HOUR;
    while (cluster.world.env.clock.monotonic() < end) {
      for (const { metadata } of await cluster.builds()) uids.add(metadata.uid ?? '');
      await pass(MINUTE);
    }
    expect(uids.size).toBeGreaterThan(6);
    expect(uids.size).toBeLessThan(14);
  });

  it('that takes longer than an hour is stopped, and says so', async () => {
    cluster.script.outcome = () => ({ kind: 'hangs' });
    cluster.startBuilder();
    await cluster.configure();
    await cluster.until('the failure', async () => (await states()).includes('Failed'), 2 * HOUR);
    await pass(1_000);
    expect((await degraded())?.message).toContain(
      'Build Failed: DeadlineExceeded: Job was active longer than specified deadline: it was stopped after 1 hour',
    );
  });

  it('of a wrong Containerfile has no Job, names the line, and is mended by the next spec', async () => {
    cluster.startBuilder();
    await cluster.configure({ content: 'RUM dnf' });
    await untilState('Failed');
    await pass(MINUTE);
    const message = 'Containerfile validation failed: line 2: unknown Dockerfile instruction: rum';
    expect(await degraded()).toMatchObject({ status: 'True', reason: 'InvalidContainerfile', message });
    expect(await cluster.objects()).toEqual([]);
    await cluster.configure({ content: 'RUN dnf' });
    await cluster.untilBuilt();
    await pass(MINUTE);
    expect(await namesOf()).toEqual([await current()]);
  });
});

describe('a problem before a build', () => {
  const untilReason = (reason: string) =>
    cluster.until(reason, async () => (await degraded())?.reason === reason, MINUTE);

  it('is a missing push secret, until it is created', async () => {
    await kube().delete(secretKind, { name: 'push', namespace: NAMESPACE });
    cluster.startBuilder();
    await cluster.configure();
    await untilReason('SecretNotFound');
    expect((await degraded())?.message).toBe(
      'could not validate renderedImagePushSecret "push" for MachineOSConfig infra: secret push from infra is not found. Did you use the right secret name? It must be in namespace openshift-machine-config-operator',
    );
    expect(await cluster.builds()).toEqual([]);
    await createPushSecret(cluster.world);
    await cluster.untilBuilt();
  });

  it('is a pull secret of the cluster that is wrong, by its name', async () => {
    await kube().create(secretKind, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'pull-secret', namespace: NAMESPACE },
      data: { key: 'eA==' },
    });
    cluster.startBuilder();
    await cluster.configure();
    await untilReason('InvalidSecret');
    expect((await degraded())?.message).toContain('could not validate baseImagePullSecret "pull-secret"');
    await kube().delete(secretKind, { name: 'pull-secret', namespace: NAMESPACE });
    await cluster.untilBuilt();
  });

  it('is a registry that cannot be reached, until it can', async () => {
    cluster.outage.isDown = true;
    cluster.startBuilder();
    await cluster.configure();
    await untilReason('RegistryError');
    expect((await degraded())?.message).toContain(`images cannot be pushed to ${REPOSITORY}:latest: `);
    expect((await degraded())?.message).toContain('no such host');
    cluster.outage.isDown = false;
    await cluster.untilBuilt();
    await pass(MINUTE);
    expect(await degraded()).toMatchObject({ status: 'False' });
  });

  it('is a node with another OS, until it has left the pool', async () => {
    const status = { nodeInfo: { osImage: 'Ubuntu 24.04', architecture: 'amd64' } };
    await kube().patch(
      nodeKind,
      { name: 'worker-1' },
      { type: 'merge', body: { status } },
      { subresource: 'status' },
    );
    cluster.startBuilder();
    await cluster.configure();
    await untilReason('NotCoreOS');
    const leave = { metadata: { labels: { 'node-role.kubernetes.io/infra': null } } };
    await kube().patch(nodeKind, { name: 'worker-1' }, { type: 'merge', body: leave });
    await pass(1_000);
    expect(await degraded()).toMatchObject({ status: 'False' });
    await cluster.untilBuilt();
  });

  it('is a second MachineOSConfig for the pool, until one of them is deleted', async () => {
    const image = await begin();
    await cluster.createRival('a-infra');
    await cluster.until(
      'the reason',
      async () => (await degraded())?.reason === 'AnotherMachineOSConfig',
      MINUTE,
    );
    expect((await degraded())?.message).toBe(
      'MachineOSConfig a-infra is already for pool infra: delete one of the two',
    );
    await cluster.until(
      'its image',
      async () => (await cluster.config('a-infra'))?.status?.currentImagePullSpec !== undefined,
    );
    await pass(11 * MINUTE);
    expect((await cluster.config())?.status?.currentImagePullSpec).toBe(image);
    expect((await cluster.images()).length).toBe(2);
    await kube().delete(machineOSConfigKind, { name: 'a-infra' });
    await pass(MINUTE);
    expect(await degraded()).toMatchObject({ status: 'False' });
    expect(await cluster.images()).toEqual([digestOf(image)]);
    expect(await cluster.objects()).toEqual(records(await current()));
  });

  it('is a rendered config that fits into no ConfigMap', async () => {
    const noise = Array.from({ length: 500_000 }, (_, index) =>
      ((index * 7919) ^ (index >> 3)).toString(36),
    ).join('');
    const source = `data:,${noise.slice(0, 1_400_000)}`;
    const files = [{ path: '/etc/noise', contents: { source } }];
    await cluster.render('rendered-infra-2', {
      config: { ignition: { version: '3.5.0' }, storage: { files } },
    });
    cluster.startBuilder();
    await cluster.configure();
    await untilReason('ObjectRefused');
    expect((await degraded())?.message).toContain('could not start the build: ');
  });
});

describe('a pre-built image', () => {
  const PRE_BUILT = `${HOST}/os/infra@sha256:${'b'.repeat(64)}`;

  it('takes the place of the first build', async () => {
    const pushed = await cluster.pushImage('seed');
    cluster.startBuilder();
    await cluster.configure({ annotations: { [annotations.preBuiltImage]: pushed } });
    await cluster.untilBuilt();
    await pass(11 * MINUTE);
    const config = await cluster.config();
    expect(config?.metadata.annotations?.[annotations.preBuiltImage]).toBeUndefined();
    expect(config?.status?.currentImagePullSpec).toBe(pushed);
    expect(config?.status?.conditions?.find(({ type }) => type === 'Seeded')).toMatchObject({
      status: 'True',
      reason: 'PreBuiltImageSeeded',
      message: `MachineOSConfig seeded with pre-built image "${pushed}"`,
    });
    const [build] = await cluster.builds();
    expect(build?.metadata.labels?.['machineconfiguration.openshift.io/pre-built-image']).toBe('true');
    expect(build?.spec.renderedImagePushSpec).toBe(`${REPOSITORY}:latest`);
    expect(build?.status?.conditions?.map(({ reason, message }) => `${reason}: ${message}`)).toEqual([
      ...Array(4).fill('PreBuiltImageSeeded: Skipped: using pre-built image'),
      `PreBuiltImageSeeded: Pre-built image "${pushed}" successfully seeded`,
    ]);
    // It belongs to its maker: nothing deletes it.
    await kube().delete(machineOSConfigKind, { name: 'infra' });
    await pass(MINUTE);
    expect(await cluster.images()).toEqual([digestOf(pushed)]);
  });

  it('that is not in its registry is followed by a build', async () => {
    cluster.startBuilder();
    await cluster.configure({ annotations: { [annotations.preBuiltImage]: PRE_BUILT } });
    const image = await cluster.untilBuilt(PRE_BUILT);
    expect(await cluster.images()).toEqual([digestOf(image)]);
  });

  it.each([`${HOST}/os/infra:tag`, `${HOST}/a/b/c@sha256:${'b'.repeat(64)}`])(
    'cannot be %s',
    async (image) => {
      cluster.startBuilder();
      await cluster.configure({ annotations: { [annotations.preBuiltImage]: image } });
      await cluster.until(
        'the reason',
        async () => (await degraded())?.reason === 'InvalidPreBuiltImage',
        MINUTE,
      );
      expect((await degraded())?.message).toContain('pre-built image must use digested format');
    },
  );
});
