/**
 * Plans the update from one config to another, as a list of steps.
 *
 * The daemon journals and executes this very list. The same input gives the same plan, independent of the order of files and
 * units in the configs.
 */
import type { ClusterDisruptionPolicies } from '../../api/index.ts';
import type { Outcome } from '../../base/errors.ts';
import type { AllowedChanges } from '../../config/content/index.ts';
import { changeText, configChange, isNoChange } from './config-change.ts';
import { actionsFor, type PostActions, postActions } from './disruption-policy.ts';
import { imageToFetch, osReasons } from './os-changes.ts';
import type { MachineOs } from './os-support.ts';
import { passwordChanges } from './passwords.ts';
import type { ConfigChange, NodeConfig, Plan, PostAction, Step } from './plan-types.ts';
import { reconcileError } from './reconcile-check.ts';
import { type RegistriesChange, registriesChange } from './registries-change.ts';
import { runtimeFindings } from './runtime-files.ts';

export type PlanInput = {
  /** The config on the disk, not the one in the annotations. */
  readonly from: NodeConfig;
  readonly to: NodeConfig;
  /** The merged policies, or why they are unknown; see `policiesInForce` and `mergePolicies`. */
  readonly policies: Outcome<ClusterDisruptionPolicies>;
  /** There is a force file: everything is written again, and the node reboots. */
  readonly isForced?: boolean;
  /** Whether the OS is an image; otherwise only files and units are managed. */
  readonly machine: MachineOs;
  /** The machine has not joined yet: no pods run on it, and every change ends with a reboot. */
  readonly isFirstBoot?: boolean;
  readonly allowed?: AllowedChanges;
  readonly isMachineFips?: boolean;
  /** The program that runs containers; absent where it is unknown, which counts as CRI-O. */
  readonly runtime?: string;
};

/** `log`: lines for the daemon's log, also without a plan. */
type PlanResult =
  | { readonly kind: 'plan'; readonly plan: Plan }
  | { readonly kind: 'unreconcilable'; readonly error: string; readonly log: readonly string[] }
  | { readonly kind: 'actions-unknown'; readonly error: string; readonly log: readonly string[] };

export function planUpdate(input: PlanInput): PlanResult {
  const { from, to, isForced = false } = input;
  const log = [`Checking Reconcilable for config ${from.name} to ${to.name}`];
  const error = reconcileError(input);
  if (error !== undefined) return { kind: 'unreconcilable', error, log };

  const change = configChange(from, to, { isForced });
  for (const { message } of runtimeFindings(to, input.runtime)) log.push(message);
  const after = actionsAfter(change, input);
  log.push(...after.log);
  if (after.kind === 'unknown') return { kind: 'actions-unknown', error: after.error, log };

  const drain = drainNeed(after.actions, input);
  const { actions, log: left } = actionsFor(input.runtime, after.actions);
  log.push(...left);
  log.push(...drain.log);
  const plan: Plan = {
    from: from.name,
    to: to.name,
    change,
    actions,
    needsDrain: drain.isNeeded,
    needsReboot: actions.some(({ type }) => type === 'Reboot'),
    steps: steps({ change, actions, needsDrain: drain.isNeeded }, input),
    log,
  };
  return { kind: 'plan', plan };
}

/** The first line of an update in the system journal. */
export function startText({ from, to, change }: Plan): string {
  return `Starting update from ${from} to ${to}: ${changeText(change)}`;
}

function actionsAfter(
  change: ConfigChange,
  { isFirstBoot, isForced = false, policies }: PlanInput,
): PostActions {
  if (!isFirstBoot) return postActions(change, policies, { isForced });
  const actions: readonly PostAction[] = [{ type: isForced || !isNoChange(change) ? 'Reboot' : 'None' }];
  return { kind: 'known', actions, log: [] };
}

type DrainNeed = { readonly isNeeded: boolean; readonly log: readonly string[] };

