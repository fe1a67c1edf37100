/**
 * The objects of one build: ConfigMaps and Secrets with its inputs, and the Job that builds and pushes the image.
 *
 * Credentials are copied when the build starts, each for its own purpose: those for pulling base images are never used for
 * pushing, and those for pushing are not visible to `RUN` steps.
 */
import { gzipSync } from 'fflate';
import {
  type ControllerConfig,
  labels,
  type MachineConfig,
  type MachineOSBuild,
  type MachineOSConfig,
  machineOSBuild,
} from '../../api/index.ts';
import { canonicalJson } from '../../base/json.ts';
import { objectAt, stringAt } from '../../base/json-fields.ts';
import { base64Text } from '../../base/text/index.ts';
import { controllerReference, nameOf } from '../../kubernetes/meta/index.ts';
import type { ConfigMap, Job, Secret } from '../../kubernetes/types/index.ts';
import { JOB_BACKOFF_LIMIT } from './job-state.ts';
import { authFileOf } from './registry-secret.ts';
import { authorityFiles } from './trusted-authorities.ts';

type BuildObjectInputs = {
  /** Of all of them. */
  readonly namespace: string;
  readonly build: MachineOSBuild;
  readonly config: MachineOSConfig;
  readonly rendered: MachineConfig;
  readonly containerfile: string;
  readonly secrets: { readonly push: Secret; readonly base?: Secret };
  readonly controllerConfig?: ControllerConfig;
  /** Files of the rendered config that the build itself obeys: mirrors and signature policies. */
  readonly registriesConf?: string;
  readonly policyJson?: string;
  readonly optional: OptionalInputs;
  /** The image of Millwright's builder. */
  readonly builderImage: string;
  readonly timeoutMs: number;
};

/** Objects that administrators may provide for `RUN` steps. */
type OptionalInputs = {
  /** Secret with entitlement certificates. */
  readonly entitlement?: string;
  /** ConfigMap with repositories. */
  readonly yumRepos?: string;
  /** Secret with keys of repositories. */
  readonly rpmGpg?: string;
};

export const ENTITLEMENT_SECRET_PREFIX = 'etc-pki-entitlement';
export const YUM_REPOS_CONFIG_MAP = 'etc-yum-repos-d';
export const RPM_GPG_SECRET = 'etc-pki-rpm-gpg';
/** Not the builder's own, as upstream: its token could create Jobs and read Secrets. */
export const BUILD_POD_ACCOUNT = 'machine-os-build-pod';

export const jobNameOf = (build: string): string => `build-${build}`;
export const digestConfigMapOf = (build: string): string => `digest-${build}`;
export const finalSecretOf = (build: string): string => `final-${build}`;

type BuildObjects = {
  readonly configMaps: readonly ConfigMap[];
  readonly secrets: readonly Secret[];
  readonly job: Job;
};

export function buildObjects(inputs: BuildObjectInputs): BuildObjects {
  return { configMaps: configMapsOf(inputs), secrets: secretsOf(inputs), job: jobOf(inputs) };
}

/** On the objects of a build, and on the ConfigMap with its digest. */
function buildLabels(build: MachineOSBuild): { readonly [key: string]: string } {
  const own = build.metadata?.labels ?? {};
  const kept = [labels.machineOSConfig, labels.targetMachineConfigPool, labels.renderedMachineConfig];
  return {
    ...Object.fromEntries(kept.flatMap((key) => (own[key] === undefined ? [] : [[key, own[key]]]))),
    [labels.machineOSBuild]: nameOf(build),
    [labels.onClusterLayering]: '',
    [labels.ephemeralBuildObject]: '',
  };
}

/** For the container that reports the digest. */
export function digestLabelsOf(build: MachineOSBuild): string {
  return Object.entries(buildLabels(build))
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}

