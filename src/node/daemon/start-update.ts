/**
 * The beginning of an update: is the node what it should be now, can it follow, and how?
 */
import { FORCE_FILE, type MachineConfiguration } from '../../api/index.ts';
import { ok } from '../../base/errors.ts';
import { quoted } from '../../base/text/index.ts';
import {
  type ConfigName,
  mergePolicies,
  type NodeConfig,
  onDiskStateError,
  type PlanInput,
  planUpdate,
  policiesInForce,
  startText,
} from '../plan/index.ts';
import type { Moment } from '../report/index.ts';
import { fetchConfig } from './cluster-config.ts';
import type { DaemonContext } from './context.ts';
import { adoptedConfig } from './first-look.ts';
import { currentConfig, knownWords, type Memory, type Observation } from './observe.ts';
import { openJournal } from './open-journal.ts';
import { subject } from './os-events.ts';
import { again, failed, type TickOutcome } from './outcome.ts';
import { validate } from './validate.ts';

export async function startUpdate(
  context: DaemonContext,
  memory: Memory,
  seen: Observation,
  machineConfiguration: MachineConfiguration | undefined,
): Promise<TickOutcome> {
  const { log } = context;
  const wanted = knownWords(seen)?.desired ?? NOTHING;
  const found: Moment = { kind: 'update-found', to: wanted.config };
  logNames(context, seen, wanted);
  if (!memory.isFirstLookTold) tellBootResync(context, seen);
  const current = await currentConfig(context, memory, seen);
  if (current.kind === 'unreadable') return failed({ error: current.error }, [found]);
  const { config } = current;
  const problem = await preflight(context, memory, { config, isForced: seen.disk.isForced });
  if (problem !== undefined) {
    return failed({ error: problem, event: { reason: 'PreflightConfigDriftCheckFailed' } }, [found]);
  }
  const target = await targetConfig(context, { wanted, from: config, seen });
  if (target.kind === 'unreadable') {
    const { error } = target;
    return unreconcilable(found, { from: nameOf(config), to: wanted.config, error });
  }
  const to = target.config;
  const from = config ?? (await adoptedConfig(context, to));
  const { isForced } = seen.disk;
  const result = planUpdate(await planInput(context, { from, to, isForced, machineConfiguration }));
  for (const line of result.kind === 'plan' ? result.plan.log : result.log) log.line(line);
  if (result.kind === 'unreconcilable') {
    return unreconcilable(found, { from: from.name, to: to.name, error: result.error });
  }
  if (result.kind === 'actions-unknown') {
    const moment: Moment = { kind: 'actions-unknown', from: from.name, to: to.name, error: result.error };
    return { ...failed({ error: result.error }), moments: [found, moment] };
  }
  const { plan } = result;
  log.system(startText(plan));
  const hadConfig = seen.config !== undefined;
  await openJournal(context, {
    ...{ plan, from, to, bootId: seen.bootId, hadConfig, isForced, isJoining: false },
    phase: 'preparing',
  });
  memory.pullAtMs = undefined;
  if (isForced) log.line(`${FORCE_FILE} is taken into account and removed`);
  return again(found, { kind: 'prepared', needsDrain: plan.needsDrain, to: to.name });
}

const NOTHING: ConfigName = { config: '', image: '' };

function nameOf(config: NodeConfig | undefined): string {
  return config?.name ?? '';
}

function logNames({ log }: DaemonContext, seen: Observation, wanted: ConfigName): void {
  const { config } = seen;
  const words = knownWords(seen);
  const current = config?.name ?? words?.current.config ?? '';
  if (words !== undefined && config !== undefined && words.current.config !== config.name) {
    log.line(
      `Disk currentConfig ${quoted(config.name)} overrides node's currentConfig annotation ${quoted(words.current.config)}`,
    );
  }
  if (current === wanted.config) {
    log.line(`Current+desired config: ${current}`);
    if (words?.state !== 'Done') log.warn(`current+desiredConfig is ${current} but state is ${words?.state}`);
    return;
  }
  log.line(`Current config: ${current}`);
  log.line(`Desired config: ${wanted.config}`);
}

/** A daemon that has just started finds that its node is to be elsewhere. */
function tellBootResync({ events, nodeName }: DaemonContext, seen: Observation): void {
  const about = subject(seen.node);
  const words = knownWords(seen);
  if (about === undefined || words === undefined) return;
  const [current, desired] = [words.current.config, words.desired.config];
  const text = `Booting node ${nodeName}, currentConfig ${current}, desiredConfig ${desired}`;
  events.normal(about, 'BootResync', text);
}

/** The config that the node has needs nobody to be asked for: a node heals by itself. */
async function targetConfig(
  context: DaemonContext,
  target: { readonly wanted: ConfigName; readonly from: NodeConfig | undefined; readonly seen: Observation },
) {
  const { wanted, from } = target;
  if (from?.name === wanted.config && (from.layeredImage ?? '') === wanted.image) {
    return { kind: 'config', config: from } as const;
  }
  return await fetchConfig(context, wanted, nameOf(from));
}

/** An update starts from a known ground: what somebody changed by hand is not silently written over. */
async function preflight(
  { host, log, env }: DaemonContext,
  memory: Memory,
  { config, isForced }: { readonly config: NodeConfig | undefined; readonly isForced: boolean },
): Promise<string | undefined> {
  if (isForced) {
    log.line(`Skipping preflight config drift check; ${FORCE_FILE} present`);
    return undefined;
  }
  if (config === undefined) return undefined;
  const beganMs = env.clock.monotonic();
  const { expected, problem } = await validate(host, config, 'all');
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
};

async function planInput({ host }: DaemonContext, planned: Planned): Promise<PlanInput> {
  const { from, to, isForced, machineConfiguration } = planned;
  const inForce = policiesInForce(machineConfiguration);
  const isMachineFips = await host.os.isFips();
  const allowed = machineConfiguration?.spec?.irreconcilableValidationOverrides?.storage;
  return {
    ...{ from, to, isForced, isImageBased: (await host.os.release()).isImageBased },
    // Where nobody has merged the policies yet, the same merge is made here.
    policies:
      inForce.kind === 'ok' ? inForce : ok(mergePolicies(machineConfiguration?.spec?.nodeDisruptionPolicy)),
    ...(allowed === undefined ? {} : { allowed }),
    ...(isMachineFips === undefined ? {} : { isMachineFips }),
  };
}

function unreconcilable(
  found: Moment,
  refused: { readonly from: string; readonly to: string; readonly error: string },
): TickOutcome {
  return {
    ...failed({ error: refused.error }),
    moments: [found, { kind: 'unreconcilable', ...refused }],
  };
}
