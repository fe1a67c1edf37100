/**
 * Which pods of the embedded cluster are really run, and what they get: those of image builds, and nothing but fixed programs
 * of ours.
 *
 * A pod is run where it belongs to a Job that belongs to a MachineOSBuild which names that very Job: only the builder's account may
 * write that (`manifests/policies.yaml`), and only the Job controller may create pods of a Job. Neither command nor arguments,
 * volumes or security settings are taken from the pod: they follow from the build.
 */
import { annotations, labels, type MachineOSBuild, NAMESPACE } from '../../api/index.ts';
import { stringAt } from '../../base/json-fields.ts';
import {
  BUILD_PATHS,
  digestConfigMapOf,
  digestLabelsOf,
  ENTITLEMENT_SECRET_PREFIX,
  finalSecretOf,
  RPM_GPG_SECRET,
  YUM_REPOS_CONFIG_MAP,
} from '../../images/index.ts';
import { annotationOf, labelOf, nameOf } from '../../kubernetes/meta/index.ts';
import type { ConfigMap, Job, Pod, Secret } from '../../kubernetes/types/index.ts';

/** The containers of a build pod, in the order in which they run. */
export const BUILD_CONTAINERS = ['image-build', 'image-push', 'create-digest-configmap'] as const;
export type BuildContainer = (typeof BUILD_CONTAINERS)[number];

/** Jobs and builds by name, from caches. */
export type BuildPodLookup = {
  readonly job: (name: string) => Job | undefined;
  readonly build: (name: string) => MachineOSBuild | undefined;
  readonly onChange: (listener: () => void) => void;
};

export type BuildPod =
  /** An ordinary pod, which is simulated. */
  | { readonly kind: 'other' }
  /** It claims to belong to a build that does not name it (yet): it waits. */
  | { readonly kind: 'unproven' }
  | { readonly kind: 'build'; readonly build: MachineOSBuild; readonly jobUid: string };

export function buildPodOf(
  pod: Pod,
  { job: jobNamed, build: buildNamed }: Pick<BuildPodLookup, 'job' | 'build'>,
): BuildPod {
  const owner = pod.metadata.ownerReferences?.find(
    ({ kind, controller }) => kind === 'Job' && controller === true,
  );
  if (owner === undefined || pod.metadata.namespace !== NAMESPACE) return { kind: 'other' };
  if (!pod.spec.initContainers?.some(({ name }) => name === BUILD_CONTAINERS[0])) return { kind: 'other' };
  const job = jobNamed(owner.name);
  const parent = job?.metadata.ownerReferences?.find(({ kind }) => kind === 'MachineOSBuild');
  const build = parent === undefined ? undefined : buildNamed(parent.name);
  const isProven =
    job !== undefined &&
    build !== undefined &&
    job.metadata.uid === owner.uid &&
    build.metadata.uid === parent?.uid &&
    annotationOf(build, annotations.jobUid) === owner.uid;
  return isProven ? { kind: 'build', build, jobUid: owner.uid } : { kind: 'unproven' };
}

/** The environment of the programs; see `processes/build-process-node.ts`. */
export function buildEnvironment(build: MachineOSBuild): { readonly [name: string]: string } {
  return {
    TAG: stringAt(build, 'spec', 'renderedImagePushSpec'),
    BASE_IMAGE_PULL_CREDS: `${BUILD_PATHS.baseCredentials}/config.json`,
    FINAL_IMAGE_PUSH_CREDS: `${BUILD_PATHS.finalCredentials}/config.json`,
    DIGEST_CONFIGMAP_NAME: digestConfigMapOf(nameOf(build)),
    DIGEST_CONFIGMAP_LABELS: digestLabelsOf(build),
  };
}

/** A file below the root of the pod. */
type BuildFile = { readonly path: string; readonly content: string; readonly isBase64: boolean };

/** What a container gets of an object: each key as a file of a folder. */
type Input = {
  readonly kind: 'configMap' | 'secret';
  readonly name: string;
  readonly folder: string;
  /** Of a key with another file name. */
  readonly rename?: { readonly [key: string]: string };
  /** The variable that tells the program about an object which administrators may provide. */
  readonly variable?: string;
};

