/**
 * Asks all checks, before anything is drained, whether an update would lose the node.
 */
import { annotations, parseSkippedChecks, unknownSkippedChecks } from '../../api/index.ts';
import { printable } from '../../base/text/index.ts';
import type { Check, Finding, Needs, NodeFacts, PreflightChange, PreflightSnapshot } from './check.ts';
import { containerdRegistries } from './containerd-registries.ts';
import { doubtfulUnits } from './doubtful-units.ts';
import { kubeletConfig } from './kubelet-config.ts';
import { kubeletConfigDir } from './kubelet-config-dir.ts';
import { kubeletUnit } from './kubelet-unit.ts';
import { networkConfig } from './network-config.ts';
import { overwrittenFiles } from './overwritten-files.ts';
import { runtimeConfig } from './runtime-config.ts';
import { space } from './space.ts';
import { sshKeys } from './ssh-keys.ts';
import { sshdConfig } from './sshd-config.ts';

/** The API names the same ones. */
const CHECKS: readonly Check[] = [
  kubeletUnit,
  kubeletConfig,
  kubeletConfigDir,
  runtimeConfig,
  containerdRegistries,
  sshdConfig,
  sshKeys,
  networkConfig,
  space,
  doubtfulUnits,
  overwrittenFiles,
];

type Preflight = {
  /** Each a sentence without its end. Not empty: the update must not begin. */
  readonly refusals: readonly string[];
  readonly warnings: readonly string[];
  /** All refusals and what to do about them, on one line; absent without any. */
  readonly error?: string;
};

export function preflight(snapshot: PreflightSnapshot): Preflight {
  const skipped = parseSkippedChecks(skipAnnotation(snapshot));
  const found = CHECKS.flatMap((check) => check.run(snapshot).map((finding) => ({ check, finding })));
  const isRefused = ({ check, finding }: (typeof found)[number]) =>
    finding.kind === 'refusal' && !isSkipped(skipped, check);
  const refused = found.filter(isRefused);
  const refusals = refused.map(({ finding }) => textOf(finding));
  const warnings = [
    ...found.filter((one) => !isRefused(one)).map(({ finding }) => textOf(finding)),
    ...unknownSkippedChecks(skipAnnotation(snapshot)),
  ];
  if (refusals.length === 0) return { refusals, warnings };
  const names = [...new Set(refused.map(({ check }) => check.name))].join(',');
  const error = `pre-flight refuses this config, and the node is not drained: ${refusals.join('; ')}; to update anyway, annotate a MachineConfig of the pool with ${annotations.skipPreflight}=${names}`;
  return { refusals, warnings, error };
}

/** What has to be read of the machine for this change, given what was read already; without duplicates. */
export function preflightNeeds(change: PreflightChange, node?: NodeFacts): Required<Needs> {
  const needs = CHECKS.map((check) => check.needs(change, node));
  const all = (key: keyof Needs) => [...new Set(needs.flatMap((one) => one[key] ?? []))].sort();
  return {
    units: all('units'),
    paths: all('paths'),
    files: all('files'),
    folders: all('folders'),
    commandLines: all('commandLines'),
    spaces: all('spaces'),
  };
}

/** Names and paths come from files of users: they may contain line breaks. */
function textOf({ subject, why, remedy }: Finding): string {
  return printable(`${subject}: ${why}${remedy === undefined ? '' : ` (${remedy})`}`);
}

/** Of the rendered config. */
function skipAnnotation({ to }: PreflightChange): string | undefined {
  return to.machineConfig.metadata.annotations?.[annotations.skipPreflight];
}

function isSkipped({ isAll, names }: ReturnType<typeof parseSkippedChecks>, { name }: Check): boolean {
  return isAll || names.includes(name);
}
