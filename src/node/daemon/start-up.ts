/**
 * The first actions of a daemon: it logs the state of the machine, removes leftovers, joins, and validates.
 */
import { annotations, EMPTY_CONFIG_NAME } from '../../api/index.ts';
import { quoted } from '../../base/text/index.ts';
import type { Node } from '../../kubernetes/types/index.ts';
import type { Host } from '../host/index.ts';
import {
  emptyNodeConfig,
  type MachineOs,
  missingKernelArguments,
  type NodeConfig,
  onDiskStateError,
  planUpdate,
  splitKernelArguments,
  unsupportedPackages,
} from '../plan/index.ts';
import { fetchJoiningConfig } from './cluster-config.ts';
import type { DaemonContext } from './context.ts';
import { knownAnnotations, type Memory, type Observation, requireConfig } from './observe.ts';
import { openJournal } from './open-journal.ts';
import { repairOriginals } from './originals.ts';
import { again, failed, onceReported, type TickOutcome } from './outcome.ts';
import { quarantine, readInitialAnnotations } from './read-state.ts';
import { removeTemporaryFiles } from './remove-temporary-files.ts';
import {
  CURRENT_CONFIG,
  DAEMON_FOLDER,
  ENCAPSULATED_CONFIG,
  IGNITION_PRESET,
  INITIAL_ANNOTATIONS,
  INITIAL_ANNOTATIONS_DONE,
} from './state-paths.ts';
import { storeConfig } from './stored-config.ts';
import { bootedImage, validate } from './validate.ts';

const MAX_FINALIZE_CHARS = 2000;

export async function startUp(
  context: DaemonContext,
  memory: Memory,
  snapshot: Observation,
): Promise<TickOutcome> {
  const { host, log, nodeName, metrics } = context;
  log.system(`Starting to manage node: ${nodeName}`);
  const release = await host.os.release();
  metrics.set('mcd_host_os_and_version', 1, { os: release.id.toUpperCase(), version: release.version });
  if (release.isImageBased) await describeOs(context);
  const broken = await host.units.failed();
  if (broken.length === 0) log.line('systemd service state: OK');
  else log.warn(`systemd units that have failed: ${broken.join(' ')}`);
  await removeTemporaryFiles(context, memory, snapshot);
  await retireFirstBoot(context);
  await repairOriginalsAtStart(context, memory, snapshot);
  memory.finalizeFailure = release.isImageBased ? await host.os.finalizeFailure() : undefined;
  memory.isStartedUp = true;
  return again();
}

async function describeOs({ host, log, nodeName, metrics }: DaemonContext): Promise<void> {
  for (const line of (await host.os.status()).trimEnd().split('\n')) log.line(line);
  const booted = (await host.os.deployments()).find(({ isBooted }) => isBooted);
  const packages = booted === undefined ? [] : unsupportedPackages(booted);
  metrics.set('mcd_local_unsupported_packages', packages.length, { node: nodeName });
}

async function repairOriginalsAtStart(
  { host, log }: DaemonContext,
  memory: Memory,
  { config, disk: { journal } }: Observation,
): Promise<void> {
  const updating =
    journal === undefined
      ? []
      : [
          await memory.configs.from(host, journal.from.image),
          await memory.configs.to(host, journal.to.image),
        ];
  const damaged = await repairOriginals(host, config === undefined ? updating : [config, ...updating]);
  if (damaged.length === 0) return;
  const text = `${damaged.join(', ')} cannot be read; the OS's own files were copied again from its defaults; the damaged state is kept in ${DAEMON_FOLDER}/damaged`;
  log.warn(text);
  memory.repaired = [...memory.repaired, text];
}

/**
 * Only on a machine that was installed with a config: on others Ignition is the business of whoever installed them. A folder
 * of such a name is not first boot's.
 */
