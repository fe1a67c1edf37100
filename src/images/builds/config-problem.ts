/**
 * What is wrong with a MachineOSConfig, before anything is built: the first problem, with upstream's text where it has one.
 */

import {
  annotations,
  type MachineConfig,
  type MachineConfigPool,
  type MachineOSBuild,
} from '../../api/index.ts';
import { formatProblem, type Outcome, type Problem } from '../../base/errors.ts';
import { stringAt } from '../../base/json-fields.ts';
import { quoted } from '../../base/text/index.ts';
import { annotationOf, conditionOf, nameOf } from '../../kubernetes/meta/index.ts';
import type { Secret } from '../../kubernetes/types/index.ts';
import { buildFailure, buildStateOf } from '../../rollout/index.ts';
import type { BuildSnapshot } from './build-snapshot.ts';
import { isCurrentImage, parsePushReference } from './push-reference.ts';
import { authFileOf } from './registry-secret.ts';

/** The reason is also that of the condition `Degraded` of the MachineOSConfig. */
export type ConfigProblem = { readonly reason: ConfigProblemReason; readonly message: string };

type ConfigProblemReason =
  | 'AnotherMachineOSConfig'
  | 'PoolNotFound'
  | 'NameTooLong'
  | 'InvalidPushSpec'
  | 'SecretNotFound'
  | 'InvalidSecret'
  | 'NotCoreOS'
  | 'NoOSImage'
  | 'InvalidContainerfile'
  | 'InvalidPreBuiltImage'
  | 'RegistryError'
  | 'ObjectRefused'
  | 'BuildFailed'
  | 'BuildInterrupted';

export function configProblem(snapshot: BuildSnapshot): ConfigProblem | undefined {
  return objectProblem(snapshot) ?? secretsProblem(snapshot) ?? imageProblem(snapshot);
}

/** What can be judged without Secrets, which not everybody may read. */
export type DeclaredConfig = Pick<BuildSnapshot, 'config' | 'rival' | 'pool' | 'nodes'>;

/** The same without what Secrets would be needed for. */
export function declaredProblem(declared: DeclaredConfig): ConfigProblem | undefined {
  return objectProblem(declared) ?? imageProblem(declared);
}

function objectProblem(declared: DeclaredConfig): ConfigProblem | undefined {
  return rivalProblem(declared) ?? poolProblem(declared) ?? pushSpecProblem(declared);
}

function imageProblem(declared: DeclaredConfig): ConfigProblem | undefined {
  return preBuiltProblem(declared) ?? nodesProblem(declared);
}

function rivalProblem({ config, rival }: DeclaredConfig): ConfigProblem | undefined {
  if (rival === undefined) return undefined;
  const pool = stringAt(config, 'spec', 'machineConfigPool', 'name');
  return {
    reason: 'AnotherMachineOSConfig',
    message: `MachineOSConfig ${rival} is already for pool ${pool}: delete one of the two`,
  };
}

/** Names of Jobs have at most 63 characters: `build-`, the config, a dash and 32 digits. */
const MAX_NAME_LENGTH = 24;

function poolProblem({ config, pool }: DeclaredConfig): ConfigProblem | undefined {
  const name = stringAt(config, 'spec', 'machineConfigPool', 'name');
  if (pool === undefined) {
    return {
      reason: 'PoolNotFound',
      message: `could not get layered MachineConfigPools: machineconfigpools.machineconfiguration.openshift.io ${quoted(name)} not found`,
    };
  }
  if (nameOf(config).length <= MAX_NAME_LENGTH) return undefined;
  return {
    reason: 'NameTooLong',
    message: `names of pools that build OS images have at most ${MAX_NAME_LENGTH} characters, since the name of the Job is made from them: ${nameOf(config)} has ${nameOf(config).length}`,
  };
}

function pushSpecProblem({ config }: DeclaredConfig): ConfigProblem | undefined {
  const message = firstProblem(parsePushReference(stringAt(config, 'spec', 'renderedImagePushSpec')));
  if (message === undefined) return undefined;
  return {
    reason: 'InvalidPushSpec',
    message: `invalid renderedImagePushSpec for MachineOSConfig ${nameOf(config)}: ${message}`,
  };
}

function secretsProblem(snapshot: BuildSnapshot): ConfigProblem | undefined {
  const { config, secrets } = snapshot;
  const pushName = stringAt(config, 'spec', 'renderedImagePushSecret', 'name');
  const baseName = stringAt(config, 'spec', 'baseImagePullSecret', 'name');
  return (
    secretProblem(snapshot, 'renderedImagePushSecret', pushName, secrets.push) ??
    // Without a base secret the base image must be readable by anyone, unless the cluster has a pull secret.
    (baseName === '' && secrets.base === undefined
      ? undefined
      : secretProblem(snapshot, 'baseImagePullSecret', baseName || nameOf(secrets.base), secrets.base))
  );
}

