/**
 * The build of a pool's present config has failed: at which step, and why, by the last line of its pod.
 *
 * A build is repeated after growing delays and whenever its credentials or its spec change, so what is named here is what to change.
 */
import { type MachineOSBuild, machineOSConfig as machineOSConfigKind } from '../../../api/index.ts';
import { stringAt } from '../../../base/json-fields.ts';
import { conditionOf, nameOf } from '../../../kubernetes/meta/index.ts';
import { buildFailure, buildStateOf } from '../../../rollout/index.ts';
import type { Facts } from '../facts.ts';
import type { Found, NextCommand } from '../finding.ts';
import { condition, conditionSince, named } from '../objects.ts';
import type { Rule } from '../rule.ts';
import { shell } from '../shell.ts';

type Cause = {
  readonly code: string;
  readonly pattern: RegExp;
  readonly why: string;
  readonly next: (build: BuildNames) => NextCommand;
};

type BuildNames = {
  readonly pool: string;
  readonly config: string;
  readonly build: string;
  readonly namespace: string;
};

const PULL =
  /\b(FROM|pulling|initializing source|reading manifest|copying system image|creating build container|Trying to pull)\b/;
const editConfig = ({ config }: BuildNames): NextCommand => ({
  command: shell`kubectl edit machineosconfig ${config}`,
  why: 'the change starts a new build',
});
const followLog = ({ pool }: BuildNames): NextCommand => ({
  command: shell`millwright builds ${pool} --follow`,
  why: 'the log of the next attempt',
});

/** The first that matches; the order counts. */
const CAUSES: readonly Cause[] = [
  {
    code: 'BuildTimedOut',
    pattern: /^DeadlineExceeded\b/,
    why: 'it did not end within its time',
    next: ({ namespace }) => ({
      command: shell`kubectl -n ${namespace} get deployment machine-os-builder -o yaml`,
      why: 'its flag --build-timeout',
    }),
  },
  {
    code: 'BuildPodEvicted',
    pattern: /^(Evicted|Preempting|NodeShutdown|Terminated|OOMKilled)\b|low on resource/,
    why: 'its pods were evicted: a build needs several times the size of the image on disk',
    next: () => ({ command: 'kubectl describe nodes', why: 'disk and memory of the nodes' }),
  },
  {
    code: 'DigestNotReported',
    pattern: /digestfile|create-digest-configmap|ConfigMap digest-|configmap.*digest/i,
    why: 'the image was built and pushed, and its digest could not be reported',
    next: ({ namespace }) => ({
      command: shell`kubectl auth can-i patch configmaps -n ${namespace} --as system:serviceaccount:${namespace}:machine-os-build-pod`,
      why: 'the rights of the build pod',
    }),
  },
  {
    code: 'ImagePushFailed',
    pattern:
      /^pushing the image|\bpushing image\b|trying to reuse blob|writing (blob|manifest)|container image-push\b/i,
    why: 'the image was built, and could not be pushed',
    next: ({ namespace, config }) => ({
      command: shell`kubectl -n ${namespace} get machineosconfig ${config} -o jsonpath='{.spec.renderedImagePushSecret.name} {.spec.renderedImagePushSpec}'`,
      why: 'the secret and the registry',
    }),
  },
  {
    code: 'BaseRegistryUnreachable',
    pattern:
      /dial tcp|no such host|i\/o timeout|connection refused|TLS handshake|x509|network is unreachable|pinging container registry/i,
    why: 'the registry of its base image cannot be reached from the build pod',
    next: editConfig,
  },
  {
    code: 'BaseImageUnauthorized',
    pattern:
      /unauthorized|authentication required|access to the resource is denied|invalid username\/password|\b403\b.*forbidden/i,
    why: 'its base image may not be pulled with these credentials',
    next: ({ config }) => ({
      command: shell`kubectl get machineosconfig ${config} -o jsonpath='{.spec.baseImagePullSecret.name}'`,
      why: 'the secret for the base image; a change of it starts the build again',
    }),
  },
  {
    code: 'BaseImageNotFound',
    pattern:
      /manifest unknown|name unknown|manifest for .* not found|not found: manifest|reading manifest \S+.*not found/i,
    why: 'its base image does not exist',
    next: ({ pool }) => ({
      command: shell`kubectl get machineconfigpool ${pool} -o jsonpath='{.spec.configuration.name}'`,
      why: 'spec.osImageURL of this MachineConfig is the base image',
    }),
  },
  {
    code: 'BuildStepFailed',
    pattern: /^(\[\d+\/\d+\] )?STEP \d+|\bexit status [1-9]|exit code [1-9]|is no OS image/i,
    why: 'a step of its Containerfile failed',
    next: editConfig,
  },
];

