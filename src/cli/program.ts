/**
 * The program: its commands and global help.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, CommanderError } from 'commander';
import { printableLine } from '../base/text/index.ts';
import { createBuildsCommand } from './builds/define-builds.ts';
import { createCompletionCommand } from './completion/define-completion.ts';
import { createApiserverCommand } from './define-apiserver.ts';
import { createBuilderCommand, createBuildPodCommands } from './define-builder.ts';
import { createComponentCommand, createDaemonCommand, createPivotCommand } from './define-components.ts';
import { createNodeCommand } from './define-node.ts';
import { createObjectCommands } from './define-objects.ts';
import { createRenderCommand } from './define-render.ts';
import { createStatusCommand } from './define-status.ts';
import { createUpCommand } from './define-up.ts';
import { createDoctorCommand } from './doctor/define-doctor.ts';
import { createDumpCommand } from './doctor/define-dump.ts';
import { SUCCESS, USAGE_ERROR } from './exit-code.ts';
import { createHandCommands } from './hands/define-hands.ts';
import { createInstallCommand, createUninstallCommand } from './install/define-install.ts';
import { createPlanCommand } from './plan/define-plan.ts';
import type { Ports } from './ports.ts';
import { createPruneCommand } from './prune/define-prune.ts';
import { createServerCommand } from './server/define-server.ts';
import { createSimulateCommand } from './simulate/define-simulate.ts';

/** Runs one command line (without the program's own name) and returns the exit code. */
export async function runProgram(args: readonly string[], ports: Ports): Promise<number> {
  let exitCode = SUCCESS;
  const program = createProgram(ports, (code) => {
    exitCode = code;
  });
  if (args.length === 0) {
    program.outputHelp();
    return SUCCESS;
  }
  if (args[0] === COMPLETE) {
    // Not a command: its words may be anything, and are no flags of its own.
    const { completeCommand } = await import('./completion/complete-command.ts');
    return await completeCommand(program, args.slice(1), ports);
  }
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? SUCCESS : USAGE_ERROR;
  }
  return exitCode;
}

/** What completion scripts call; see `completion/complete-command.ts`. */
const COMPLETE = '__complete';

/** `bin/millwright` says so where kubectl has called it as its plugin. */
const PLUGIN = 'kubectl millwright';
/** In the examples of help texts. */
const OWN_CALLS = /^( +)millwright (?=[a-z])/gm;

/** Help texts are formatted for this width regardless of the terminal: they are part of the documentation. */
const HELP_WIDTH = 100;

function createProgram(ports: Ports, exit: (code: number) => void): Command {
  const version = versionOf(ports.packageRoot);
  const isPlugin = ports.environment.MILLWRIGHT_CALLED_AS === PLUGIN;
  const program = new Command(isPlugin ? PLUGIN : 'millwright')
    .description('A machine config operator for any Kubernetes cluster.')
    .usage('COMMAND [OPTIONS]')
    .version(version, '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [COMMAND]', 'print the help of a command')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => ports.stdout(isPlugin ? text.replaceAll(OWN_CALLS, `$1${PLUGIN} `) : text),
      writeErr: ports.stderr,
      outputError: (text, write) => write(oneLine(text)),
      getOutHelpWidth: () => HELP_WIDTH,
      getErrHelpWidth: () => HELP_WIDTH,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .addHelpText('after', PROGRAM_EXAMPLES);
  program.addCommand(createUpCommand(program, { ports, version, exit }));
  program.addCommand(createNodeCommand(program, { ports, version, exit }));
  program.addCommand(createStatusCommand(program, { ports, version, exit }));
  program.addCommand(createPlanCommand(program, { ports, version, exit }));
  program.addCommand(createSimulateCommand(program, { ports, version, exit }));
  program.addCommand(createDoctorCommand(program, { ports, version, exit }));
  program.addCommand(createDumpCommand(program, { ports, version, exit }));
  program.addCommand(createBuildsCommand(program, { ports, version, exit }));
  program.addCommand(createPruneCommand(program, { ports, version, exit }));
  for (const one of createHandCommands(program, { ports, version, exit })) program.addCommand(one);
  for (const one of createObjectCommands(program, { ports, version, exit })) program.addCommand(one);
  program.addCommand(createRenderCommand(program, { ports, version, exit }));
  program.addCommand(createInstallCommand(program, { ports, version, exit }));
  program.addCommand(createUninstallCommand(program, { ports, version, exit }));
  program.addCommand(createCompletionCommand(program, { ports, version, exit }));
  program.addCommand(createApiserverCommand(program, { ports, version, exit }));
  program.addCommand(createComponentCommand(program, { ports, version, exit }, 'operator'));
  program.addCommand(createComponentCommand(program, { ports, version, exit }, 'controller'));
  program.addCommand(createBuilderCommand(program, { ports, version, exit }));
  program.addCommand(createServerCommand(program, { ports, version, exit }));
  program.addCommand(createDaemonCommand(program, { ports, version, exit }));
  program.addCommand(createPivotCommand(program, { ports, version, exit }));
  // Nothing that people run.
  for (const one of createBuildPodCommands(program, { ports, version, exit })) {
    program.addCommand(one, { hidden: true });
  }
  return program;
}

const PROGRAM_EXAMPLES = `
Exit codes: 0 success; 1 invalid input or rejected request; 2 invalid command line, or something it
names cannot be used; 70 internal error (please file a bug).

Examples:
  millwright up                                 an embedded cluster on this machine
    millwright status --watch                     status of its pools and nodes
    millwright doctor                             what blocks, and what to do next
    millwright builds infra --follow              the build of a pool's OS image
    millwright get mcp,nodes                      like kubectl get
    millwright node worker-0 cat /etc/motd        a file of a node
    millwright render ./machineconfigs            the rendered config of each pool, offline
    millwright render --check ./machineconfigs    validation, for a pull request
  millwright install | kubectl apply -f -       on a Kubernetes cluster
  millwright help render                        flags, formats and exit codes`;

/** Joins commander's `error: unknown option '--foo'` and the suggestion below it into one line. */
function oneLine(text: string): string {
  return `millwright: ${printableLine(text.trim().replace(/^error: /, ''))}\n`;
}

function versionOf(packageRoot: string): string {
  const { version } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'));
  return String(version);
}
