/**
 * Flags and help of `millwright builds`.
 */
import { Command, Option } from 'commander';
import { withClusterOptions } from '../cluster-options.ts';
import type { Context } from '../command-context.ts';
import { installedNamespaceOption } from '../namespace-option.ts';
import type { BuildsOptions } from './builds-command.ts';

export function createBuildsCommand(program: Command, { ports, exit }: Context): Command {
  const command = new Command('builds')
    .copyInheritedSettings(program)
    .summary('show builds of OS images: state, duration, size, and why one failed')
    .description(
      'Shows the MachineOSBuilds of each MachineOSConfig, the newest first: state, age, how long the build took, what a node downloads for the image, and why a build failed or waits. A star marks the build that the pool follows. Shows all pools unless POOL is given.',
    )
    .usage('[OPTIONS] [POOL]')
    .argument('[POOL]')
    .addOption(installedNamespaceOption())
    .option('-f, --follow', 'print the log of the running build, until it has ended')
    .addOption(
      new Option('-o, --output <FORMAT>', 'output format').choices(['text', 'json']).default('text'),
    );
  return withClusterOptions(command)
    .addHelpText('after', BUILDS_EXAMPLES)
    .action(async (pool: string | undefined, options: BuildsOptions) => {
      const { buildsCommand } = await import('./builds-command.ts');
      exit(await buildsCommand(pool, options, ports));
    });
}

const BUILDS_EXAMPLES = `
With --follow the log goes to stdout: that of every attempt (a Job has four), with the containers
image-build, image-push and create-digest-configmap in their order. It begins with the build that the
pool follows, also if that is only about to start, and ends with the outcome. A build that has ended
already is reported at once, with the log if its pods still exist: those of a successful build do not.

  STATE        New          created; a problem of the MachineOSConfig may keep it from being started
               Prepared     the Job exists, and no pod yet
               Building     a pod runs, or the next attempt is about to
               Succeeded    the image is pushed, or that of an older build is used: only files changed
               Failed       by the Containerfile, or after four attempts; retried after a while
               Interrupted  its Job was deleted; retried at once

To build an image again: kubectl annotate machineosconfig POOL machineconfiguration.openshift.io/rebuild=

Exit codes: 0 success, with --follow: the build succeeded; 1 the build failed, was interrupted or
deleted, or the server rejected a request; 2 invalid command line, unknown pool, or the cluster is not
running; 70 internal error.

Examples:
  millwright builds
  millwright builds infra --follow
  millwright builds -o json | jq -r '.configs[].builds[] | select(.state == "Failed") | .why'`;