function metadataOf({ build, namespace }: BuildObjectInputs, name: string) {
  return {
    name,
    namespace,
    labels: buildLabels(build),
    ownerReferences: [controllerReference(machineOSBuild, build.metadata)],
  };
}

type Place = { readonly name: string; readonly namespace: string };

/** The record of images and the credentials for them outlive the build. */
export function recordMetadata(build: MachineOSBuild, { name, namespace }: Place) {
  return { name, namespace, labels: buildLabels(build) };
}

function configMapsOf(inputs: BuildObjectInputs): readonly ConfigMap[] {
  const { build, rendered, containerfile, registriesConf, policyJson } = inputs;
  const name = nameOf(build);
  const one = (prefix: string, content: Pick<ConfigMap, 'data' | 'binaryData'>): ConfigMap => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: metadataOf(inputs, `${prefix}-${name}`),
    ...content,
  });
  const used = [stringAt(build, 'spec', 'renderedImagePushSpec'), stringAt(rendered.spec, 'osImageURL')];
  const hosts = used.map((reference) => reference.split('/')[0] ?? '');
  return [
    one('containerfile', { data: { Containerfile: containerfile } }),
    one('mc', { data: { 'machineconfig.json.gz': packedConfig(rendered) } }),
    one('additionaltrustbundle', { binaryData: authorityFiles(inputs.controllerConfig?.spec, hosts) }),
    ...(policyJson === undefined ? [] : [one('etc-policy', { data: { 'policy.json': policyJson } })]),
    ...(registriesConf === undefined
      ? []
      : [one('etc-registries', { data: { 'registries.conf': registriesConf } })]),
  ];
}

/** Text, as a ConfigMap's data has to be: the packed JSON in base64. */
function packedConfig(rendered: MachineConfig): string {
  const bytes = new TextEncoder().encode(canonicalJson(rendered));
  // A time in the header would change the object with every attempt.
  return base64Text(gzipSync(bytes, { level: 9, mtime: 0 }));
}

function secretsOf(inputs: BuildObjectInputs): readonly Secret[] {
  const { build, secrets, namespace } = inputs;
  return [
    credentialsSecret(metadataOf(inputs, `base-${nameOf(build)}`), secrets.base),
    pushSecret(build, secrets.push, namespace),
  ];
}

/** The copy of the push credentials, which outlives the build with the record of its images. */
export function pushSecret(build: MachineOSBuild, source: Secret, namespace: string): Secret {
  const place = { name: finalSecretOf(nameOf(build)), namespace };
  return credentialsSecret(recordMetadata(build, place), source);
}

function credentialsSecret(metadata: Secret['metadata'], source: Secret | undefined): Secret {
  const file = source === undefined ? undefined : authFileOf(source);
  const text = file?.kind === 'ok' ? file.value : '{"auths":{}}';
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata,
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': base64Text(new TextEncoder().encode(text)) },
  };
}

/** Paths in the pod. */
export const BUILD_PATHS = {
  machineConfig: '/tmp/machineconfig',
  containerfile: '/tmp/containerfile',
  trustBundle: '/tmp/additionaltrustbundle',
  baseCredentials: '/tmp/base-image-pull-creds',
  finalCredentials: '/tmp/final-image-push-creds',
  done: '/tmp/done',
  token: '/var/run/secrets/kubernetes.io/serviceaccount',
  home: '/home/build',
  policy: '/etc/containers/policy.json',
  registries: '/etc/containers/registries.conf',
  entitlement: '/etc/pki/entitlement',
  yumRepos: '/etc/yum.repos.d',
  rpmGpg: '/etc/pki/rpm-gpg',
} as const;

