/** Image mode: an OS image is built in a pod of the cluster, and a node boots it. */
import { describe, expect, it } from 'vitest';
import {
  machineConfig as machineConfigKind,
  machineOSBuild as machineOSBuildKind,
  machineOSConfig as machineOSConfigKind,
} from '../../src/api/index.ts';
import { node as nodeKind } from '../../src/kubernetes/types/index.ts';
import { readKubeconfig } from '../kubernetes/kubeconfig.ts';
import { aConfig } from '../lab/lab-actions.ts';
import { until } from '../lab/until.ts';
import { REGISTRIES } from './addresses.ts';
import type { Cluster } from './cluster.ts';
import {
  eventually,
  installMillwright,
  NAMESPACE,
  poolOf,
  ROLLOUT_LIMIT_MS,
  untilUpdated,
} from './millwright.ts';
import { findPrograms } from './needs.ts';
import { story } from './story.ts';

// For the image of the builder.
const programs = await findPrograms(['buildah', 'newuidmap']);
const POOL = 'layered';
/** Pods know no names of registries: there is no DNS. */
const HOST = REGISTRIES['registry.millwright.dev'];
const REPOSITORY = `${HOST}/lab/${POOL}`;

/** What is written proves that the steps ran, and on what. */
const content = (told: string) => `FROM configs AS final
RUN . /usr/lib/os-release && mkdir /usr/share/layer && \\
    echo "made of $PRETTY_NAME, which tells: $(cat /etc/story), ${told}" >/usr/share/layer/made && ostree container commit
`;
const MADE = 'made of Lab CoreOS 1.0, which tells: once upon a time, the end';

describe.skipIf('unavailable' in programs)('image mode', () => {
  let cluster: Cluster;
  let image = '';
  story.beforeAll(async ({ cluster: shared }) => {
    cluster = shared;
    await installMillwright(cluster, { values: { builder: { enabled: true } } });
    await untilUpdated(cluster);
  });

  const explainBuild = async () => {
    const kubectl = (...args: string[]) => cluster.kubectl([...args, '-n', NAMESPACE]).catch(String);
    return [
      await kubectl('describe', 'machineosconfig,machineosbuild,job'),
      await kubectl(
        'describe',
        'pods',
        '-l',
        `machineconfiguration.openshift.io/target-machine-config-pool=${POOL}`,
      ),
      await kubectl(
        'logs',
        '--all-containers',
        '--prefix',
        '-l',
        `machineconfiguration.openshift.io/target-machine-config-pool=${POOL}`,
      ),
      await kubectl('logs', 'deployment/machine-os-builder'),
    ].join('\n---\n');
  };

  it('begins with a pool and an OS image for it', async () => {
    await cluster.kubectl(['apply', '-f', '-'], JSON.stringify(await trust(cluster)));
    await cluster.kubectl(['apply', '-f', '-'], JSON.stringify(MACHINE_CONFIG_POOL));
    await cluster.kubectl(['apply', '-f', '-'], JSON.stringify(PUSH_SECRET));
    const osImageURL = cluster.osImage('1.0').replace('registry.millwright.dev', HOST);
    const story = aConfig('50-layered', { osImageURL, files: { '/etc/story': 'once upon a time' } });
    const labels = { 'machineconfiguration.openshift.io/role': POOL };
    await cluster.kube.apply(machineConfigKind, { ...story, metadata: { ...story.metadata, labels } });
    await eventually(cluster, 'the pool has the config', ROLLOUT_LIMIT_MS, async () => {
      const sources = (await poolOf(cluster, POOL))?.spec.configuration?.source ?? [];
      return sources.some(({ name }) => name === '50-layered');
    });
  });

  // The last one is the image that is booted.
  it.each([
    ['containerd', 'debian-0', 'a draft'],
    ['CRI-O', 'ostree-1', 'the end'],
  ] as const)('builds the image of the pool in a pod of %s', async (_, host, told) => {
    const before = image;
    const others = cluster.machines.map(({ name }) => name).filter((name) => name !== host);
    await cluster.kubectl(['cordon', ...others]);
    await cluster.kubectl(['apply', '-f', '-'], JSON.stringify(machineOSConfig(told)));
    await until('the image is built', { limitMs: ROLLOUT_LIMIT_MS, explain: explainBuild }, async () => {
      const config = await cluster.kube.get(machineOSConfigKind, { name: POOL });
      image = config?.status?.currentImagePullSpec ?? '';
      return ![before, ''].includes(image) || (await isBuildDegraded(cluster));
    });
    await cluster.kubectl(['uncordon', ...others]);
    expect(await isBuildDegraded(cluster), await explainBuild()).toBe(false);
    expect(image).toMatch(new RegExp(`^${REPOSITORY}@sha256:[0-9a-f]{64}$`));
    const { items } = await cluster.kube.list(machineOSBuildKind);
    const build = items.find(({ status }) => status?.digestedImagePushSpec === image);
    expect(await nodesOfPods(cluster, `build-${build?.metadata.name}-`)).toEqual([host]);
  });

  it('boots the image on a node of the pool, with the config of the pool', async () => {
    const { output, bootId } = cluster.machine('ostree-0');
    const before = await bootId();
    await cluster.kubectl(['label', 'node', 'ostree-0', `node-role.kubernetes.io/${POOL}=`]);
    await eventually(cluster, 'the node has the image', ROLLOUT_LIMIT_MS, async () => {
      const node = await cluster.kube.get(nodeKind, { name: 'ostree-0' });
      const annotation = (name: string) =>
        node?.metadata.annotations?.[`machineconfiguration.openshift.io/${name}`];
      return annotation('currentImage') === image && annotation('state') === 'Done';
    });
    expect(await bootId()).not.toBe(before);
    expect(await output('cat', '/usr/share/layer/made')).toBe(MADE);
    expect(await output('cat', '/etc/story')).toBe('once upon a time');
    expect(await output('rpm-ostree', 'status')).toMatch(
      new RegExp(`\\* ostree-unverified-registry:${image}`),
    );
  });
});

