/**
 * Starts an update: checks for drift, fetches the desired config, plans, and opens the journal. Or finds that there is none.
 */
import { FORCE_FILE, type MachineConfiguration } from '../../api/index.ts';
import { ok } from '../../base/errors.ts';
import { jsonEqual } from '../../base/json.ts';
import { quoted } from '../../base/text/index.ts';
import { containerRuntimeOf } from '../../config/registries/index.ts';
import type { Node } from '../../kubernetes/types/index.ts';
import {
  type ConfigName,
  mergePolicies,
  type NodeConfig,
  onDiskStateError,
  type Plan,
  type PlanInput,
  planUpdate,
  policiesInForce,
  startText,
} from '../plan/index.ts';
import type { ProgressEvent } from '../report/index.ts';
import { fetchConfig } from './cluster-config.ts';
import type { DaemonContext } from './context.ts';
import { currentConfig, knownAnnotations, type Memory, type Observation } from './observe.ts';
import { openJournal } from './open-journal.ts';
import { again, failed, onceReported, type TickOutcome, userMessage } from './outcome.ts';
import { runPreflight } from './preflight/run-preflight.ts';
import { unwritable } from './preflight/unwritable.ts';
import { forcedRequest, forceText, isForced as isForcedBy } from './retry/decide-retry.ts';
import { adoptedConfig, machineOs } from './start-up.ts';
import { recordUpToDate } from './update-actions.ts';
import { emitProtected, eventSubject } from './update-events.ts';
import { validate } from './validate.ts';

type StartInput = readonly [
  context: DaemonContext,
  memory: Memory,
  snapshot: Observation,
  machineConfiguration: MachineConfiguration | undefined,
];

export function startUpdate(...input: StartInput): Promise<TickOutcome> {
  const [, , snapshot] = input;
  return withReport(snapshot, () => tryToStart(...input));
}

/** The node has its config, if nothing on the disk differs. */
export function recover(context: DaemonContext, memory: Memory, snapshot: Observation): Promise<TickOutcome> {
  return withReport(snapshot, async () => {
    const desired = knownAnnotations(snapshot)?.desired ?? NOTHING;
    logNames(context, snapshot, desired);
    const problem = await checkDriftBefore(context, memory, { config: snapshot.config });
    if (problem !== undefined) return drifted(snapshot, problem);
    recordUpToDate(context, desired);
    return onceReported({ kind: 'recovered' }, { kind: 'up-to-date' });
  });
}

async function withReport(snapshot: Observation, act: () => Promise<TickOutcome>): Promise<TickOutcome> {
  try {
    return await act();
  } catch (error) {
    const text = userMessage(error);
    if (text === undefined) throw error;
    return unprepared(snapshot, { error: text });
  }
}

function drifted(snapshot: Observation, error: string): TickOutcome {
  return unprepared(snapshot, { error, event: { reason: 'PreflightConfigDriftCheckFailed' } });
}

