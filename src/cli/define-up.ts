/**
 * `millwright up`: its flags and its help.
 */
import { Command, InvalidArgumentError } from 'commander';
import { type Context, parseFolder, parsePort } from './command-context.ts';
import { DEFAULT_DATA_DIR } from './embedded-access.ts';
import type { UpOptions } from './up-command.ts';

export function createUpCommand(program: Command, { ports, version, exit }: Context): Command {
  return new Command('up')
    .copyInheritedSettings(program)
    .summary('run a whole cluster on this machine, with nodes that really change')
    .description(
      'Starts a cluster in this process: an API server that kubectl talks to, a container registry, the\noperator and its controllers, and sandbox nodes, each with a folder as its root file system and a\nreal daemon. Needs neither root nor anything else. Stays in the foreground and tells of rollouts;\nCtrl-C stops it, and the next start goes on where it stopped.',
    )
    .usage('[OPTIONS]')
    .option(
      '--data-dir <DIR>',
      'where everything is kept: new, empty, or of an earlier start',
      parseFolder,
      DEFAULT_DATA_DIR,
    )
    .option('--port <N>', 'of 127.0.0.1; 0 for any (default: 6443 or the next that is free)', parsePort)
    .option('--control-plane <N>', 'how many control plane nodes, at least (default: 3)', parseCount)
    .option('--workers <N>', 'how many workers, at least (default: 3)', parseCount)
    .option(
      '--speed <X>',
      'how many times faster than real machines: boots, pulls, drains, retries',
      parseSpeed,
      10,
    )
    .option('--fresh', 'forget what is in the folder and begin anew')
    .option('--no-nodes', 'no machines: you bring Nodes yourself, or only want the controllers')
    .option('-v, --verbose', 'tell of every step of every node')
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
  if (!(count <= MAX_MACHINES)) throw new InvalidArgumentError(`Give a number from 0 to ${MAX_MACHINES}.`);
  return count;
}

function parseSpeed(text: string): number {
  const speed = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (!(speed >= 0.1 && speed <= MAX_SPEED)) {
    throw new InvalidArgumentError(`Give a number from 0.1 to ${MAX_SPEED}.`);
  }
  return speed;
}

const UP_EXAMPLES = `
Once it can be used it prints one line on stdout, such as
  ready kubeconfig=.millwright/kubeconfig server=https://127.0.0.1:6443 registry=127.0.0.1:5000
and nothing else there. All else goes to stderr. The first start of a folder is ready once every node
is Ready and every pool Updated; a later one as soon as everything runs again.

Nodes are called master-0, master-1, … and worker-0, …; DIR/nodes/NAME/rootfs is the root of one, and
DIR/nodes/NAME/log is what its daemon says. They know the registry by the name
image-registry.openshift-image-registry.svc:5000; you push to the address of the line above.
Machines that are in the folder stay: --workers 5 adds two to three, --fresh begins anew.

Exit codes: 0 stopped as asked; 2 the command line is wrong, the port is taken, or the folder cannot
be used, because of another process or of what is in it; 70 an internal error.

Examples:
  millwright up
  kubectl --kubeconfig .millwright/kubeconfig get nodes,mcp
  millwright status --watch                     in another terminal
  millwright up --workers 6 --speed 1           as slowly as real machines
  millwright up --data-dir /tmp/try --port 0 --fresh`;
