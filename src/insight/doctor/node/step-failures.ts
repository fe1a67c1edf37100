/** Steps of an update that fail on the machine. What was applied is undone, and the update is tried again. */

import { shell } from '../shell.ts';
import { type FailureKind, sourcesOf } from './failure-kind.ts';

export const STEP_FAILURES: readonly FailureKind[] = [
  {
    code: 'RollbackFailed',
    pattern: /error rolling back (.*)$/,
    cause: ({ node, match }) => `node ${node} could neither complete its update nor undo it: ${match}`,
    next: ({ node }) => [
      {
        command: shell`kubectl describe machineconfignode ${node}`,
        why: 'the first of the two errors came first',
      },
      {
        command: shell`kubectl describe node ${node}`,
        why: 'the node stays cordoned until it can go on or back',
      },
    ],
  },
  {
    code: 'RebootFailed',
    pattern: /reboot command failed/,
    cause: ({ node, error }) => `node ${node} cannot be rebooted: ${error}`,
    next: ({ node }) => [
      {
        command: 'systemd-inhibit --list; journalctl -u systemd-logind --since -1h',
        why: 'on the machine: what holds it',
      },
      {
        command: shell`kubectl describe node ${node}`,
        why: 'rebooting it by hand is safe: the update goes on',
      },
    ],
  },
  {
    code: 'ServiceActionFailed',
    pattern: /could not apply update: (?:reloading|restarting) (\S+)/,
    cause: ({ node, error }) => `node ${node} has its new files, and a service does not take them: ${error}`,
    next: (details) => [
      { command: shell`systemctl status ${details.match}`, why: 'on the machine' },
      sourcesOf(details),
    ],
  },
];