async function tryToStart(...input: StartInput): Promise<TickOutcome> {
  const [context, memory, snapshot, machineConfiguration] = input;
  const { log } = context;
  const desired = knownAnnotations(snapshot)?.desired ?? NOTHING;
  const found: ProgressEvent = { kind: 'update-found', to: desired.config };
  logNames(context, snapshot, desired);
  if (!memory.isStartReported) emitBootResync(context, snapshot);
  const current = await currentConfig(context, memory, snapshot);
  if (current.kind === 'unreadable') return unprepared(snapshot, { error: current.error });
  const { config } = current;
  const isForced = isForcedBy(snapshot);
  const problem = await checkDriftBefore(context, memory, { config, forcedBy: forceText(snapshot) });
  if (problem !== undefined) return drifted(snapshot, problem);
  const target = await targetConfig(context, { desired, from: config, snapshot });
  if (target.kind === 'unreadable') {
    const { error } = target;
    return unreconcilable(found, { from: nameOf(config), to: desired.config, error });
  }
  const to = target.config;
  const from = config ?? (await adoptedConfig(context, to));
  const result = planUpdate(
    await planInput(context, { from, to, isForced, machineConfiguration, node: snapshot.node }),
  );
  for (const line of result.kind === 'plan' ? result.plan.log : result.log) log.line(line);
  if (result.kind === 'unreconcilable') {
    return unreconcilable(found, { from: from.name, to: to.name, error: result.error });
  }
  if (result.kind === 'actions-unknown') {
    const event: ProgressEvent = {
      kind: 'actions-unknown',
      from: from.name,
      to: to.name,
      error: result.error,
    };
    return { ...failed({ error: result.error }), progress: [found, event] };
  }
  const { plan } = result;
  const looked = await lookAhead(context, snapshot, { from, to, plan, isForced });
  if (looked.refusal !== undefined) return unprepared(snapshot, { ...looked.refusal, isIncompatible: true });
  log.system(startText(plan));
  const hadConfig = snapshot.config !== undefined;
  await openJournal(context, {
    plan,
    from,
    to,
    bootId: snapshot.bootId,
    hadConfig,
    isForced,
    retry: forcedRequest(snapshot),
    isJoining: false,
    phase: 'preparing',
  });
  emitProtected(context, snapshot.node);
  memory.pullAtMs = undefined;
  if (snapshot.disk.isForced) log.line(`${FORCE_FILE} is taken into account and removed`);
  return again(found, {
    kind: 'prepared',
    needsDrain: plan.needsDrain,
    to: to.name,
    warnings: looked.warnings,
  });
}

/** Whether this machine can carry the config, before anything is drained. */
async function lookAhead(
  context: DaemonContext,
  { node }: Observation,
  update: Pick<Planned, 'from' | 'to' | 'isForced'> & { readonly plan: Plan },
): Promise<{ readonly refusal?: NotPrepared; readonly warnings: readonly string[] }> {
  const { from, to, plan, isForced } = update;
  const { changedFiles, changedUnits, sshKeys } = plan.change;
  const error = await unwritable(context, {
    from,
    to,
    changed: isForced ? 'all' : changedFiles,
    units: isForced ? 'all' : changedUnits,
    hasNewKeys: sshKeys || isForced,
  });
  if (error !== undefined) return { refusal: { error }, warnings: [] };
  return await runPreflight(context, { ...update, node });
}

const NOTHING: ConfigName = { config: '', image: '' };

function nameOf(config: NodeConfig | undefined): string {
  return config?.name ?? '';
}

function logNames({ log }: DaemonContext, snapshot: Observation, desired: ConfigName): void {
  const { config } = snapshot;
  const nodeAnnotations = knownAnnotations(snapshot);
  const current = config?.name ?? nodeAnnotations?.current.config ?? '';
  if (
    nodeAnnotations !== undefined &&
    config !== undefined &&
    nodeAnnotations.current.config !== config.name
  ) {
    log.line(
      `Disk currentConfig ${quoted(config.name)} overrides node's currentConfig annotation ${quoted(nodeAnnotations.current.config)}`,
    );
  }
  if (current === desired.config) {
    log.line(`Current+desired config: ${current}`);
    if (nodeAnnotations?.state !== 'Done')
      log.warn(`current+desiredConfig is ${current} but state is ${nodeAnnotations?.state}`);
    return;
  }
  log.line(`Current config: ${current}`);
  log.line(`Desired config: ${desired.config}`);
}

/** A daemon that has just started finds another desired config. */
function emitBootResync({ events, nodeName }: DaemonContext, snapshot: Observation): void {
  const about = eventSubject(snapshot.node);
  const nodeAnnotations = knownAnnotations(snapshot);
  if (about === undefined || nodeAnnotations === undefined) return;
  const [current, desired] = [nodeAnnotations.current.config, nodeAnnotations.desired.config];
  const text = `Booting node ${nodeName}, currentConfig ${current}, desiredConfig ${desired}`;
  events.normal(about, 'BootResync', text);
}

