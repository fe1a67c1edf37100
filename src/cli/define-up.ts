/**
 * Flags and help of `millwright up`.
 */
import { Command, InvalidArgumentError } from 'commander';
import { buildTimeoutOption } from './build-timeout-option.ts';
import { DEFAULT_DATA_DIR } from './cluster-options.ts';
import { type Context, parseFolder, parsePort } from './command-context.ts';
import { featureGatesOption } from './feature-gates.ts';
import type { UpOptions } from './up-command.ts';

export function createUpCommand(program: Command, { ports, version, exit }: Context): Command {
  return new Command('up')
    .copyInheritedSettings(program)
    .summary('run an embedded cluster on this machine, with sandbox nodes')
    .description(
      'Runs a cluster in this process: an API server for kubectl, a container registry, the operator and its controllers, and sandbox nodes, each with a directory as its root file system and the real daemon. Needs neither root nor other software, except to build OS images: that takes buildah and a static busybox in PATH. Stays in the foreground and reports rollouts; Ctrl-C stops it, and the next start continues where it stopped.',
    )
    .usage('[OPTIONS]')
    .option(
      '--data-dir <DIR>',
      'data directory: new, empty, or from an earlier start',
      parseFolder,
      DEFAULT_DATA_DIR,
    )
    .option(
      '--port <N>',
      'port on 127.0.0.1; 0 for any free one (default: 6443 or the next free port)',
      parsePort,
    )
    .option('--control-plane <N>', 'minimum number of control plane nodes (default: 3)', parseCount)
    .option('--workers <N>', 'minimum number of workers (default: 3)', parseCount)
    .option(
      '--speed <X>',
      'speed-up factor for simulated durations: boots, pulls, drains, retries',
      parseSpeed,
      10,
    )
    .addOption(buildTimeoutOption())
    .addOption(featureGatesOption())
    .option('--fresh', 'delete the data of the cluster and start from scratch')
    .option('--no-nodes', 'no sandbox nodes, only the control plane and controllers')
    .option('-v, --verbose', 'report every step of every node')
    .addHelpText('after', UP_EXAMPLES)
    .action(async (options: UpOptions) => {
      const { upCommand } = await import('./up-command.ts');
      exit(await upCommand(options, { ports, version }));
    });
}

const MAX_MACHINES = 100;
const MAX_SPEED = 1000;

function parseCount(text: string): number {
  const count = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (!(count <= MAX_MACHINES)) throw new InvalidArgumentError(`Must be a number from 0 to ${MAX_MACHINES}.`);
  return count;
}

function parseSpeed(text: string): number {
  const speed = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (!(speed >= 0.1 && speed <= MAX_SPEED)) {
    throw new InvalidArgumentError(`Must be a number from 0.1 to ${MAX_SPEED}.`);
  }
  return speed;
}

const UP_EXAMPLES = `
When ready it prints exactly one line on stdout, such as
  ready kubeconfig=.millwright/kubeconfig server=https://127.0.0.1:6443 registry=127.0.0.1:5000
Everything else goes to stderr. The first start with a data directory is ready once every node is
Ready and every pool Updated; later starts are ready as soon as every component runs.

Nodes are named master-0, master-1, … and worker-0, …; DIR/nodes/NAME/rootfs is the root file system
of a node, and DIR/nodes/NAME/log the log of its daemon. Nodes pull from the registry by the name
image-registry.openshift-image-registry.svc:5000; push to the address in the line above.
Existing nodes are kept: with three workers, --workers 5 adds two. --fresh starts from scratch.

Exit codes: 0 stopped on request; 2 invalid command line, port in use, or data directory unusable
(in use by another process, or unexpected content); 70 internal error.

Examples:
  millwright up
  kubectl --kubeconfig .millwright/kubeconfig get nodes,mcp
  millwright status --watch                     in another terminal
  millwright up --workers 6 --speed 1           real-time durations
  millwright up --data-dir /tmp/try --port 0 --fresh`;
