/**
 * Runs one step of a plan, or undoes it. Both can be repeated: a power cut may interrupt either.
 */
import { unreachable } from '../../base/errors.ts';
import { type NodeConfig, type PostAction, type Step, sshKeysFile } from '../plan/index.ts';
import type { HostContext, StepDependencies } from './context.ts';
import type { Journal } from './journal.ts';
import { backupOnce, forgetOriginals, keepOriginal, recordAbsence, restoreOrRemove } from './originals.ts';
import { undoFiles, writeFiles } from './step-files.ts';
import { type OsOutcome, stageOs, undoOs } from './step-os.ts';
import { restorePasswords, writePasswords, writeSshKeys } from './step-passwd.ts';
import { removeStoredConfig, storeConfig } from './stored-config.ts';

export type StepContext = {
  readonly journal: Journal;
  readonly step: Step;
  readonly from: NodeConfig;
  readonly to: NodeConfig;
  readonly architecture: string | undefined;
};

/** Returns the outcome of the OS step; every other step completes, or throws. */
export async function runStep(
  work: StepDependencies,
  stepContext: StepContext,
): Promise<OsOutcome | undefined> {
  const { journal, step, from, to, architecture } = stepContext;
  switch (step.kind) {
    case 'files':
      await writeFiles(work, { from, to, units: step.units });
      return undefined;
    case 'ssh-keys':
      if (!hasKeys(from)) await backUpInstalledKeys(work, to);
      await writeSshKeys(work, to);
      return undefined;
    case 'passwords':
      await writePasswords(work, { from, to });
      return undefined;
    case 'os':
      return await stageOs(work, { from, to, change: journal.plan.change, architecture });
    case 'store-config':
      await storeConfig(work.host, to);
      return undefined;
    case 'post-action':
      await performPostAction(work, step.action, to.name);
      return undefined;
    case 'fetch':
    case 'drain':
      return undefined;
    default:
      return unreachable(step);
  }
}

export async function undoStep(work: StepDependencies, stepContext: StepContext): Promise<void> {
  const { journal, step, from, to, architecture } = stepContext;
  switch (step.kind) {
    case 'files':
      return await undoFiles(work, { from, to, units: unitsToUndo(journal, from) });
    case 'ssh-keys':
      return hasKeys(from) ? await writeSshKeys(work, from) : await restoreInstalledKeys(work, to);
    case 'passwords':
      return await restorePasswords(work, journal.hashes ?? {});
    case 'os':
      return await undoOs(work, { from, to, change: journal.plan.change, architecture });
    case 'store-config':
      if (journal.hadConfig) return await storeConfig(work.host, from);
      return await removeStoredConfig(work.host);
    case 'post-action':
    case 'fetch':
    case 'drain':
      // A restarted service runs; a fetched image waits for the next attempt; the end of the next update uncordons.
      return;
    default:
      return unreachable(step);
  }
}

/** After the disk has changed. The reboot ends the daemon: see `decide.ts`. */
async function performPostAction(
  { host, log }: HostContext,
  action: PostAction,
  config: string,
): Promise<void> {
  log.system(`Performing post config change action: ${action.type} for config ${config}`);
  switch (action.type) {
    case 'None':
      return log.system(`Node has Desired Config ${config}, skipping reboot`);
    case 'Reload':
      await host.units.reload(action.service);
      return log.system(`${action.service} service reloaded successfully!`);
    case 'Special':
      await host.units.reload('crio');
      return log.system('crio service reloaded successfully!');
    case 'DaemonReload':
      await host.units.reloadManager();
      return log.system('daemon-reload service reloaded successfully!');
    case 'Restart':
      await host.units.restart(action.service);
      return log.system(`${action.service} service restarted successfully!`);
    case 'Reboot':
    case 'Drain':
      // The drain is a step of its own, and so is the reboot.
      return;
    default:
      return unreachable(action);
  }
}

/** The name of a step in upstream's message when its undo fails. */
export function undoName(step: Step): string {
  switch (step.kind) {
    case 'files':
      return 'files writes';
    case 'ssh-keys':
      return 'SSH keys updates';
    case 'passwords':
      return 'password hash updates';
    case 'os':
      return 'changes to OS';
    default:
      return 'current config on disk';
  }
}

function hasKeys(config: NodeConfig): boolean {
  return sshKeysFile(config).text !== '';
}

/** Keys that are in no config are those of the installation. */
async function backUpInstalledKeys({ host }: HostContext, to: NodeConfig): Promise<void> {
  const { path } = sshKeysFile(to);
  const isBehind = await isBehindLink(host, to);
  if (isBehind) await recordAbsence(host, path);
  else await backupOnce(host, path);
  // For the day on which no config has keys any more.
  await keepOriginal(host, path, { isForeign: !isBehind });
}

async function restoreInstalledKeys({ host }: HostContext, to: NodeConfig): Promise<void> {
  if (await isBehindLink(host, to)) return;
  const { path } = sshKeysFile(to);
  await restoreOrRemove(host, path);
  await forgetOriginals(host, [path]);
}

/** The user may replace a folder by a link, and have root read and write at its target. */
async function isBehindLink({ files }: HostContext['host'], config: NodeConfig): Promise<boolean> {
  for (const { path } of sshKeysFile(config).folders) {
    if ((await files.stat(path))?.kind === 'link') return true;
  }
  return false;
}

function unitsToUndo({ isForced, plan }: Journal, from: NodeConfig): readonly string[] {
  if (!isForced) return plan.change.changedUnits;
  return (from.ignition.systemd?.units ?? []).map(({ name }) => name);
}
