/**
 * Flags and help of `millwright plan`.
 */
import { Command, Option } from 'commander';
import { withClusterOptions } from '../cluster-options.ts';
import { type Context, collect } from '../command-context.ts';
import { installedNamespaceOption } from '../namespace-option.ts';
import type { PlanOptions } from './plan-command.ts';

export function createPlanCommand(program: Command, { ports, version, exit }: Context): Command {
  const command = new Command('plan')
    .copyInheritedSettings(program)
    .summary('show what a change will do, before it happens')
    .description(
      'Shows what applying or deleting objects would do: how the config of each pool differs, what that needs on its nodes (nothing, a reload, a restart, a drain, a reboot) and why, which nodes go in which order, and what would block them. Applies nothing.',
    )
    .usage('[OPTIONS] -f FILE...')
    .option(
      '-f, --filename <FILE>',
      'manifests to apply: a file, a directory or - for stdin; may be repeated',
      collect,
    )
    .option('--delete <KIND/NAME>', 'an object to delete; may be repeated', collect)
    .option(
      '--from <PATH>',
      'plan against the objects of this file or directory (manifests, or a dump) instead of a cluster; may be repeated',
      collect,
    )
    .option('--prune', 'with --from: what it has and -f does not have is deleted')
    .option('--with-base', 'with --from: add the base configs, and the pools master and worker unless given')
    .option('-v, --verbose', 'print the differences of contents, and everything else that is shortened')
    .addOption(
      new Option('-o, --output <FORMAT>', 'output format')
        .choices(['text', 'json', 'markdown'])
        .default('text'),
    )
    .addOption(installedNamespaceOption());
  return withClusterOptions(command)
    .addHelpText('after', PLAN_EXAMPLES)
    .action(async (options: PlanOptions) => {
      // A dynamic import, so that other commands start without it.
      const { planCommand } = await import('./plan-command.ts');
      exit(await planCommand(options, { ports, version }));
    });
}

const PLAN_EXAMPLES = `
The plan is made by the functions with which controllers and daemons decide. Contents of files that not
everybody may read, and other credentials, are never printed.

Exit codes: 0 no node changes; 3 nodes change without a drain or a reboot; 4 at least one node is drained
or rebooted, or it is unknown what it does; 1 the change is invalid; 2 invalid command line, unreadable
input, no cluster, or no permission to read it; 70 internal error.

Examples:
  millwright plan -f 99-worker-chrony.yaml
  millwright plan --delete machineconfig/99-worker-motd --verbose
  kustomize build overlay | millwright plan -f - -o json
  millwright plan --from main/ -f branch/ --prune -o markdown    for a pull request, without a cluster`;
