/**
 * Reports the failure that ends a command: one line with the error and, where known, advice.
 */
import { Failure } from '../base/errors.ts';
import { printableLine } from '../base/text/index.ts';
import { SUCCESS, USAGE_ERROR } from './exit-code.ts';
import type { Ports } from './ports.ts';

/** Returns the exit code. Anything but a `Failure` is an internal error and rethrown. */
export function reportFailure(error: unknown, { stderr }: Pick<Ports, 'stderr'>): number {
  if (!(error instanceof Failure)) throw error;
  if (error.kind === 'cancelled') return SUCCESS;
  const { reason, message } = error;
  const advice = Object.hasOwn(ADVICE, reason) ? ADVICE[reason] : undefined;
  stderr(`millwright: ${printableLine(advice === undefined ? message : `${message}: ${advice}`)}\n`);
  return USAGE_ERROR;
}

/** By the reason of the failure. */
const ADVICE: { readonly [reason: string]: string } = {
  DataDirForeign: 'choose another with --data-dir',
  DataDirUnusable: 'choose another with --data-dir',
  KubeconfigForeign: 'move it away, or choose another directory with --data-dir',
  StoreInUse: 'stop that process, or choose another directory with --data-dir',
  PortTaken: 'choose another with --port, or 0 for any free port',
  MachineUnusable: 'remove that directory to reinstall the machine, or start from scratch with --fresh',
};