async function retireFirstBoot({ host: { files }, log }: DaemonContext): Promise<void> {
  const isLeft = async (path: string) => ['file', 'link'].includes((await files.stat(path))?.kind ?? '');
  const done = `${ENCAPSULATED_CONFIG}.bak`;
  const ofInstallation = [INITIAL_ANNOTATIONS, INITIAL_ANNOTATIONS_DONE, ENCAPSULATED_CONFIG, done];
  const found = await Promise.all(ofInstallation.map(isLeft));
  if (!found.includes(true)) return;
  if (await isLeft(IGNITION_PRESET)) await files.remove(IGNITION_PRESET);
  if (!(await isLeft(ENCAPSULATED_CONFIG))) return;
  log.warn('Failed to complete machine-config-daemon-firstboot before joining cluster!');
  if ((await files.stat(done))?.kind === 'folder') await quarantine({ files }, done);
  await files.copy(ENCAPSULATED_CONFIG, done);
  await files.remove(ENCAPSULATED_CONFIG);
}

/** The failure of the last shutdown, for as long as it is the last one. */
export function finalizeAnnotation(
  { finalizeFailure }: Memory,
  node: Node,
): { readonly [key: string]: string } {
  const text = finalizeFailure?.slice(0, MAX_FINALIZE_CHARS) ?? '';
  const key = annotations.ostreeFinalizeStagedFailure;
  return (node.metadata.annotations?.[key] ?? '') === text ? {} : { [key]: text };
}

/**
 * The initial annotations of the Node: from the file that it was installed with, else from the config on the disk. A machine
 * of a plain cluster has neither: it gets the empty config, and is then updated to its pool's like any other node.
 */
export async function setInitialAnnotations(
  { host, log }: DaemonContext,
  { config }: Observation,
): Promise<TickOutcome> {
  const nodeAnnotations = (await readInitialAnnotations(host)) ?? annotationsFromDisk(config);
  log.line(`Setting initial node config: ${nodeAnnotations[annotations.currentConfig] ?? ''}`);
  return onceReported({ kind: 'joined', annotations: nodeAnnotations });
}

function annotationsFromDisk(config: NodeConfig | undefined): { readonly [key: string]: string } {
  const { name, layeredImage } = config ?? { name: EMPTY_CONFIG_NAME };
  return {
    [annotations.currentConfig]: name,
    [annotations.desiredConfig]: name,
    [annotations.state]: 'Done',
    ...(layeredImage === undefined
      ? {}
      : { [annotations.currentImage]: layeredImage, [annotations.desiredImage]: layeredImage }),
  };
}

/**
 * The node was installed with its config, but may have booted another OS. Where it has the right one, the node only needs to
 * be validated and uncordoned.
 */
export async function join(context: DaemonContext, snapshot: Observation): Promise<TickOutcome> {
  const { host, log } = context;
  log.line('In bootstrap mode');
  const current = knownAnnotations(snapshot)?.current ?? { config: '', image: '' };
  const fetched = await fetchJoiningConfig(context, current, snapshot.node);
  if (fetched.kind === 'unreadable') return failed({ error: fetched.error });
  const to = fetched.config;
  const machine = await machineOs(host, to);
  const from = await asInstalled(context, to);
  const beginning = { from, to, bootId: snapshot.bootId, hadConfig: false, isForced: false, isJoining: true };
  const policies = { kind: 'invalid', problems: [] } as const;
  const result = planUpdate({ from, to, policies, machine, isFirstBoot: true });
  if (result.kind !== 'plan') return failed({ error: result.error });
  if (result.plan.needsReboot) {
    log.system(`Bootstrap pivot required to: ${to.osImage}`);
    await openJournal(context, { ...beginning, plan: result.plan, phase: 'applying' });
    return again();
  }
  log.system('No bootstrap pivot required; unlinking bootstrap node annotations');
  await storeConfig(host, to);
  await openJournal(context, { ...beginning, plan: { ...result.plan, steps: [] }, phase: 'verifying' });
  return again();
}

