/**
 * A user who may create pods, Jobs, MachineOSBuilds and what builds read, in our namespace, tries to have something of his own run on the
 * machine that the embedded cluster is on, while a real build is running.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../contract/eventually.ts';
import { Cluster } from '../up/cluster.ts';
import type { KubectlCall } from '../up/running-kubectl.ts';
import { kubeconfigOf, tryAs } from './account.ts';
import { ANYONE, aMachineOSConfig, aPool, aRegistrySecret, NAMESPACE } from './build-objects.ts';
import { builtImage, currentBuild, PATIENT, withBuilds } from './embedded-builds.ts';
import { filesOfBuilds, processesOfBuilds } from './traces.ts';

const FLAGS = ['--control-plane', '1', '--workers', '1', '--speed', '50'];
const MC = 'machineconfiguration.openshift.io';
const USER = { name: 'intruder', namespace: 'default' };
const CONTENT = 'FROM configs AS final\nRUN sleep 20; echo layered > /etc/layered\n';

withBuilds('a user who may create pods', () => {
  let cluster: Cluster;
  let call: KubectlCall;
  /** What is written if anything of his is run. */
  let mark = '';
  let build = '';
  beforeAll(async () => {
    cluster = await Cluster.start(FLAGS);
    mark = join(cluster.dataDir, '../intruded');
    await cluster.kubectl(['create', 'serviceaccount', USER.name, '-n', USER.namespace]);
    const verbs = '--verb=get,list,create,update,patch,delete';
    for (const [name, resource] of [
      ['core', 'pods,configmaps,secrets'],
      ['jobs', 'jobs.batch'],
      ['builds', `machineosbuilds.${MC}`],
    ] as const) {
      await cluster.kubectl(['create', 'clusterrole', name, verbs, `--resource=${resource}`]);
      await cluster.kubectl([
        ...['create', 'clusterrolebinding', name, `--clusterrole=${name}`],
        `--serviceaccount=${USER.namespace}:${USER.name}`,
      ]);
    }
    call = { ...cluster.call, kubeconfig: await kubeconfigOf(cluster, USER) };
    await cluster.apply(
      aPool('infra'),
      aRegistrySecret('push', ANYONE),
      aMachineOSConfig({ pool: 'infra', content: CONTENT }),
    );
    build = await eventually(
      'the build is running',
      async () => {
        const name = await currentBuild(cluster, 'infra');
        return name !== '' && processesOfBuilds(cluster).some((line) => line.includes('buildah'))
          ? name
          : undefined;
      },
      PATIENT,
    );
  });
  afterAll(() => cluster.end());

  const attempt = (object: object) => tryAs(call, ['create', '-n', NAMESPACE, '-f', '-'], object);
  const merge = (of: string, body: object) =>
    tryAs(call, ['patch', of, '-n', NAMESPACE, '--type=merge', '-p', JSON.stringify(body)]);
  const uidOf = (of: string) =>
    cluster.kubectl(['get', of, '-n', NAMESPACE, '-o', 'jsonpath={.metadata.uid}']);
  const owner = async (kind: 'Job' | 'MachineOSBuild', name: string) => ({
    apiVersion: kind === 'Job' ? 'batch/v1' : `${MC}/v1`,
    ...{ kind, name, controller: true },
    uid: await uidOf(`${kind}/${name}`),
  });
  /** With everything that a container may ask for. */
  const container = (name: string) => ({
    name,
    image: 'millwright-builder',
    command: ['sh', '-c', `touch ${mark}`],
    args: [mark],
    env: [{ name: 'NODE_OPTIONS', value: `--require=${mark}` }],
    securityContext: { privileged: true, runAsUser: 0 },
    volumeMounts: [{ name: 'root', mountPath: '/host' }],
  });
  const podSpec = () => ({
    restartPolicy: 'Never',
    serviceAccountName: 'machine-os-build-pod',
    hostPID: true,
    hostNetwork: true,
    initContainers: ['image-build', 'image-push'].map(container),
    containers: [container('create-digest-configmap')],
    volumes: [{ name: 'root', hostPath: { path: '/' } }],
  });
  const aJob = (name: string, metadata: object = {}) => ({
    ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name, ...metadata } },
    spec: { template: { spec: podSpec() } },
  });
  const podOf = (job: string) =>
    eventually(
      `the pod of ${job} is started`,
      async () => {
        const [uid = '', state = ''] = (
          await cluster.kubectl([
            ...['get', 'pods', '-n', NAMESPACE, '-l', `batch.kubernetes.io/job-name=${job}`, '-o'],
            'jsonpath={.items[0].metadata.uid} {.items[0].status.initContainerStatuses[0].state}',
          ])
        ).split(' ');
        return state.includes('running') ? uid : undefined;
      },
      PATIENT,
    );

  describe('is refused', () => {
    it('a MachineOSBuild of his own', async () => {
      const object = {
        ...{ apiVersion: `${MC}/v1`, kind: 'MachineOSBuild', metadata: { name: 'infra-own' } },
        spec: {
          machineConfig: { name: 'rendered-infra-1' },
          machineOSConfig: { name: 'infra' },
          renderedImagePushSpec: 'registry.example.com/example/os:1',
        },
      };
      const { isAllowed, text } = await attempt(object);
      expect(text).toContain('MachineOSBuilds are created by the machine-os-builder');
      expect(isAllowed).toBe(false);
    });

    it('a Job that belongs to a MachineOSBuild', async () => {
      const ownerReferences = [await owner('MachineOSBuild', build)];
      const { isAllowed, text } = await attempt(aJob('build-owned', { ownerReferences }));
      expect(text).toContain('Jobs of MachineOSBuilds are created by the machine-os-builder alone');
      expect(isAllowed).toBe(false);
    });

    it('a pod that belongs to the Job of a build, by owner or by labels', async () => {
      const job = await owner('Job', `build-${build}`);
      const labels = {
        'batch.kubernetes.io/controller-uid': job.uid,
        'batch.kubernetes.io/job-name': job.name,
      };
      for (const metadata of [{ ownerReferences: [job] }, { labels }]) {
        const { isAllowed, text } = await attempt({
          ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'own', ...metadata } },
          spec: podSpec(),
        });
        expect(text).toContain('pods of Jobs in this namespace are created by the Job controller alone');
        expect(isAllowed).toBe(false);
      }
    });

    it('another Containerfile, and another Job, for a build that is running', async () => {
      const refusals = [
        await merge(`configmap/containerfile-${build}`, { data: { Containerfile: `RUN touch ${mark}` } }),
        await merge(`machineosbuild/${build}`, {
          metadata: { annotations: { [`${MC}/job-uid`]: 'another' } },
        }),
      ];
      for (const { isAllowed, text } of refusals) {
        expect(text).toContain('machine-os-builder');
        expect(isAllowed).toBe(false);
      }
    });
  });

  it('can create Jobs and pods with the containers of builds, and none of their commands is run', async () => {
    expect(await attempt(aJob('build-own'))).toMatchObject({ isAllowed: true });
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'own' }, spec: podSpec() };
    expect(await attempt(pod)).toMatchObject({ isAllowed: true });
    const uids = [await podOf('build-own'), await uidOf('pod/own')];
    // Nor does such a Job become one of the build afterwards.
    const ownerReferences = [await owner('MachineOSBuild', build)];
    expect(await merge('job/build-own', { metadata: { ownerReferences } })).toMatchObject({
      isAllowed: false,
    });
    for (const uid of uids) expect(filesOfBuilds(cluster)).not.toContain(uid);
    expect(existsSync(mark)).toBe(false);
  });

  it('cannot change what the pod of a build runs, nor replace its Job by one with the same name', async () => {
    const genuine = await cluster.kubectl([
      ...['get', 'pods', '-n', NAMESPACE, '-l', `batch.kubernetes.io/job-name=build-${build}`],
      ...['-o', 'jsonpath={.items[0].metadata.name}'],
    ]);
    const initContainers = [container('image-build')];
    expect(await merge(`pod/${genuine}`, { spec: { initContainers } })).toMatchObject({ isAllowed: false });
    const former = await uidOf(`job/build-${build}`);
    expect(await tryAs(call, ['delete', `job/build-${build}`, '-n', NAMESPACE])).toMatchObject({
      isAllowed: true,
    });
    // He may win the race against the builder, whose next build deletes what is in its way.
    await attempt(aJob(`build-${build}`));
    await builtImage(cluster, 'infra');
    expect(existsSync(mark)).toBe(false);
    const listed = await cluster.kubectl([
      'get',
      'jobs',
      '-n',
      NAMESPACE,
      '-o',
      'jsonpath={.items[*].metadata.uid}',
    ]);
    expect(listed).not.toContain(former);
    await eventually(
      'only his own Job is left',
      async () =>
        (await cluster.kubectl(['get', 'jobs', '-n', NAMESPACE, '-o', 'name'])) === 'job.batch/build-own\n'
          ? true
          : undefined,
      PATIENT,
    );
    await eventually(
      'no file is left',
      async () => (filesOfBuilds(cluster).length === 0 ? true : undefined),
      PATIENT,
    );
    expect(processesOfBuilds(cluster)).toEqual([]);
  });
});