function jobOf(inputs: BuildObjectInputs): Job {
  const { build, builderImage, timeoutMs } = inputs;
  const env = environmentOf(inputs);
  const mounts = mountsOf(inputs);
  const storage = { name: 'buildah-cache', mountPath: `${BUILD_PATHS.home}/.local/share/containers` };
  const shared = {
    // Without a pull policy: the server's default pulls again only what has no tag or `latest`.
    image: builderImage,
    terminationMessagePolicy: 'FallbackToLogsOnError' as const,
    env,
  };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: metadataOf(inputs, jobNameOf(nameOf(build))),
    spec: {
      backoffLimit: JOB_BACKOFF_LIMIT,
      completions: 1,
      activeDeadlineSeconds: Math.ceil(timeoutMs / 1000),
      template: {
        spec: {
          restartPolicy: 'Never',
          serviceAccountName: BUILD_POD_ACCOUNT,
          // Commands of `RUN` steps get no token; only the last container has one.
          automountServiceAccountToken: false,
          terminationGracePeriodSeconds: 10,
          initContainers: [
            {
              name: 'image-build',
              command: ['millwright', 'build-image'],
              ...shared,
              volumeMounts: [...mounts, storage],
            },
            // Its own container: `RUN` steps of the first one cannot see its credentials.
            {
              name: 'image-push',
              command: ['millwright', 'push-image'],
              ...shared,
              volumeMounts: [...pushMountsOf(inputs), storage],
            },
          ],
          containers: [
            {
              name: 'create-digest-configmap',
              command: ['millwright', 'create-digest-configmap'],
              ...shared,
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ['ALL'] },
              },
              volumeMounts: [
                { name: 'done', mountPath: BUILD_PATHS.done, readOnly: true },
                { name: 'token', mountPath: BUILD_PATHS.token, readOnly: true },
              ],
            },
          ],
          volumes: volumesOf(inputs),
        },
      },
    },
  };
}