async function isBuildDegraded(cluster: Cluster): Promise<boolean> {
  const conditions = (await poolOf(cluster, POOL))?.status?.conditions ?? [];
  return conditions.some(({ type, status }) => type === 'ImageBuildDegraded' && status === 'True');
}

/** Of pods that are gone, too: from the events of the scheduler. */
async function nodesOfPods({ kubectl }: Cluster, prefix: string): Promise<readonly string[]> {
  const template = '{{range .items}}{{.involvedObject.name}} {{.message}}\n{{end}}';
  const scheduled = ['get', 'events', '-n', NAMESPACE, '--field-selector=reason=Scheduled'];
  const rows = (await kubectl([...scheduled, '-o', `go-template=${template}`])).split('\n');
  return rows.filter((row) => row.startsWith(prefix)).map((row) => row.slice(row.lastIndexOf(' ') + 1));
}

/** The CA of the registry, for builds, as an administrator names it. */
async function trust({ kubeconfigPath }: Cluster) {
  const { caPem } = await readKubeconfig(kubeconfigPath);
  return list(
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'openshift-config' } },
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'registries', namespace: 'openshift-config' },
      data: { [HOST]: caPem },
    },
    {
      apiVersion: 'config.openshift.io/v1',
      kind: 'Image',
      metadata: { name: 'cluster' },
      spec: { additionalTrustedCA: { name: 'registries' } },
    },
  );
}

function list(...items: readonly object[]) {
  return { apiVersion: 'v1', kind: 'List', items };
}

const MACHINE_CONFIG_POOL = {
  apiVersion: 'machineconfiguration.openshift.io/v1',
  kind: 'MachineConfigPool',
  metadata: { name: POOL },
  spec: {
    machineConfigSelector: {
      matchExpressions: [
        { key: 'machineconfiguration.openshift.io/role', operator: 'In', values: ['worker', POOL] },
      ],
    },
    nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${POOL}`]: '' } },
  },
};

/** The registry lets everybody in. */
const PUSH_SECRET = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'push', namespace: NAMESPACE },
  type: 'kubernetes.io/dockerconfigjson',
  stringData: { '.dockerconfigjson': JSON.stringify({ auths: { [HOST]: { auth: btoa('lab:lab') } } }) },
};

const machineOSConfig = (told: string) => ({
  apiVersion: 'machineconfiguration.openshift.io/v1',
  kind: 'MachineOSConfig',
  metadata: { name: POOL },
  spec: {
    machineConfigPool: { name: POOL },
    imageBuilder: { imageBuilderType: 'Job' },
    renderedImagePushSecret: { name: 'push' },
    renderedImagePushSpec: `${REPOSITORY}:latest`,
    containerFile: [{ containerfileArch: 'NoArch', content: content(told) }],
  },
});
