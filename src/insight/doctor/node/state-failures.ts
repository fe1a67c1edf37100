/** Nodes whose disk or OS is not what their config says. */

import { shell } from '../shell.ts';
import { type FailureKind, retry } from './failure-kind.ts';

export const STATE_FAILURES: readonly FailureKind[] = [
  {
    code: 'OSNotFinalized',
    pattern: /; possible root cause: (.*)$/,
    cause: ({ node, match }) =>
      `node ${node} booted without its new OS, which could not be finalized at shutdown: ${match}`,
    next: (details) => [
      {
        command: 'journalctl -b -1 -u ostree-finalize-staged',
        why: 'on the machine: why; often a full /boot',
      },
      retry(details, 'once that is repaired'),
    ],
  },
  {
    code: 'UnexpectedOSImage',
    pattern: /expected target osImageURL (.*)$/,
    cause: ({ node, match }) => `node ${node} runs another OS image than its config has: expected ${match}`,
    next: (details) => [
      { command: 'rpm-ostree status', why: 'on the machine: who deployed the other image?' },
      retry(details, 'deploys the image of its config, with a drain and a reboot'),
    ],
  },
  {
    code: 'ExtensionsMissing',
    pattern: /extension package verification failed: (.*)$|(extension packages are missing .*)$/,
    cause: ({ node, error }) => `node ${node} lacks packages of its extensions: ${error}`,
    next: (details) => [
      { command: 'rpm-ostree status', why: 'on the machine: which packages are layered' },
      retry(details, 'installs them again'),
    ],
  },
  {
    code: 'StateDamaged',
    pattern: /(\S+ cannot be read: .*|which config the node has is unknown.*)$/,
    cause: ({ node, match }) => `the daemon of node ${node} cannot read its own state: ${match}`,
    next: (details) => [
      {
        command: shell`kubectl describe node ${details.node}`,
        why: 'which file; a bad disk is the usual reason',
      },
      retry(details, 'applies its config again as a whole'),
    ],
  },
  {
    code: 'ConfigDrift',
    pattern:
      /unexpected on-disk state validating against \S+: (.*)$|((?:content|mode|owner) mismatch for .*|missing expected kernel arguments.*|unit "[^"]*" expected .*|could not stat file .*)$/,
    cause: ({ node, match, error }) => `node ${node} was changed by hand: ${match === '' ? error : match}`,
    next: (details) => [
      retry(details, 'writes its config again, with a drain and a reboot'),
      {
        command: shell`kubectl describe node ${details.node}`,
        why: 'or restore the file: the node recovers by itself',
      },
    ],
  },
];
