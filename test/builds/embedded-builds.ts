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
      const own = await cluster.field(`machineosbuild/${build}`, '{.status.digestedImagePushSpec}');
      return succeeded?.status === 'True' && image !== '' && own === image ? image : undefined;
    },
    PATIENT,
  );
}
