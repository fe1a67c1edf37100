/**
 * Repairs damaged state, as decided in `decide-repair.ts`: the damaged file is kept in a folder of its own, and an event says what was
 * done. Each repair can be interrupted: what is not repaired yet is noticed again.
 */
import { EMPTY_CONFIG_NAME } from '../../api/index.ts';
import { Failure } from '../../base/errors.ts';
import { type ConfigName, type NodeConfig, passwordChanges, rollbackPlan } from '../plan/index.ts';
import { fetchConfig } from './cluster-config.ts';
import type { DaemonContext } from './context.ts';
import type { Decision } from './decide.ts';
import type { Repair, StateFacts } from './decide-repair.ts';
import { type Journal, rebuildJournal, removeJournal, stateOfKind, storedDuring } from './journal.ts';
import { knownAnnotations, type Memory, type Observation } from './observe.ts';
import { closeJournal, removeJournalFiles } from './open-journal.ts';
import { again, type TickOutcome } from './outcome.ts';
import { isDamage, keepDamaged, quarantine } from './read-state.ts';
import { adoptedConfig, machineOs } from './start-up.ts';
import {
  CURRENT_CONFIG,
  CURRENT_IMAGE,
  DAEMON_FOLDER,
  damagedPath,
  INITIAL_ANNOTATIONS,
  JOURNAL,
  JOURNAL_FROM,
  JOURNAL_TO,
} from './state-paths.ts';
import { removeStoredConfig, storeConfig, writeConfig } from './stored-config.ts';
import { validate } from './validate.ts';

type Repairing = {
  readonly snapshot: Observation;
  readonly decision: Extract<Decision, { readonly kind: 'repair' }>;
};

export async function repairState(
  context: DaemonContext,
  memory: Memory,
  { snapshot, decision }: Repairing,
): Promise<TickOutcome> {
  const { repair, damage } = decision;
  const done = await REPAIRS[repair]({ context, memory, snapshot, damage });
  const kept = repair === 'remake-folder' ? damagedPath(DAEMON_FOLDER) : `${DAEMON_FOLDER}/damaged`;
  const text = `${damage}; ${done}; the damaged state is kept in ${kept}`;
  context.log.warn(text);
  memory.repaired = [...memory.repaired, text];
  memory.isValidated = false;
  memory.configs.forgetUpdate();
  return again();
}

type RepairInput = {
  readonly context: DaemonContext;
  readonly memory: Memory;
  readonly snapshot: Observation;
  readonly damage: string;
};

/** Each returns what it has done. */
const REPAIRS: Readonly<Record<Repair, (input: RepairInput) => Promise<string>>> = {
  'remake-folder': async ({ context }) => {
    await quarantine(context.host, DAEMON_FOLDER);
    return 'a new folder takes its place';
  },
  'roll-back': rollBack,
  'forget-update': forgetUpdate,
  'rebuild-update-configs': rebuildUpdateConfigs,
  'restore-stored': restoreStored,
  'rebuild-stored': rebuildStored,
  'join-again': joinAgain,
  'forget-initial-annotations': async ({ context }) => {
    await quarantine(context.host, INITIAL_ANNOTATIONS);
    return 'the node has joined with the config on its disk';
  },
  'start-over': startOver,
};

/** Everything that the update may have done is undone, whether or not it has; then it is tried again. */
async function rollBack({ context, memory, snapshot, damage }: RepairInput): Promise<string> {
  const { host } = context;
  const configs = await updateConfigs(context, memory, snapshot);
  if (configs === undefined) throw new Failure('transient', 'StateChanged', damage);
  const { from, to } = configs;
  const machine = await machineOs(host, from);
  const { plan, changesOs } = rollbackPlan({ from, to, machine });
  if (machine.isImageBased) await host.os.dropPending();
  // In which boot the OS was staged is not known any more. Kernel arguments can be seen, and must not be restored twice.
  const mayRunNewOs = plan.change.kernelArguments
    ? (await validate(context, from, 'os')).problem !== undefined
    : changesOs;
  const journal: Journal = {
    version: 1,
    phase: 'undoing',
    from: nameOf(from),
    to: nameOf(to),
    hadConfig: from.name !== EMPTY_CONFIG_NAME,
    isForced: false,
    isJoining: false,
    plan,
    states: plan.steps.map(() => 'begun'),
    bootId: snapshot.bootId,
    osBootId: mayRunNewOs ? UNKNOWN_BOOT : snapshot.bootId,
    lostBoots: 0,
    pullTries: 0,
    hashes: await hashesBefore(context, { from, to }),
    failure: { error: `${damage}; the update to ${to.name} is rolled back` },
  };
  await rebuildJournal(host, journal, () => quarantine(host, JOURNAL));
  return `the update to ${to.name} is rolled back, and tried again`;
}

