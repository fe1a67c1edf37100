/** An embedded cluster that builds OS images, for the tests of a file. */
import { describe } from 'vitest';
import { eventually } from '../contract/eventually.ts';
import { lacks } from '../registry/tools.ts';
import { type Cluster, withKubectl } from '../up/cluster.ts';

/** Skipped where a program is missing that builds need, unless tools are required. */
export function withBuilds(name: string, stories: () => void): void {
  if (lacks('buildah', 'busybox')) describe.skip(`${name} (no buildah, or no busybox)`, stories);
  else withKubectl(name, stories);
}

/** Builds take seconds; on a machine that is busy with other things they may take minutes. */
export const PATIENT = { limitMs: 120_000, intervalMs: 250 };

type Condition = {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
};

export async function conditionOf(
  cluster: Cluster,
  of: string,
  type: string,
): Promise<Condition | undefined> {
  const { status } = await cluster.object<{ status?: { conditions?: readonly Condition[] } }>(of);
  return status?.conditions?.find((one) => one.type === type);
}

/** Resolves with the condition once it is as expected. */
export async function untilCondition(
  cluster: Cluster,
  of: string,
  expected: Pick<Condition, 'type' | 'status'> & { readonly message?: RegExp },
): Promise<Condition> {
  const { type, status, message = /(?:)/ } = expected;
  return await eventually(
    `${of} has ${type}=${status} ${message}`,
    async () => {
      const found = await conditionOf(cluster, of, type).catch(() => undefined);
      return found?.status === status && message.test(found.message) ? found : undefined;
    },
    PATIENT,
  );
}

/** The name of the build that the config follows. */
export async function currentBuild(cluster: Cluster, config: string): Promise<string> {
  return await cluster.field(
    `machineosconfig/${config}`,
    '{.metadata.annotations.machineconfiguration\\.openshift\\.io/current-machine-os-build}',
  );
}

/** Resolves with the image, by digest, once the current build has succeeded. */
export async function builtImage(cluster: Cluster, config: string): Promise<string> {
  return await eventually(
    `the image of ${config} is built`,
    async () => {
      const build = await currentBuild(cluster, config);
      if (build === '') return undefined;
      const succeeded = await conditionOf(cluster, `machineosbuild/${build}`, 'Succeeded').catch(
        () => undefined,
      );
      const image = await cluster.field(`machineosconfig/${config}`, '{.status.currentImagePullSpec}');
      // It may have been superseded meanwhile.
      const own = await cluster
        .field(`machineosbuild/${build}`, '{.status.digestedImagePushSpec}')
        .catch(() => '');
      return succeeded?.status === 'True' && image !== '' && own === image ? image : undefined;
    },
    PATIENT,
  );
}

/** Resolves with the image of the config as it is now, by digest, once it is built. */
export async function imageOfSpec(cluster: Cluster, config: string): Promise<string> {
  type Observed = {
    readonly metadata: { readonly generation: number };
    readonly status?: { readonly observedGeneration?: number };
  };
  await eventually(
    `${config} is observed`,
    async () => {
      const { metadata, status } = await cluster.object<Observed>(`machineosconfig/${config}`);
      return status?.observedGeneration === metadata.generation ? true : undefined;
    },
    PATIENT,
  );
  return await builtImage(cluster, config);
}

type Expected = { readonly pool: string; readonly image: string; readonly nodes: readonly string[] };

/** Resolves once every node of the pool has the image, and the pool says so. */
export async function poolHasImage(cluster: Cluster, { pool, image, nodes }: Expected): Promise<void> {
  await eventually(
    `${pool} has ${image}`,
    async () => {
      const images = await Promise.all(nodes.map((node) => cluster.annotation(node, 'currentImage')));
      const updated = await conditionOf(cluster, `mcp/${pool}`, 'Updated');
      return images.every((one) => one === image) && updated?.status === 'True' ? true : undefined;
    },
    PATIENT,
  );
}
