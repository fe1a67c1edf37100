/** What builds leave: objects, images, files and processes, to be compared with what should be there. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { eventually } from '../contract/eventually.ts';
import type { Cluster } from '../up/cluster.ts';
import { NAMESPACE } from './build-objects.ts';
import { PATIENT } from './embedded-builds.ts';

type Traces = {
  /** Of builds of the config, in our namespace, as `kubectl get -o name` prints them. */
  readonly objects: readonly string[];
  readonly tags: readonly string[];
  /** The digests of all manifests of the repository, with a tag or without. */
  readonly manifests: readonly string[];
  /** Below DATA/builds: a folder per pod. */
  readonly files: readonly string[];
  /** Command lines of processes that use these files. */
  readonly processes: readonly string[];
};

/** Of a registry: by tag and digest. */
type Images = { readonly tags: readonly string[]; readonly manifests: readonly string[] };

/** Compares with what successful builds leave, once the clean-up is over. */
export async function expectOnly(
  cluster: Cluster,
  {
    config,
    builds,
    images,
  }: {
    readonly config: string;
    /** The names of those that are kept. */
    readonly builds: readonly string[];
    readonly images: () => Promise<Images>;
  },
): Promise<void> {
  const digests = await Promise.all(
    builds.map((build) => cluster.field(`machineosbuild/${build}`, '{.status.digestedImagePushSpec}')),
  );
  const expected: Traces = {
    objects: builds
      .flatMap((build) => [
        `configmap/digest-${build}`,
        `machineosbuild.machineconfiguration.openshift.io/${build}`,
        `secret/final-${build}`,
      ])
      .toSorted(),
    tags: builds.toSorted(),
    manifests: digests.map((image) => image.slice(image.indexOf('@') + 1)).toSorted(),
    files: [],
    processes: [],
  };
  let found: Traces | undefined;
  await eventually(
    'the clean-up is over',
    async () => {
      found = await tracesOf(cluster, config, await images());
      return JSON.stringify(found) === JSON.stringify(expected) ? true : undefined;
    },
    PATIENT,
  ).catch(() => undefined);
  expect(found).toEqual(expected);
}

async function tracesOf(cluster: Cluster, config: string, { tags, manifests }: Images): Promise<Traces> {
  const kinds = 'machineosbuilds,jobs,pods,configmaps,secrets';
  const listed = await cluster.kubectl(['get', kinds, '-n', NAMESPACE, '-o', 'name']);
  const isOfBuild = new RegExp(`${config}-[0-9a-f]{32}`);
  return {
    objects: listed
      .split('\n')
      .filter((name) => isOfBuild.test(name))
      .toSorted(),
    tags: tags.toSorted(),
    manifests: manifests.toSorted(),
    files: filesOfBuilds(cluster),
    processes: processesOfBuilds(cluster),
  };
}

export function filesOfBuilds({ dataDir }: Cluster): readonly string[] {
  return entriesOf(join(dataDir, 'builds'));
}

/** Command lines of processes that know the folder of a build; our own programs have it in their environment. */
export function processesOfBuilds({ dataDir }: Cluster): readonly string[] {
  const folder = join(dataDir, 'builds/');
  return processesWith((pid) =>
    [textOf(pid, 'cmdline'), textOf(pid, 'environ')].some((text) => text.includes(folder)),
  );
}

/** Command lines of processes with these words. */
export function processesNamed(words: string): readonly string[] {
  return processesWith((pid) => textOf(pid, 'cmdline').includes(words));
}

function processesWith(isMeant: (pid: string) => boolean): readonly string[] {
  return entriesOf('/proc')
    .filter((name) => /^\d+$/.test(name) && isMeant(name))
    .map((pid) => `${pid} ${textOf(pid, 'cmdline')}`);
}

function textOf(pid: string, file: string): string {
  try {
    return readFileSync(join('/proc', pid, file), 'utf8').replaceAll('\0', ' ');
  } catch {
    // It has ended, or is not ours to look into.
    return '';
  }
}

/** Of a repository in Debian's registry. */
export async function debiansImages(
  { host, data }: { readonly host: string; readonly data: string },
  repository: string,
): Promise<Images> {
  const records = join(data, 'docker/registry/v2/repositories', repository, '_manifests/revisions/sha256');
  // A deleted manifest leaves a folder without a link.
  const manifests = entriesOf(records).filter((hex) => entriesOf(join(records, hex)).includes('link'));
  return { tags: await tagsOf(host, repository), manifests: manifests.map((hex) => `sha256:${hex}`) };
}

/** Of a repository in the registry of `up`: over HTTP and from its files, which also name manifests without a tag. */
export async function ownImages(cluster: Cluster, repository: string): Promise<Images> {
  const [, host = ''] = / registry=(\S+)/.exec(cluster.up.stdout()) ?? [];
  const records = join(cluster.dataDir, 'registry/records/repositories', repository, '_manifests/sha256');
  return {
    tags: await tagsOf(host, repository),
    manifests: entriesOf(records).map((hex) => `sha256:${hex}`),
  };
}

async function tagsOf(host: string, repository: string): Promise<readonly string[]> {
  const answer = await fetch(`http://${host}/v2/${repository}/tags/list`);
  if (!answer.ok) return [];
  // As the specification has it; a repository without tags may have null.
  const { tags } = (await answer.json()) as { tags?: readonly string[] | null };
  return tags ?? [];
}

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return [];
  }
}
