/**
 * The step that stages the next deployment: image, kernel arguments, kernel type, extensions. It takes effect with a boot, so
 * its undo drops what is staged; after a boot, it stages the previous OS.
 */
import { Failure, unreachable } from '../../base/errors.ts';
import { jsonEqual } from '../../base/json.ts';
import type { Deployment } from '../host/index.ts';
import {
  type ConfigChange,
  missingFromStaged,
  type NodeConfig,
  type OsOperation,
  osChanges,
  refusedImage,
  splitKernelArguments,
} from '../plan/index.ts';
import type { HostContext } from './context.ts';
import { protectFiles, unprotectFiles } from './etc-merge.ts';
import type { Journal } from './journal.ts';

type OsStep = {
  readonly from: NodeConfig;
  readonly to: NodeConfig;
  readonly change: ConfigChange;
  readonly architecture: string | undefined;
};

/** `pull-failed`: nothing is staged, and a retry may succeed. */
export type OsOutcome =
  | { readonly kind: 'staged'; readonly isRebase: boolean; readonly wasPulled: boolean }
  | { readonly kind: 'pull-failed'; readonly image: string; readonly error: string };

export async function stageOs(work: HostContext, step: OsStep): Promise<OsOutcome> {
  const { host, log } = work;
  const [deployments, release] = [await host.os.deployments(), await host.os.release()];
  const { from, to, change, architecture } = step;
  const changes = osChanges({
    from,
    to,
    change,
    deployments,
    release,
    ...(architecture === undefined ? {} : { architecture }),
  });
  if (changes.kind === 'refused') throw new Failure('stalled', 'OsRefused', changes.error);
  for (const line of changes.log) log.line(line);
  const opened: (() => Promise<void>)[] = [];
  let wasPulled = false;
  try {
    for (const operation of changes.operations) {
      if (operation.kind === 'rebase') {
        wasPulled = !(await host.os.isLocal(operation.image));
        // From then on the machine may boot it, whoever asks for that.
        await protectFiles(work, to);
      }
      await operate(work, operation, opened);
    }
    return { kind: 'staged', isRebase: changes.isRebase, wasPulled };
  } catch (error) {
    if (!(error instanceof Failure) || error.kind === 'cancelled') throw error;
    log.line(`Rolling back applied changes to OS due to error: ${error.message}`);
    await host.os.dropPending();
    await unprotectFiles(work, to);
    if (error instanceof PullFailure)
      return { kind: 'pull-failed', image: error.image, error: error.message };
    throw error;
  } finally {
    for (const close of opened) await close();
  }
}

/** Drops the staged deployment, regardless of what staged it. */
export async function undoOs(work: HostContext, step: OsStep): Promise<void> {
  const { host, log } = work;
  const { to } = step;
  if (!(await host.os.release()).isImageBased) {
    // Nothing is staged: the boot loader has the arguments of the previous config again, for the next boot.
    await stageOs(work, { ...step, from: to, to: step.from });
    return;
  }
  log.line(`Dropping what is staged for ${to.name}`);
  await host.os.dropPending();
  await unprotectFiles(work, to);
}

/**
 * Where the machine has booted since, the new OS may run, or a part of it: then the previous one is staged, and the rollback
 * ends with a boot. Where the previous one runs already, nothing stays staged.
 */
export async function stagePreviousOs(work: HostContext, step: OsStep): Promise<void> {
  const { os } = work.host;
  if (!(await os.release()).isImageBased) return;
  const kernelArguments = await os.kernelArguments();
  const outcome = await stageOs(work, { ...step, from: step.to, to: step.from });
  if (outcome.kind === 'pull-failed') throw new Failure('transient', 'PullFailed', outcome.error);
  const deployments = await os.deployments();
  const layersOf = (deployment: Deployment | undefined) => [
    deployment?.image ?? '',
    [...(deployment?.layeredPackages ?? [])].sort(),
    [...(deployment?.removedPackages ?? [])].sort(),
  ];
  const booted = layersOf(deployments.find(({ isBooted }) => isBooted));
  const staged = layersOf(deployments.find(({ isStaged }) => isStaged));
  if (jsonEqual(booted, staged) && jsonEqual(kernelArguments, await os.kernelArguments())) {
    await os.dropPending();
  }
}

