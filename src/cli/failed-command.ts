/**
 * How a command ends that cannot go on: with one line that says what is wrong and, where something helps, what.
 */
import { Failure } from '../base/errors.ts';
import { printableLine } from '../base/text/index.ts';
import { FINE, UNUSABLE } from './exit-code.ts';
import type { Ports } from './ports.ts';

/** Gives the exit code. What is no `Failure` is a mistake of ours, and thrown on. */
export function failedCommand(error: unknown, { stderr }: Pick<Ports, 'stderr'>): number {
  if (!(error instanceof Failure)) throw error;
  if (error.kind === 'cancelled') return FINE;
  const { reason, message } = error;
  const advice = Object.hasOwn(ADVICE, reason) ? ADVICE[reason] : undefined;
  stderr(`millwright: ${printableLine(advice === undefined ? message : `${message}: ${advice}`)}\n`);
  return UNUSABLE;
}

/** What helps, by the reason of the failure. */
const ADVICE: { readonly [reason: string]: string } = {
  DataDirForeign: 'choose another with --data-dir',
  DataDirUnusable: 'choose another with --data-dir',
  KubeconfigForeign: 'move it away, or choose another folder with --data-dir',
  StoreInUse: 'stop that one, or choose another folder with --data-dir',
  PortTaken: 'choose another with --port, or 0 for any that is free',
  MachineUnusable: 'remove that folder to have the machine installed anew, or begin anew with --fresh',
};