function environmentOf({ build, rendered, controllerConfig, optional }: BuildObjectInputs) {
  const proxy = objectAt(controllerConfig, 'spec', 'proxy');
  const values: readonly (readonly [string, string])[] = [
    ['DIGEST_CONFIGMAP_NAME', digestConfigMapOf(nameOf(build))],
    ['DIGEST_CONFIGMAP_LABELS', digestLabelsOf(build)],
    ['HOME', BUILD_PATHS.home],
    ['TAG', stringAt(build, 'spec', 'renderedImagePushSpec')],
    ['BASE_IMAGE_PULL_CREDS', `${BUILD_PATHS.baseCredentials}/config.json`],
    ['FINAL_IMAGE_PUSH_CREDS', `${BUILD_PATHS.finalCredentials}/config.json`],
    ['BUILDAH_ISOLATION', 'chroot'],
    ['HTTP_PROXY', stringAt(proxy, 'httpProxy')],
    ['HTTPS_PROXY', stringAt(proxy, 'httpsProxy')],
    ['NO_PROXY', stringAt(proxy, 'noProxy')],
    ['BASE_OS_IMAGE_PULLSPEC', stringAt(rendered.spec, 'osImageURL')],
    ...(optional.entitlement === undefined
      ? []
      : [['ETC_PKI_ENTITLEMENT_MOUNTPOINT', BUILD_PATHS.entitlement] as const]),
    ...(optional.yumRepos === undefined
      ? []
      : [['ETC_YUM_REPOS_D_MOUNTPOINT', BUILD_PATHS.yumRepos] as const]),
    ...(optional.rpmGpg === undefined ? [] : [['ETC_PKI_RPM_GPG_MOUNTPOINT', BUILD_PATHS.rpmGpg] as const]),
  ];
  return [
    ...values.map(([name, value]) => ({ name, value })),
    // The digest is that of this Job, not of a former one with the same name.
    { name: 'JOB_UID', valueFrom: { fieldRef: { fieldPath: JOB_UID_FIELD } } },
    // Where it is reported.
    { name: 'POD_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
  ];
}

const JOB_UID_FIELD = "metadata.labels['batch.kubernetes.io/controller-uid']";

function mountsOf({ registriesConf, policyJson, optional }: BuildObjectInputs) {
  const file = (name: string, mountPath: string, subPath: string) => ({ name, mountPath, subPath });
  return [
    { name: 'machineconfig', mountPath: BUILD_PATHS.machineConfig },
    { name: 'containerfile', mountPath: BUILD_PATHS.containerfile },
    { name: 'additional-trust-bundle', mountPath: BUILD_PATHS.trustBundle },
    { name: 'base-image-pull-creds', mountPath: BUILD_PATHS.baseCredentials },
    ...(policyJson === undefined ? [] : [file('etc-policy', BUILD_PATHS.policy, 'policy.json')]),
    ...(registriesConf === undefined
      ? []
      : [file('etc-registries', BUILD_PATHS.registries, 'registries.conf')]),
    ...(optional.entitlement === undefined
      ? []
      : [{ name: 'etc-pki-entitlement', mountPath: BUILD_PATHS.entitlement }]),
    ...(optional.yumRepos === undefined
      ? []
      : [{ name: 'etc-yum-repos-d', mountPath: BUILD_PATHS.yumRepos }]),
    ...(optional.rpmGpg === undefined ? [] : [{ name: 'etc-pki-rpm-gpg', mountPath: BUILD_PATHS.rpmGpg }]),
  ];
}

function pushMountsOf({ policyJson }: BuildObjectInputs) {
  return [
    { name: 'final-image-push-creds', mountPath: BUILD_PATHS.finalCredentials },
    { name: 'additional-trust-bundle', mountPath: BUILD_PATHS.trustBundle },
    { name: 'done', mountPath: BUILD_PATHS.done },
    ...(policyJson === undefined
      ? []
      : [{ name: 'etc-policy', mountPath: BUILD_PATHS.policy, subPath: 'policy.json' }]),
  ];
}

const ALL_MAY_READ = 0o755;

/** What kubelets mount by themselves where that is not switched off. */
const TOKEN_SOURCES = [
  { serviceAccountToken: { path: 'token', expirationSeconds: 3607 } },
  { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
  {
    downwardAPI: {
      items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
    },
  },
];

function volumesOf({ build, registriesConf, policyJson, optional }: BuildObjectInputs) {
  const name = nameOf(build);
  const configMap = (volume: string, prefix: string) => ({
    name: volume,
    configMap: { name: `${prefix}-${name}`, defaultMode: ALL_MAY_READ },
  });
  const credentials = (volume: string, prefix: string) => ({
    name: volume,
    secret: {
      secretName: `${prefix}-${name}`,
      items: [{ key: '.dockerconfigjson', path: 'config.json' }],
    },
  });
  const given = (volume: string, secretName: string) => ({
    name: volume,
    secret: { secretName, defaultMode: ALL_MAY_READ },
  });
  return [
    configMap('machineconfig', 'mc'),
    configMap('containerfile', 'containerfile'),
    configMap('additional-trust-bundle', 'additionaltrustbundle'),
    credentials('base-image-pull-creds', 'base'),
    credentials('final-image-push-creds', 'final'),
    { name: 'done', emptyDir: { medium: 'Memory' } },
    { name: 'token', projected: { sources: TOKEN_SOURCES } },
    { name: 'buildah-cache', emptyDir: {} },
    ...(policyJson === undefined ? [] : [configMap('etc-policy', 'etc-policy')]),
    ...(registriesConf === undefined ? [] : [configMap('etc-registries', 'etc-registries')]),
    ...(optional.entitlement === undefined ? [] : [given('etc-pki-entitlement', optional.entitlement)]),
    ...(optional.yumRepos === undefined
      ? []
      : [{ name: 'etc-yum-repos-d', configMap: { name: optional.yumRepos, defaultMode: ALL_MAY_READ } }]),
    ...(optional.rpmGpg === undefined ? [] : [given('etc-pki-rpm-gpg', optional.rpmGpg)]),
  ];
}