const UNKNOWN_BOOT = 'unknown';

/** A password that the update has set, and that no config had before, is locked. */
async function hashesBefore(
  { host }: DaemonContext,
  { from, to }: { readonly from: NodeConfig; readonly to: NodeConfig },
): Promise<{ readonly [user: string]: string }> {
  const hashes: [string, string][] = [];
  const set = new Map(passwordChanges(from, to).map(({ user, hash }) => [user, hash]));
  for (const { user, hash } of passwordChanges(to, from)) {
    const now = await host.accounts.passwordHash(user);
    if (now !== undefined && now === set.get(user)) hashes.push([user, hash]);
  }
  return Object.fromEntries(hashes);
}

async function forgetUpdate({ context, snapshot }: RepairInput): Promise<string> {
  const { host } = context;
  const { journal } = snapshot.disk;
  for (const path of [JOURNAL_FROM, JOURNAL_TO]) await quarantine(host, path);
  if (journal === undefined) {
    await quarantine(host, JOURNAL);
    await removeJournalFiles(host);
    return 'no update was in progress, and the disk matches the current config';
  }
  await closeJournal(context, journal, { hasSucceeded: false });
  return `the update to ${journal.to.config} had changed nothing yet, and starts again`;
}

async function rebuildUpdateConfigs({ context, memory, snapshot, damage }: RepairInput): Promise<string> {
  const { host } = context;
  const configs = await updateConfigs(context, memory, snapshot);
  if (configs === undefined) throw new Failure('transient', 'StateChanged', damage);
  for (const [path, config] of [
    [JOURNAL_FROM, configs.from],
    [JOURNAL_TO, configs.to],
  ] as const) {
    await keepDamaged(host, path);
    await writeConfig(host, path, config);
  }
  return 'it was rebuilt from the config of that name, and the update goes on';
}

async function restoreStored({ context, memory, snapshot, damage }: RepairInput): Promise<string> {
  const { host } = context;
  const { journal } = snapshot.disk;
  if (journal === undefined) throw new Failure('transient', 'StateChanged', damage);
  for (const path of [CURRENT_CONFIG, CURRENT_IMAGE]) await keepDamaged(host, path);
  const which = storedDuring(journal);
  if (which === 'none') {
    await removeStoredConfig(host);
    return 'there was none before the update in progress, which goes on';
  }
  const config =
    which === 'to'
      ? await memory.configs.to(host, journal.to.image)
      : await memory.configs.from(host, journal.from.image);
  await storeConfig(host, config);
  return `it was rebuilt from ${config.name} of the update in progress, which goes on`;
}

async function rebuildStored({ context, memory, snapshot, damage }: RepairInput): Promise<string> {
  const config = await candidateConfig(context, memory, snapshot);
  if (config === undefined) throw new Failure('transient', 'StateChanged', damage);
  for (const path of [CURRENT_CONFIG, CURRENT_IMAGE]) await keepDamaged(context.host, path);
  await storeConfig(context.host, config);
  return `it was rebuilt from ${config.name}, which the Node names and the disk matches`;
}

/** What an interrupted attempt has staged is dropped; a new one finds out what the machine lacks. */
async function joinAgain({ context, snapshot }: RepairInput): Promise<string> {
  const { host } = context;
  if ((await host.os.release()).isImageBased) await host.os.dropPending();
  await removeUpdate(context, snapshot);
  return 'the node joins once more';
}

async function startOver({ context, snapshot }: RepairInput): Promise<string> {
  const { host } = context;
  const { damage } = snapshot.disk;
  await removeUpdate(context, snapshot);
  if (damage?.stored !== undefined) {
    for (const path of [CURRENT_CONFIG, CURRENT_IMAGE]) await quarantine(host, path);
  }
  if (damage?.initialAnnotations !== undefined) await quarantine(host, INITIAL_ANNOTATIONS);
  return 'the desired config is applied in full, as the force file demands';
}

async function removeUpdate({ host }: DaemonContext, { disk }: Observation): Promise<void> {
  for (const path of [JOURNAL_FROM, JOURNAL_TO]) await quarantine(host, path);
  if (disk.journal === undefined) await quarantine(host, JOURNAL);
  else await removeJournal(host);
  await removeJournalFiles(host);
}

/** The facts that `decideRepair` asks for. */
export async function inspectState(
  context: DaemonContext,
  memory: Memory,
  snapshot: Observation,
): Promise<StateFacts> {
  const { host } = context;
  const candidate = await candidateConfig(context, memory, snapshot);
  const found = candidate === undefined ? undefined : (await validate(context, candidate, 'all')).problem;
  const deployments = (await host.os.release()).isImageBased ? await host.os.deployments() : [];
  return {
    hasUpdateConfigs: (await updateConfigs(context, memory, snapshot)) !== undefined,
    hasUpdateFiles: !(await isUpdateOver(context, memory, snapshot)) && (await hasUpdateFiles(context)),
    ...(candidate !== undefined && { candidate: nameOf(candidate) }),
    ...(found !== undefined && { mismatch: found.message }),
    hasStagedOs: deployments.some(({ isStaged }) => isStaged),
  };
}