/** Of the cluster, in our namespace: upstream's copy, and the one that nodes pull with, too. The first that exists counts. */
export const CLUSTER_PULL_SECRETS: readonly string[] = ['global-pull-secret-copy', 'pull-secret'];

function secretProblem(
  { config, namespace }: BuildSnapshot,
  field: string,
  name: string,
  secret: Secret | undefined,
): ConfigProblem | undefined {
  const prefix = `could not validate ${field} ${quoted(name)} for MachineOSConfig ${nameOf(config)}: `;
  if (secret === undefined) {
    return {
      reason: 'SecretNotFound',
      message: `${prefix}secret ${name} from ${nameOf(config)} is not found. Did you use the right secret name? It must be in namespace ${namespace}`,
    };
  }
  const file = authFileOf(secret);
  // Of the cluster's own, which has many registries, a single entry that is wrong stops no build.
  const isNamed = stringAt(config, 'spec', field, 'name') !== '';
  const message = firstProblem(file) ?? (isNamed ? firstWarning(file) : undefined);
  return message === undefined ? undefined : { reason: 'InvalidSecret', message: `${prefix}${message}` };
}

function preBuiltProblem({ config }: DeclaredConfig): ConfigProblem | undefined {
  const image = annotationOf(config, annotations.preBuiltImage);
  if (image === undefined || annotationOf(config, annotations.currentMachineOSBuild) !== undefined)
    return undefined;
  if (isCurrentImage(image)) return undefined;
  return {
    reason: 'InvalidPreBuiltImage',
    message: `pre-built image must use digested format (image@sha256:digest), got: ${quoted(image)}`,
  };
}

const COREOS = /\bCoreOS\b/;

function nodesProblem({ config, nodes }: DeclaredConfig): ConfigProblem | undefined {
  const other = nodes.find((node) => {
    // The OS of a built image is our own doing, and the next image mends it.
    if ((annotationOf(node, annotations.currentImage) ?? '') !== '') return false;
    const os = stringAt(node, 'status', 'nodeInfo', 'osImage');
    return os !== '' && !COREOS.test(os);
  });
  if (other === undefined) return undefined;
  const os = stringAt(other, 'status', 'nodeInfo', 'osImage');
  const pool = stringAt(config, 'spec', 'machineConfigPool', 'name');
  return {
    reason: 'NotCoreOS',
    message: `on-cluster layering is only supported on CoreOS-based nodes: non-CoreOS OS ${quoted(os)} detected on node ${quoted(nameOf(other))} in MachineConfigPool(s) [${pool}]`,
  };
}

/** Of a pool whose rendered config names no OS image. */
export function noImageProblem(pool: MachineConfigPool, rendered: MachineConfig): ConfigProblem {
  return {
    reason: 'NoOSImage',
    message: `${nameOf(rendered)} of pool ${nameOf(pool)} has no OS image to build on: set spec.osImageURL in a MachineConfig of the pool`,
  };
}

/** Conditions have a limit, which a wrong instruction in every line could exceed. */
const MAX_LISTED = 5;

export function containerfileProblem(problems: readonly Problem[]): ConfigProblem {
  const texts = problems.slice(0, MAX_LISTED).map(({ message }) => message);
  const left = problems.length - texts.length;
  const listed = [...texts, ...(left > 0 ? [`and ${left} more`] : [])].join('; ');
  return { reason: 'InvalidContainerfile', message: `Containerfile validation failed: ${listed}` };
}

/** Of a build that has failed or was interrupted. */
export function failureProblem(build: MachineOSBuild): ConfigProblem {
  const state = buildStateOf(build);
  const message = conditionOf(build, state)?.message ?? '';
  const hasJob = annotationOf(build, annotations.jobUid) !== undefined;
  if (state === 'Failed' && !hasJob) {
    return { reason: 'InvalidContainerfile', message: buildFailure(build) };
  }
  return {
    reason: state === 'Interrupted' ? 'BuildInterrupted' : 'BuildFailed',
    message: `MachineOSBuild ${nameOf(build)}: ${message}`,
  };
}

function firstProblem(outcome: Outcome<unknown>): string | undefined {
  return outcome.kind === 'ok' ? undefined : firstText(outcome.problems);
}

function firstWarning(outcome: Outcome<unknown>): string | undefined {
  return outcome.kind === 'ok' ? firstText(outcome.warnings) : undefined;
}

function firstText([first]: readonly Problem[]): string | undefined {
  return first === undefined ? undefined : formatProblem(first);
}
