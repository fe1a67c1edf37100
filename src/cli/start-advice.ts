/** What helps where an embedded server or cluster cannot be started, by the reason of the failure. */
import type { Failure } from '../errors.ts';

const ADVICE: { readonly [reason: string]: string } = {
  DataDirForeign: 'choose another with --data-dir',
  DataDirUnusable: 'choose another with --data-dir',
  KubeconfigForeign: 'move it away, or choose another folder with --data-dir',
  StoreInUse: 'stop that one, or choose another folder with --data-dir',
  PortTaken: 'choose another with --port, or 0 for any that is free',
  MachineUnusable: 'remove that folder to have the machine installed anew, or begin anew with --fresh',
};

/** The failure and what to do about it, as one line. */
export function adviceFor({ reason, message }: Failure): string {
  const advice = Object.hasOwn(ADVICE, reason) ? ADVICE[reason] : undefined;
  return advice === undefined ? message : `${message}: ${advice}`;
}