/** Whether the node must be drained. */
function drainNeed(actions: readonly PostAction[], { from, to, isFirstBoot = false }: PlanInput): DrainNeed {
  if (isFirstBoot) return { isNeeded: false, log: [] };
  const has = (wanted: PostAction['type']) => actions.some(({ type }) => type === wanted);
  const isCertain = has('Reboot') || has('Drain');
  const registries: RegistriesChange | undefined =
    !isCertain && has('Special') ? registriesChange(from, to) : undefined;
  const isNeeded = isCertain || registries?.isSafe === false;
  return {
    isNeeded,
    log: [
      ...(registries?.log ?? []),
      `Drain calculated for node disruption: ${isNeeded} for config ${to.name}`,
      ...(isNeeded ? [] : ['Changes do not require drain, skipping.']),
    ],
  };
}

type Decided = Pick<Plan, 'change' | 'actions' | 'needsDrain'>;

/** In order. Steps without a change are left out. */
function steps({ change, actions, needsDrain }: Decided, input: PlanInput): readonly Step[] {
  const { from, to, isForced = false, machine } = input;
  const steps: Step[] = [];
  const image = needsDrain && machine.isImageBased ? imageToFetch(change, to) : undefined;
  if (image !== undefined) steps.push({ kind: 'fetch', image });
  if (needsDrain) steps.push({ kind: 'drain' });
  if (change.files || change.units || isForced) {
    steps.push({ kind: 'files', units: unitsToWrite(change, to, isForced) });
  }
  if (change.sshKeys) steps.push({ kind: 'ssh-keys' });
  if (passwordChanges(from, to).length > 0) steps.push({ kind: 'passwords' });
  const reasons = osReasons(change, to, machine);
  if (reasons.length > 0) steps.push({ kind: 'os', reasons });
  steps.push({ kind: 'store-config' });
  // The drain is a step of its own, before anything is changed. Where it was the only action, nothing is left to be done.
  const after = actions.filter(({ type }) => type !== 'Drain');
  for (const action of after.length === 0 ? [NOTHING_LEFT] : after)
    steps.push({ kind: 'post-action', action });
  return steps;
}

const NOTHING_LEFT: PostAction = { type: 'None' };

type RollbackInput = {
  readonly from: NodeConfig;
  readonly to: NodeConfig;
  readonly machine: Pick<MachineOs, 'isImageBased' | 'kernelArgumentsProblem'>;
};

/**
 * The steps that an update between these configs may have run, for an update of which nothing else is known. Whether the configs
 * allow one does not matter: it has begun. `changesOs`: the OS of the machine may be another one since.
 */
export function rollbackPlan({ from, to, machine }: RollbackInput): {
  readonly plan: Omit<Plan, 'log'>;
  readonly changesOs: boolean;
} {
  const change = configChange(from, to);
  const reasons = osReasons(change, to, machine);
  const steps: readonly Step[] = [
    { kind: 'files', units: unitsToWrite(change, to, false) },
    ...(change.sshKeys ? [{ kind: 'ssh-keys' } as const] : []),
    ...(passwordChanges(from, to).length > 0 ? [{ kind: 'passwords' } as const] : []),
    // A forced update stages an OS without a change.
    ...(machine.isImageBased || reasons.length > 0 ? [{ kind: 'os', reasons } as const] : []),
    { kind: 'store-config' },
  ];
  const plan = {
    from: from.name,
    to: to.name,
    change,
    actions: [],
    needsDrain: false,
    needsReboot: false,
    steps,
  };
  return { plan, changesOs: reasons.length > 0 };
}

/** The new and changed units, or all of them where forced. Sorted. */
function unitsToWrite(change: ConfigChange, { ignition }: NodeConfig, isForced: boolean): readonly string[] {
  const names = (ignition.systemd?.units ?? []).map(({ name }) => name).sort();
  if (isForced) return names;
  const changed = new Set(change.changedUnits);
  return names.filter((name) => changed.has(name));
}
