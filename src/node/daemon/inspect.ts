/**
 * Reads the facts that a decision asks for (`inspect`): commands and whole files, too costly for every snapshot.
 */
import { unreachable } from '../../base/errors.ts';
import { extensionProblem, onDiskStateError, packagesToVerify } from '../plan/index.ts';
import type { Inspected } from './decide.ts';
import { runsNewOs } from './step-os.ts';
import { type ActiveUpdate, configsOf } from './update-actions.ts';
import { validate } from './validate.ts';

export async function inspect(
  update: ActiveUpdate,
  what: Exclude<keyof Inspected, 'state'>,
): Promise<Inspected> {
  switch (what) {
    case 'bootedOs':
      return { bootedOs: await inspectBootedOs(update) };
    case 'onDiskState':
      return { onDiskState: await inspectOnDiskState(update) };
    case 'rollbackOs':
      return { rollbackOs: await inspectRollbackOs(update) };
    default:
      return unreachable(what);
  }
}

async function inspectBootedOs(update: ActiveUpdate): Promise<NonNullable<Inspected['bootedOs']>> {
  const { to } = await configsOf(update);
  const { problem } = await validate(update.context, to, 'os');
  return problem === undefined ? {} : { problem: problem.message };
}

async function inspectOnDiskState(update: ActiveUpdate): Promise<NonNullable<Inspected['onDiskState']>> {
  const { host, log } = update.context;
  const { to } = await configsOf(update);
  log.line(
    to.layeredImage === undefined
      ? `Validating against current config ${to.name}`
      : `Validating against current image ${to.layeredImage}`,
  );
  const { expected, problem } = await validate(update.context, to, 'all');
  if (problem !== undefined) {
    log.error(problem.explained);
    const error = onDiskStateError(expected, problem, update.memory.finalizeFailure);
    return { failure: { error, event: { reason: 'OnDiskStateValidationFailed' } }, canRollBack: true };
  }
  const { isEnterpriseLinux } = await host.os.release();
  if (!isEnterpriseLinux || to.layeredImage !== undefined) return {};
  const installed = await host.os.installed(packagesToVerify(to.extensions));
  const error = extensionProblem(to.extensions, installed);
  return error === undefined ? {} : { failure: { error } };
}

async function inspectRollbackOs(update: ActiveUpdate): Promise<NonNullable<Inspected['rollbackOs']>> {
  const { context, journal } = update;
  const { os } = context.host;
  if (!(await os.release()).isImageBased) {
    // The boot loader has the previous arguments. What the running kernel got is not a question of files: one boot is enough.
    return { hasStaged: journal.lostBoots === 0, runsNew: false };
  }
  const deployments = await os.deployments();
  return {
    hasStaged: deployments.some(({ isStaged }) => isStaged),
    runsNew: await runsNewOs(context, await configsOf(update)),
  };
}
