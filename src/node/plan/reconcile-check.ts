/**
 * Can this node apply the new config?
 *
 * Rendering has checked the same for the pool. The node may come from an older config, and only it knows whether its machine
 * runs in FIPS mode, and what its OS can be changed to.
 */

import type { Problem } from '../../base/errors.ts';
import { valueAt } from '../../base/json-fields.ts';
import { quoted } from '../../base/text/index.ts';
import {
  type AllowedChanges,
  irreconcilableChanges,
  kernelArgumentProblems,
  unusableContent,
} from '../../config/content/index.ts';
import {
  contentFacts,
  fileModeProblem,
  type IgnitionConfig,
  parseFailureText,
} from '../../config/ignition/index.ts';
import { type MachineOs, unsupportedOs } from './os-support.ts';
import type { NodeConfig } from './plan-types.ts';

type ReconcileInput = {
  readonly from: NodeConfig;
  readonly to: NodeConfig;
  /** From MachineConfiguration: changes of storage that only apply to new nodes. */
  readonly allowed?: AllowedChanges;
  /** Whether the machine runs in FIPS mode; absent where it is unknown. */
  readonly isMachineFips?: boolean;
  /** Absent where it is unknown. */
  readonly machine?: MachineOs;
};

/** The whole error, with the first reason; undefined where the node can apply the config. */
export function reconcileError(input: ReconcileInput): string | undefined {
  const { from, to, allowed, isMachineFips, machine } = input;
  const unfit = contentProblem(to);
  if (unfit !== undefined) return refused(from.name, to.name, unreconcilable(from.name, to.name, unfit));
  const [first] = irreconcilableChanges(reconcilable(from), reconcilable(to), allowed ?? []);
  if (first !== undefined) {
    const reason = `new machineconfig ${quoted(to.name)} is not reconcilable against ${quoted(from.name)}: ${first.reason}`;
    return refused(from.name, to.name, unreconcilable(from.name, to.name, reason));
  }
  // A config that does not ask for FIPS mode leaves a machine that its installer put into it as it is.
  if (to.isFips && isMachineFips === false) {
    return refused(
      from.name,
      to.name,
      'detected change to FIPS flag; refusing to modify FIPS on a running cluster',
    );
  }
  const unsupported = machine === undefined ? undefined : unsupportedOs(to, machine);
  return unsupported === undefined ? undefined : refused(from.name, to.name, unsupported);
}

/** The same for a config that `readNodeConfig` rejects. */
export function unreadableError(input: {
  readonly from: string;
  readonly to: string;
  readonly value: unknown;
  readonly problems: readonly Problem[];
}): string {
  const { from, to, value, problems } = input;
  const inConfig = problems.filter(({ path }) => path.startsWith(CONFIG));
  const text =
    inConfig.length > 0
      ? parseFailureText(valueAt(value, 'spec', 'config'), inConfig.map(belowConfig)).trimEnd()
      : problems.map(({ path, message, discreet }) => `${path}: ${discreet ?? message}`).join(', ');
  return refused(from, to, unreconcilable(from, to, `${validating(to)} failed: ${text}`));
}

const CONFIG = 'spec.config';

function refused(from: string, to: string, reason: string): string {
  return `can't reconcile config ${from} with ${to}: ${reason}`;
}

function unreconcilable(from: string, to: string, reason: string): string {
  return `configs ${from}, ${to} are not reconcilable: ${reason}`;
}

function validating(name: string): string {
  return `validating new Ignition config from machineconfig ${quoted(name)}`;
}

function reconcilable({ ignition, isFips }: NodeConfig) {
  return { config: ignition, fips: isFips };
}

/** What no node can apply, independent of its current config. */
function contentProblem({ name, ignition, kernelArguments }: NodeConfig): string | undefined {
  for (const file of ignition.storage?.files ?? []) {
    const mode = fileModeProblem(file);
    if (mode !== undefined) return mode;
  }
  const [unusable] = [...unusableContent(ignition), ...kernelArgumentProblems(kernelArguments, '')];
  const problem = unusable?.message ?? unsafeName(ignition) ?? unreadableContents(ignition);
  return problem === undefined ? undefined : `${validating(name)} failed: ${problem}`;
}

/** Nodes fetch no contents. Checked here, before the node is drained. */
function unreadableContents({ storage }: IgnitionConfig): string | undefined {
  for (const { path, contents } of storage?.files ?? []) {
    const facts = contentFacts(contents);
    if (facts.kind === 'ok') continue;
    const [problem] = facts.problems;
    return `contents of file ${quoted(path)} cannot be read: ${problem?.message ?? ''}`;
  }
  return undefined;
}

/**
 * Names that would leave their folder, that are no valid file names, or that would break the lines of logs. Ignition allows
 * them.
 */
function unsafeName({ storage, systemd }: IgnitionConfig): string | undefined {
  for (const { path } of storage?.files ?? []) {
    if (hasControl(path)) return `file path ${quoted(path)} holds a control character`;
    if (NOT_ON_DISK.some((folder) => path === folder || path.startsWith(`${folder}/`))) {
      return `file ${quoted(path)} is not on a disk: nothing below ${NOT_ON_DISK.join(', ')} outlives a boot`;
    }
    if (path === '/') return 'file path "/" is the root folder';
  }
  for (const { name, dropins } of systemd?.units ?? []) {
    if (!isFileName(name)) return `unit name ${quoted(name)} is no file name`;
    for (const dropin of dropins ?? []) {
      if (!isFileName(dropin.name))
        return `drop-in name ${quoted(dropin.name)} of unit ${quoted(name)} is no file name`;
    }
  }
  return undefined;
}

const NOT_ON_DISK = ['/dev', '/proc', '/sys'];

function isFileName(name: string): boolean {
  return !name.includes('/') && !hasControl(name) && !/^\.{0,2}$/.test(name);
}

function hasControl(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the check is for control characters.
  return /[\u0000-\u001f\u007f]/.test(text);
}

function belowConfig(problem: Problem): Problem {
  return { ...problem, path: problem.path.slice(CONFIG.length + 1) };
}
