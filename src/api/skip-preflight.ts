/**
 * The annotation by which an administrator has pre-flight checks pass a config: `true` for all of them, or their names,
 * separated by commas.
 */

import { didYouMean } from '../base/text/index.ts';
import { annotations } from './annotations.ts';

/** The names of all checks, which src/node/preflight makes. The policy `skip-preflight-names` has them too. */
export const PREFLIGHT_CHECKS = [
  'kubelet-unit',
  'kubelet-config',
  'kubelet-config-dir',
  'runtime-config',
  'containerd-registries',
  'sshd-config',
  'ssh-keys',
  'network-config',
  'space',
  'doubtful-units',
  'overwritten-files',
] as const;

export type PreflightCheckName = (typeof PREFLIGHT_CHECKS)[number];

type SkippedChecks = { readonly isAll: boolean; readonly names: readonly string[] };

export function parseSkippedChecks(value: string | undefined): SkippedChecks {
  const words = (value ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  return { isAll: words.includes(ALL), names: words.filter((word) => word !== ALL) };
}

const ALL = 'true';

/** The value for all of these together; undefined where they skip nothing. */
export function mergeSkippedChecks(values: readonly (string | undefined)[]): string | undefined {
  const skipped = values.map(parseSkippedChecks);
  if (skipped.some(({ isAll }) => isAll)) return ALL;
  const names = [...new Set(skipped.flatMap((one) => one.names))].sort();
  return names.length === 0 ? undefined : names.join(',');
}

/** A line for each name that is no check: it skips nothing, and the node refuses the config as before. */
export function unknownSkippedChecks(value: string | undefined): readonly string[] {
  const known: readonly string[] = PREFLIGHT_CHECKS;
  return parseSkippedChecks(value)
    .names.filter((name) => !known.includes(name))
    .map((name) => `${annotations.skipPreflight} names ${name}, which is no check${didYouMean(name, known)}`);
}
