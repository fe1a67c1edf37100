/**
 * The life of an OS image, as far as the builder has a part in it: built, built again on request, and deleted. Plays the Job
 * controller, the build pod and the garbage collector.
 */
import { annotations, type MachineOSBuild, machineOSBuild, machineOSConfig } from '../../src/api/index.ts';
import type { BuildRegistry } from '../../src/images/index.ts';
import { digestConfigMapOf, jobNameOf, reportDigest } from '../../src/images/index.ts';
import type { Kube } from '../../src/kubernetes/client/index.ts';
import { nameOf } from '../../src/kubernetes/meta/index.ts';
import { configMap, job, secret } from '../../src/kubernetes/types/index.ts';

export type BuildStory = {
  /** Of the builder. */
  readonly namespace: string;
  readonly admin: Kube;
  readonly registry: ReturnType<typeof willingRegistry>;
  /** With the identity of a pod. */
  readonly podKube: (pod: string) => Promise<Kube>;
  readonly until: (what: string, holds: () => Promise<boolean>) => Promise<void>;
};

/** Accepts everything. */
export function willingRegistry(): BuildRegistry & { readonly deleted: readonly string[] } {
  const deleted: string[] = [];
  return {
    deleted,
    inspect: async () => ({ kind: 'present' }),
    digestOf: async () => undefined,
    checkPush: async () => ({ kind: 'allowed' }),
    remove: async (image) => {
      deleted.push(image);
      return undefined;
    },
  };
}

const POOL = { name: 'infra' };

export async function runBuildStory(story: BuildStory): Promise<void> {
  const { admin, until, registry, namespace } = story;
  await createConfig(admin, namespace);
  const first = await builtImage(story, 'a');
  // The copy of the credentials is still there, for deleting the first image.
  const push = { name: 'push', namespace };
  const data = { '.dockerconfigjson': btoa('{"auths":{"quay.io":{"auth":"YTpj"}}}') };
  await admin.patch(secret, push, { type: 'merge', body: { data } });
  await annotate(admin, annotations.rebuild);
  await until('the first build is deleted', async () => {
    const found = await admin.get(machineOSBuild, { name: nameOf(first) });
    if (found?.metadata.uid !== first.metadata.uid) return true;
    if (found?.metadata.deletionTimestamp !== undefined) await collectGarbage(admin, first);
    return false;
  });
  const second = await builtImage(story, 'b');
  await admin.delete(machineOSConfig, POOL);
  await until('its images are deleted', async () => {
    // It is owned by the MachineOSConfig.
    await admin.delete(machineOSBuild, { name: nameOf(second) });
    await collectGarbage(admin, second);
    return registry.deleted.length === 2;
  });
  const record = { name: digestConfigMapOf(nameOf(second)), namespace };
  await until('its record is gone', async () => (await admin.get(configMap, record)) === undefined);
}

async function createConfig(admin: Kube, namespace: string): Promise<void> {
  const text = '{"auths":{"quay.io":{"auth":"YTpi"}}}';
  await admin.create(secret, {
    ...{ apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/dockerconfigjson' },
    metadata: { name: 'push', namespace },
    data: { '.dockerconfigjson': btoa(text) },
  });
  await admin.create(machineOSConfig, {
    ...{ apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'MachineOSConfig', metadata: POOL },
    spec: {
      machineConfigPool: POOL,
      imageBuilder: { imageBuilderType: 'Job' },
      baseImagePullSecret: { name: 'push' },
      renderedImagePushSecret: { name: 'push' },
      renderedImagePushSpec: 'quay.io/example/os:latest',
      containerFile: [{ containerfileArch: 'NoArch', content: 'FROM configs AS final\nRUN true' }],
    },
  });
}

async function builtImage(
  { admin, podKube, until, namespace }: BuildStory,
  digit: string,
): Promise<MachineOSBuild> {
  const current = async () =>
    (await admin.list(machineOSBuild)).items.find(({ metadata }) => metadata.deletionTimestamp === undefined);
  await until('the build has a Job', async () => {
    const build = await current();
    return build?.metadata.annotations?.[annotations.jobUid] !== undefined;
  });
  const build = await current();
  if (build === undefined) throw new Error('the build is gone');
  const name = nameOf(build);
  const place = { name: jobNameOf(name), namespace };
  const digest = `sha256:${digit.repeat(64)}`;
  await reportDigest(await podKube(`${place.name}-abcde`), {
    namespace,
    configMap: digestConfigMapOf(name),
    digest,
    jobUid: build.metadata.annotations?.[annotations.jobUid] ?? '',
    tag: build.spec.renderedImagePushSpec,
    labels: {},
  });
  const status = { active: 0, succeeded: 1 };
  await admin.patch(job, place, { type: 'merge', body: { status } }, { subresource: 'status' });
  await until(`image ${digit} is the current one`, async () => {
    const config = await admin.get(machineOSConfig, POOL);
    return config?.status?.currentImagePullSpec === `quay.io/example/os@${digest}`;
  });
  await until('the objects of the build are deleted', async () => {
    const { items } = await admin.list(job, { namespace });
    for (const one of items) await finish(admin, job, { name: one.metadata.name, namespace });
    return items.length === 0;
  });
  return build;
}

/** Ends a deletion that waits for dependents. */
async function collectGarbage(admin: Kube, build: MachineOSBuild): Promise<void> {
  await finish(admin, machineOSBuild, { name: nameOf(build) });
}

async function finish(
  admin: Kube,
  kind: typeof job | typeof machineOSBuild,
  place: { readonly name: string; readonly namespace?: string },
): Promise<void> {
  const body = { metadata: { finalizers: null } };
  await admin.patch<never>(kind as never, place, { type: 'merge', body }).catch(() => undefined);
}

async function annotate(admin: Kube, key: string): Promise<void> {
  const body = { metadata: { annotations: { [key]: '' } } };
  await admin.patch(machineOSConfig, POOL, { type: 'merge', body });
}
