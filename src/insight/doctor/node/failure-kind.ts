/** A kind of error that daemons report: how it is recognized, and what to say about it. */
import type { NextCommand } from '../finding.ts';
import { shell } from '../shell.ts';

export type FailureDetails = {
  readonly node: string;
  readonly pool: string;
  readonly namespace: string;
  readonly error: string;
  /** The first group of the pattern; empty where it has none. */
  readonly match: string;
  /** The config that the node should have. */
  readonly desired: string;
};

export type FailureKind = {
  readonly code: string;
  readonly pattern: RegExp;
  /** Also of any error of a node whose state is Unreconcilable. */
  readonly isUnreconcilable?: true;
  /** One sentence without its end. */
  readonly cause: (details: FailureDetails) => string;
  readonly next: (details: FailureDetails) => readonly NextCommand[];
};

export function sourcesOf({ pool }: FailureDetails): NextCommand {
  return {
    command: shell`kubectl get machineconfigs -l machineconfiguration.openshift.io/role=${pool}`,
    why: 'revert or correct the last change: nodes that failed at it recover',
  };
}

export function retry({ node }: FailureDetails, why: string): NextCommand {
  return { command: shell`millwright retry ${node}`, why };
}