/** The config that the node should have: the stored one; where that is damaged, the one that the Node names. */
async function candidateConfig(
  context: DaemonContext,
  memory: Memory,
  snapshot: Observation,
): Promise<NodeConfig | undefined> {
  if (snapshot.config !== undefined) return snapshot.config;
  const named = knownAnnotations(snapshot)?.current;
  if (named === undefined || ['', EMPTY_CONFIG_NAME].includes(named.config)) return undefined;
  const stored = await orUndefined(() => memory.configs.currentWith(context.host, named.image));
  return stored?.name === named.config ? stored : await fetched(context, named, snapshot);
}

/** Both configs of the update, as they were; undefined where one of them is lost. */
async function updateConfigs(
  context: DaemonContext,
  memory: Memory,
  snapshot: Observation,
): Promise<{ readonly from: NodeConfig; readonly to: NodeConfig } | undefined> {
  const { host } = context;
  const { journal } = snapshot.disk;
  if (journal === undefined) {
    // Images of image mode are only in the journal, and what is left of an update that is over says nothing.
    if (usesImageMode(snapshot) || (await isUpdateOver(context, memory, snapshot))) return undefined;
    const from = await orUndefined(() => memory.configs.from(host, ''));
    const to = await orUndefined(() => memory.configs.to(host, ''));
    return from === undefined || to === undefined ? undefined : { from, to };
  }
  const to =
    (await named(journal.to, () => memory.configs.to(host, journal.to.image))) ??
    (await elsewhere(context, snapshot, journal.to));
  if (to === undefined) return undefined;
  const from =
    (await named(journal.from, () => memory.configs.from(host, journal.from.image))) ??
    (await elsewhere(context, snapshot, journal.from)) ??
    (await adopted(context, journal, to));
  return from === undefined ? undefined : { from, to };
}

/** The node has reported the config as its current one: what is left of the update is to be removed. */
async function isUpdateOver(
  { host }: DaemonContext,
  memory: Memory,
  snapshot: Observation,
): Promise<boolean> {
  const to = await orUndefined(() => memory.configs.to(host, ''));
  return to !== undefined && to.name === knownAnnotations(snapshot)?.current.config;
}

async function hasUpdateFiles({ host: { files } }: DaemonContext): Promise<boolean> {
  const there = await Promise.all([JOURNAL_FROM, JOURNAL_TO].map((path) => files.stat(path)));
  return there.some((stat) => stat !== undefined);
}

function usesImageMode(snapshot: Observation): boolean {
  const node = knownAnnotations(snapshot);
  return [node?.current.image, node?.desired.image, snapshot.config?.layeredImage].some((image) =>
    Boolean(image),
  );
}

async function elsewhere(
  context: DaemonContext,
  snapshot: Observation,
  name: ConfigName,
): Promise<NodeConfig | undefined> {
  const { config } = snapshot;
  if (config !== undefined && config.name === name.config && (config.layeredImage ?? '') === name.image) {
    return config;
  }
  return name.config === EMPTY_CONFIG_NAME ? undefined : await fetched(context, name, snapshot);
}

/** The config of a machine before its first one says what OS it has, which can be seen as long as no other was staged. */
async function adopted(
  context: DaemonContext,
  journal: Journal,
  to: NodeConfig,
): Promise<NodeConfig | undefined> {
  const isUntouched = stateOfKind(journal, 'os') === 'waiting';
  return journal.from.config === EMPTY_CONFIG_NAME && isUntouched
    ? await adoptedConfig(context, to)
    : undefined;
}

async function named(
  name: ConfigName,
  read: () => Promise<NodeConfig | undefined>,
): Promise<NodeConfig | undefined> {
  const config = await orUndefined(read);
  return config?.name === name.config ? config : undefined;
}

/** Undefined where the cluster does not have it, or not as a config that can be read. */
async function fetched(
  context: DaemonContext,
  name: ConfigName,
  { node }: Observation,
): Promise<NodeConfig | undefined> {
  try {
    const config = await fetchConfig(context, name, name.config, node);
    return config.kind === 'config' ? config.config : undefined;
  } catch (error) {
    if (error instanceof Failure && error.kind === 'stalled') return undefined;
    throw error;
  }
}

async function orUndefined<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

function nameOf({ name, layeredImage = '' }: NodeConfig): ConfigName {
  return { config: name, image: layeredImage };
}
