/** Updates that a node refuses before it changes anything: the config has to change, not the node. */

import { shell } from '../shell.ts';
import { type FailureKind, sourcesOf } from './failure-kind.ts';

export const REFUSED_UPDATES: readonly FailureKind[] = [
  {
    code: 'PreflightRefused',
    pattern: /^pre-flight refuses this config, and the node is not drained: (.*?)(?:; to update anyway,|$)/,
    cause: ({ node, match }) =>
      `node ${node} refuses its config before the drain, since the update would lose the node: ${match}`,
    next: (details) => [
      sourcesOf(details),
      {
        command: shell`kubectl get machineconfignode ${details.node} -o yaml`,
        why: 'all refusals, and the annotation that overrides them (docs/preflight.md)',
      },
    ],
  },
  {
    code: 'MissingMachineConfig',
    pattern: /machineconfigs?(?:\.machineconfiguration\.openshift\.io)? "([^"]+)" not found/,
    cause: ({ node, match }) => `node ${node} needs MachineConfig ${match}, which does not exist`,
    next: ({ match, pool }) => [
      { command: shell`kubectl get machineconfig ${match}`, why: 'was it deleted?' },
      {
        command: shell`kubectl get machineconfigpool ${pool} -o jsonpath='{.spec.configuration.name}'`,
        why: 'the target of its pool, which is written again where it is missing',
      },
    ],
  },
  {
    code: 'OSImageRefused',
    pattern: /refusing OS image (\S+)/,
    cause: ({ node, error }) => `node ${node} refuses the OS image of its config: ${error}`,
    next: (details) => [
      sourcesOf(details),
      { command: shell`kubectl get node ${details.node} -o wide`, why: 'the OS that it runs' },
    ],
  },
  {
    code: 'ConfigNotReconcilable',
    pattern: /can't reconcile config|is not reconcilable|incompatible with the node/,
    isUnreconcilable: true,
    cause: ({ node, error }) => `node ${node} cannot follow its config without being reinstalled: ${error}`,
    next: (details) => [
      sourcesOf(details),
      {
        command: shell`kubectl get machineconfig ${details.desired} -o yaml`,
        why: 'the config that it cannot follow',
      },
    ],
  },
];
