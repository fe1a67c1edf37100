/**
 * Carries out one step of a plan, or takes it back. Both can be repeated: a power cut may come within either.
 */
import { unreachable } from '../../base/errors.ts';
import { type NodeConfig, type Step, sshKeysFile } from '../plan/index.ts';
import type { Work } from './context.ts';
import type { Journal } from './journal.ts';
import { bringBackOrRemove, keepOnceWhatIsInTheWay, stampNothingInTheWay } from './originals.ts';
import { performPostAction } from './post-action.ts';
import { undoFiles, writeFiles } from './step-files.ts';
import { type OsOutcome, stageOs, undoOs } from './step-os.ts';
import { restorePasswords, writePasswords, writeSshKeys } from './step-passwd.ts';
import { removeStoredConfig, storeConfig } from './stored-config.ts';

export type Stepping = {
  readonly journal: Journal;
  readonly step: Step;
  readonly from: NodeConfig;
  readonly to: NodeConfig;
  readonly architecture: string | undefined;
};

/** What the OS step came to; every other step is done, or throws. */
export async function runStep(work: Work, stepping: Stepping): Promise<OsOutcome | undefined> {
  const { journal, step, from, to, architecture } = stepping;
  switch (step.kind) {
    case 'files':
      await writeFiles(work, { from, to, units: step.units });
      return undefined;
    case 'ssh-keys':
      if (!hasKeys(from)) await keepInstalledKeys(work, to);
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
    case 'drain':
      return undefined;
    default:
      return unreachable(step);
  }
}

export async function undoStep(work: Work, stepping: Stepping): Promise<void> {
  const { journal, step, from, to, architecture } = stepping;
  switch (step.kind) {
    case 'files':
      return await undoFiles(work, { from, to, units: unitsToUndo(journal, from) });
    case 'ssh-keys':
      return hasKeys(from) ? await writeSshKeys(work, from) : await bringBackInstalledKeys(work, to);
    case 'passwords':
      return await restorePasswords(work, journal.hashes ?? {});
    case 'os':
      return await undoOs(work, { from, to, change: journal.plan.change, architecture });
    case 'store-config':
      if (journal.hadConfig) return await storeConfig(work.host, from);
      return await removeStoredConfig(work.host);
    case 'post-action':
    case 'drain':
      // What was restarted runs; the cordon goes with the end of the next update.
      return;
    default:
      return unreachable(step);
  }
}

/** What people know a step by when taking it back fails. */
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

/** Keys that no config knows are those with which the machine was installed. */
async function keepInstalledKeys({ host }: Work, to: NodeConfig): Promise<void> {
  const { path } = sshKeysFile(to);
  if (await isBehindLink(host, to)) await stampNothingInTheWay(host, path);
  else await keepOnceWhatIsInTheWay(host, path);
}

async function bringBackInstalledKeys({ host }: Work, to: NodeConfig): Promise<void> {
  if (!(await isBehindLink(host, to))) await bringBackOrRemove(host, sshKeysFile(to).path);
}

/** A link on the way is the user's, who would have root read and write wherever it leads. */
async function isBehindLink({ files }: Work['host'], config: NodeConfig): Promise<boolean> {
  for (const { path } of sshKeysFile(config).folders) {
    if ((await files.stat(path))?.kind === 'link') return true;
  }
  return false;
}

function unitsToUndo({ isForced, plan }: Journal, from: NodeConfig): readonly string[] {
  if (!isForced) return plan.change.changedUnits;
  return (from.ignition.systemd?.units ?? []).map(({ name }) => name);
}