type OsStepBoot = Pick<OsStep, 'from' | 'to'> & {
  readonly journal: Pick<Journal, 'osBootId'>;
  readonly bootId: string;
};

/** Whether the machine may run another OS than before the OS step. The image is not enough: kernel arguments count. */
export async function hasBootedSinceOsStep(
  work: HostContext,
  { journal, bootId, from, to }: OsStepBoot,
): Promise<boolean> {
  return journal.osBootId === undefined ? await runsNewOs(work, { from, to }) : journal.osBootId !== bootId;
}

/** Whether the machine runs the image of the new config. */
export async function runsNewOs(
  { host }: HostContext,
  { from, to }: Pick<OsStep, 'from' | 'to'>,
): Promise<boolean> {
  const booted = (await host.os.deployments()).find(({ isBooted }) => isBooted)?.image;
  return from.osImage !== '' && from.osImage !== to.osImage && booted === to.osImage;
}

/** The error after all retries, with the beginning of upstream's message. */
export function pullFailureText(image: string, lastError: string): string {
  return `Failed to update OS to ${image} after retries: timed out waiting for the condition; last error: ${lastError}`;
}

class PullFailure extends Failure {
  readonly image: string;

  constructor(image: string, cause: Failure) {
    super('transient', 'PullFailed', cause.message, cause);
    this.image = image;
  }
}

async function operate(
  { host, log }: HostContext,
  operation: OsOperation,
  opened: (() => Promise<void>)[],
): Promise<void> {
  const { os } = host;
  switch (operation.kind) {
    case 'open-extensions':
      opened.push(await os.openExtensions(operation.image));
      return;
    case 'drop-pending':
      return await os.dropPending();
    case 'update-bootloader':
      log.line(operation.log);
      return await warnOnly({ host, log }, () => os.updateBootloader(operation.image));
    case 'rebase':
      return await rebase({ host, log }, operation.image);
    case 'check-image': {
      // rpm-ostree pulls and stages in one: an image is known once it is staged. It takes effect with a boot, not before.
      const why = refusedImage(operation.image, await os.release(), await os.stagedRelease());
      if (why !== undefined) throw new Failure('stalled', 'ImageRefused', why);
      return;
    }
    case 'change-kernel-arguments': {
      log.line(operation.log);
      const { remove, append } = operation.change;
      return await os.changeKernelArguments({
        remove: [...remove, ...alreadyThere(await os.kernelArguments(), { remove, append })],
        append,
      });
    }
    case 'set-kernel-arguments':
      log.line(operation.log);
      return await os.setKernelArguments(operation);
    case 'change-packages':
      log.line(operation.log);
      return await os.changePackages(operation.change);
    case 'check-staged': {
      const missing = missingFromStaged(operation.packages, await os.deployments());
      if (missing !== undefined) throw new Failure('stalled', 'PackagesMissing', missing);
      return;
    }
    default:
      return unreachable(operation);
  }
}

/** New arguments that the next deployment already has: after an unexpected boot they would be there twice. */
function alreadyThere(
  present: readonly string[],
  { remove, append }: { readonly remove: readonly string[]; readonly append: readonly string[] },
): readonly string[] {
  const left = [...remove];
  const desired = new Set(append);
  return splitKernelArguments([present.join(' ')]).filter((argument) => {
    const at = left.indexOf(argument);
    if (at >= 0) left.splice(at, 1);
    return at < 0 && desired.has(argument);
  });
}

async function rebase({ host }: HostContext, image: string): Promise<void> {
  const isLocal = await host.os.isLocal(image);
  try {
    await host.os.rebase(image);
  } catch (error) {
    if (!(error instanceof Failure) || error.kind === 'cancelled') throw error;
    if (!isLocal) throw new PullFailure(image, error);
    const message = `failed to update OS from local storage: ${image}: ${error.message}`;
    throw new Failure(error.kind, error.reason, message, error);
  }
}

async function warnOnly({ log }: HostContext, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof Failure) || error.kind === 'cancelled') throw error;
    log.warn(error.message);
  }
}