/** The current config need not be fetched: a node heals without the cluster. */
async function targetConfig(
  context: DaemonContext,
  target: {
    readonly desired: ConfigName;
    readonly from: NodeConfig | undefined;
    readonly snapshot: Observation;
  },
) {
  const { desired, from, snapshot } = target;
  if (from?.name === desired.config && (from.layeredImage ?? '') === desired.image) {
    return { kind: 'config', config: from } as const;
  }
  return await fetchConfig(context, desired, nameOf(from), snapshot.node);
}

/** An update starts from a known state: manual changes are not silently overwritten. */
async function checkDriftBefore(
  { host, log, env }: DaemonContext,
  memory: Memory,
  { config, forcedBy }: { readonly config: NodeConfig | undefined; readonly forcedBy?: string | undefined },
): Promise<string | undefined> {
  if (forcedBy !== undefined) {
    log.line(`Skipping preflight config drift check; ${forcedBy}`);
    return undefined;
  }
  if (config === undefined) return undefined;
  const beganMs = env.clock.monotonic();
  const { expected, problem } = await validate({ host, env }, config, 'all');
  if (problem === undefined) {
    memory.isValidated = true;
    log.line(
      `Preflight config drift check successful (took ${Math.round(env.clock.monotonic() - beganMs)}ms)`,
    );
    return undefined;
  }
  const error = onDiskStateError(expected, problem, memory.finalizeFailure);
  log.error(`Preflight config drift check failed: ${problem.explained}`);
  return error;
}

type Planned = {
  readonly from: NodeConfig;
  readonly to: NodeConfig;
  readonly isForced: boolean;
  readonly machineConfiguration: MachineConfiguration | undefined;
  readonly node: Node | undefined;
};

async function planInput({ host }: DaemonContext, planned: Planned): Promise<PlanInput> {
  const { from, to, isForced, machineConfiguration, node } = planned;
  const runtime = containerRuntimeOf(node);
  const inForce = policiesInForce(machineConfiguration);
  const isMachineFips = await host.os.isFips();
  const allowed = machineConfiguration?.spec?.irreconcilableValidationOverrides?.storage;
  return {
    from,
    to,
    isForced,
    machine: await machineOs(host, to),
    // Until the operator has published the merged policies, they are merged here.
    policies:
      inForce.kind === 'ok' ? inForce : ok(mergePolicies(machineConfiguration?.spec?.nodeDisruptionPolicy)),
    ...(allowed === undefined ? {} : { allowed }),
    ...(isMachineFips === undefined ? {} : { isMachineFips }),
    ...(runtime === undefined ? {} : { runtime }),
  };
}

type NotPrepared = Omit<Extract<ProgressEvent, { readonly kind: 'unprepared' }>, 'kind' | 'from' | 'to'>;

/** A node that is to stay at its config has no update to prepare. */
export function unprepared(
  snapshot: Observation,
  { isIncompatible = false, ...failure }: NotPrepared,
): TickOutcome {
  const { current, desired } = knownAnnotations(snapshot) ?? { current: NOTHING, desired: NOTHING };
  const from = snapshot.disk.stored ?? current;
  const found: ProgressEvent = { kind: 'update-found', to: desired.config };
  const outcome = failed(failure, [found]);
  if (jsonEqual(from, desired)) return outcome;
  const refused = { from: from.config, to: desired.config, isIncompatible, ...failure };
  return { ...outcome, progress: [found, { kind: 'unprepared', ...refused }] };
}

function unreconcilable(
  found: ProgressEvent,
  refused: { readonly from: string; readonly to: string; readonly error: string },
): TickOutcome {
  return {
    ...failed({ error: refused.error }),
    progress: [found, { kind: 'unreconcilable', ...refused }],
  };
}