const OTHER: Cause = {
  code: 'BuildFailed',
  pattern: /(?:)/,
  why: 'all of its attempts failed',
  next: followLog,
};

/** Texts that only mean something where an image is pulled: a RUN step may print them, too. */
const OF_PULLS: ReadonlySet<string> = new Set([
  'BaseRegistryUnreachable',
  'BaseImageUnauthorized',
  'BaseImageNotFound',
]);

export const buildFailed: Rule = {
  codes: [
    'BuildFailed',
    'BuildTimedOut',
    'BuildPodEvicted',
    'DigestNotReported',
    'ImagePushFailed',
    'BaseRegistryUnreachable',
    'BaseImageUnauthorized',
    'BaseImageNotFound',
    'BuildStepFailed',
  ],
  stage: 'build',
  find: (facts) =>
    facts.pools.flatMap(({ name, layering }) => {
      const build = layering?.build;
      const failed = layering === undefined ? undefined : failureText(layering.config, build);
      return layering === undefined || failed === undefined
        ? []
        : [findingOf(facts, { pool: name, config: layering.config, build, failed })];
    }),
};

/** Of the build of the present config, or of the one before that the next attempt has not replaced yet. */
function failureText(config: unknown, build: MachineOSBuild | undefined): string | undefined {
  const degraded = conditionOf(config, 'Degraded');
  if (build !== undefined && buildStateOf(build) === 'Failed') {
    // A Containerfile with a syntax error has no Job, and another code.
    return degraded?.status === 'True' && degraded.reason === 'InvalidContainerfile'
      ? undefined
      : buildFailure(build);
  }
  const isWaiting = build === undefined || buildStateOf(build) === 'Initial';
  if (!isWaiting || degraded?.status !== 'True' || degraded.reason !== 'BuildFailed') return undefined;
  return degraded.message.replace(/^MachineOSBuild \S+: (Build Failed: )?/, '');
}

type FailedBuild = {
  readonly pool: string;
  readonly config: unknown;
  readonly build: MachineOSBuild | undefined;
  readonly failed: string;
};

function findingOf({ namespace }: Facts, { pool, config, build, failed }: FailedBuild): Found {
  const isPull = PULL.test(failed);
  const cause =
    CAUSES.find(({ code, pattern }) => pattern.test(failed) && (isPull || !OF_PULLS.has(code))) ?? OTHER;
  const configName = nameOf(config);
  const about =
    build === undefined
      ? { kind: machineOSConfigKind.kind, name: configName }
      : { kind: 'MachineOSBuild', name: nameOf(build) };
  const names = { pool, config: configName, build: nameOf(build), namespace };
  const ofConfig = condition(named(machineOSConfigKind.kind, config), config, 'Degraded');
  return {
    code: cause.code,
    cause: `the OS image of pool ${pool} cannot be built, ${cause.why}: ${failed}`,
    about,
    pools: [pool],
    ...(build === undefined ? conditionSince(config, 'Degraded') : conditionSince(build, 'Failed')),
    evidence: [
      ...(build === undefined ? [] : condition(about, build, 'Failed')),
      ...ofConfig,
      ...podEvidence(build, namespace),
    ],
    next: [
      cause.next(names),
      build === undefined
        ? followLog(names)
        : {
            command: shell`kubectl -n ${namespace} logs job/build-${names.build} --all-containers`,
            why: 'the whole log of the last attempt',
          },
    ],
  };
}

function podEvidence(build: MachineOSBuild | undefined, namespace: string) {
  const started = stringAt(build, 'status', 'buildStart');
  if (build === undefined || started === '') return [];
  return [
    {
      object: { kind: 'Job', name: `build-${nameOf(build)}`, namespace },
      field: 'status (of the build)',
      value: `from ${started} to ${stringAt(build, 'status', 'buildEnd') || 'now'}`,
    },
  ];
}