/** The push credentials are for the push alone. */
function inputsOf(container: BuildContainer, build: MachineOSBuild): readonly Input[] {
  const name = nameOf(build);
  const pool = labelOf(build, labels.targetMachineConfigPool) ?? '';
  const configMap = (prefix: string, folder: string): Input => ({
    kind: 'configMap',
    name: `${prefix}-${name}`,
    folder,
  });
  const rename = { '.dockerconfigjson': 'config.json' };
  const policy = configMap('etc-policy', '/etc/containers');
  if (container === 'image-build') {
    return [
      configMap('containerfile', BUILD_PATHS.containerfile),
      configMap('mc', BUILD_PATHS.machineConfig),
      configMap('additionaltrustbundle', BUILD_PATHS.trustBundle),
      configMap('etc-registries', '/etc/containers'),
      policy,
      { kind: 'secret', name: `base-${name}`, folder: BUILD_PATHS.baseCredentials, rename },
      {
        kind: 'secret',
        name: `${ENTITLEMENT_SECRET_PREFIX}-${pool}`,
        folder: BUILD_PATHS.entitlement,
        variable: 'ETC_PKI_ENTITLEMENT_MOUNTPOINT',
      },
      {
        kind: 'configMap',
        name: YUM_REPOS_CONFIG_MAP,
        folder: BUILD_PATHS.yumRepos,
        variable: 'ETC_YUM_REPOS_D_MOUNTPOINT',
      },
      {
        kind: 'secret',
        name: RPM_GPG_SECRET,
        folder: BUILD_PATHS.rpmGpg,
        variable: 'ETC_PKI_RPM_GPG_MOUNTPOINT',
      },
    ];
  }
  if (container !== 'image-push') return [];
  return [
    policy,
    configMap('additionaltrustbundle', BUILD_PATHS.trustBundle),
    { kind: 'secret', name: finalSecretOf(name), folder: BUILD_PATHS.finalCredentials, rename },
  ];
}

export function objectNamesFor(container: BuildContainer, build: MachineOSBuild) {
  const inputs = inputsOf(container, build);
  const names = (kind: Input['kind']) => inputs.filter((one) => one.kind === kind).map(({ name }) => name);
  return { configMaps: names('configMap'), secrets: names('secret') };
}

type Objects = {
  readonly configMap: (name: string) => ConfigMap | undefined;
  readonly secret: (name: string) => Secret | undefined;
};

/** The volumes of a container, and the variables about those that administrators provided. */
export function filesFor(
  container: BuildContainer,
  build: MachineOSBuild,
  objects: Objects,
): { readonly files: readonly BuildFile[]; readonly environment: { readonly [name: string]: string } } {
  const found = inputsOf(container, build).flatMap((input) => {
    const files = input.kind === 'configMap' ? textFiles(input, objects) : secretFiles(input, objects);
    return files === undefined ? [] : [{ input, files }];
  });
  return {
    files: found.flatMap(({ files }) => files),
    environment: Object.fromEntries(
      found.flatMap(({ input: { variable, folder } }) =>
        variable === undefined ? [] : [[variable, folder]],
      ),
    ),
  };
}

function textFiles({ name, folder }: Input, { configMap }: Objects): readonly BuildFile[] | undefined {
  const object = configMap(name);
  if (object === undefined) return undefined;
  return [
    ...entriesOf(object.data).map(([key, content]) => file(folder, key, content, false)),
    ...entriesOf(object.binaryData).map(([key, content]) => file(folder, key, content, true)),
  ];
}

function secretFiles(
  { name, folder, rename = {} }: Input,
  { secret }: Objects,
): readonly BuildFile[] | undefined {
  const object = secret(name);
  if (object === undefined) return undefined;
  return entriesOf(object.data).map(([key, content]) => file(folder, rename[key] ?? key, content, true));
}

/** The API server only accepts keys that are file names; files outside of the folder must not depend on that. */
function entriesOf(data: { readonly [key: string]: string } | undefined) {
  return Object.entries(data ?? {}).filter(([key]) => /^[-._a-zA-Z0-9]+$/.test(key) && !/^\.\.?$/.test(key));
}

function file(folder: string, key: string, content: string, isBase64: boolean): BuildFile {
  return { path: `${folder}/${key}`, content, isBase64 };
}