/** `to`: whose kernel arguments are to be set. */
export async function machineOs({ os }: Host, to: NodeConfig): Promise<MachineOs> {
  const { isImageBased, isEnterpriseLinux } = await os.release();
  const problem = await os.kernelArgumentsProblem(splitKernelArguments(to.kernelArguments));
  return {
    isImageBased,
    isEnterpriseLinux,
    kernelArguments: await os.kernelArguments(),
    ...(problem === undefined ? {} : { kernelArgumentsProblem: problem }),
  };
}

/** The config, without what the machine has not booted into yet. */
export async function asInstalled(
  { host }: Pick<DaemonContext, 'host'>,
  to: NodeConfig,
): Promise<NodeConfig> {
  const booted = await bootedImage(host);
  const osImage = to.osImage === '' ? '' : booted;
  const missing = new Set(missingKernelArguments(to.kernelArguments, await host.os.kernelArguments()));
  const kernelArguments =
    missing.size === 0
      ? to.kernelArguments
      : splitKernelArguments(to.kernelArguments).filter((argument) => !missing.has(argument));
  const { machineConfig } = to;
  return {
    ...to,
    osImage,
    kernelArguments,
    machineConfig: {
      ...machineConfig,
      spec: { ...machineConfig.spec, osImageURL: osImage, kernelArguments: [...kernelArguments] },
    },
  };
}

/** The starting point of the first update of a machine that was not installed with a config. */
export async function adoptedConfig({ host }: DaemonContext, to: NodeConfig): Promise<NodeConfig> {
  const { isImageBased } = await host.os.release();
  const present = await host.os.kernelArguments();
  const desired = splitKernelArguments(to.kernelArguments);
  const missing = new Set(missingKernelArguments(desired, present));
  return emptyNodeConfig({
    osImage: isImageBased ? await bootedImage(host) : '',
    kernelArguments: desired.filter((argument) => !missing.has(argument)),
    // Whether the machine is in that mode is compared with it for itself.
    isFips: to.isFips,
  });
}

/** The first validation of a process whose node is done. */
export async function validateAtStart(
  context: DaemonContext,
  memory: Memory,
  snapshot: Observation,
): Promise<TickOutcome> {
  const { log, metrics, env } = context;
  const config = await requireConfig(context, memory, snapshot);
  const nodeAnnotations = knownAnnotations(snapshot);
  // A machine that has never had a config has nothing to validate.
  if (config === undefined) {
    memory.isValidated = true;
    return again();
  }
  if (nodeAnnotations !== undefined && nodeAnnotations.current.config !== config.name) {
    log.line(
      `Disk currentConfig ${quoted(config.name)} overrides node's currentConfig annotation ${quoted(nodeAnnotations.current.config)}`,
    );
  }
  log.line(`Current+desired config: ${config.name}`);
  log.line(
    config.layeredImage === undefined
      ? `Validating against current config ${config.name}`
      : `Validating against current image ${config.layeredImage}`,
  );
  const { expected, problem } = await validate(context, config, 'all');
  if (problem !== undefined) {
    log.error(problem.explained);
    const error = onDiskStateError(expected, problem, memory.finalizeFailure);
    return failed({ error, event: { reason: 'OnDiskStateValidationFailed' } });
  }
  log.system('Validated on-disk state');
  metrics.set('mcd_update_state', Math.floor(env.clock.now() / 1000), { config: config.name, err: '' });
  memory.isValidated = true;
  if (snapshot.config === undefined) await storeMissing(context, memory, config);
  return again();
}

/** The Node names the config, and the disk matches it. */
async function storeMissing({ host, log }: DaemonContext, memory: Memory, config: NodeConfig): Promise<void> {
  await storeConfig(host, config);
  const text = `${CURRENT_CONFIG} is missing; it was rebuilt from ${config.name}, which the Node names and the disk matches`;
  log.warn(text);
  memory.repaired = [...memory.repaired, text];
}
