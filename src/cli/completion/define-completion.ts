/**
 * Flags and help of `millwright completion`.
 */
import { Argument, Command } from 'commander';
import type { Context } from '../command-context.ts';
import { SUCCESS } from '../exit-code.ts';
import { completionScript, SHELLS, type Shell } from './scripts.ts';

export function createCompletionCommand(program: Command, { ports, exit }: Context): Command {
  return new Command('completion')
    .copyInheritedSettings(program)
    .summary('print a script that completes commands, flags and names in a shell')
    .description(
      'Prints a completion script for the shell. It completes commands, flags, their values, and the names of pools, nodes and builds: those come from the cluster that the command would work on, by one short request that is given up after a moment.',
    )
    .usage('(bash | zsh | fish)')
    .addArgument(new Argument('<SHELL>').choices(SHELLS))
    .addHelpText('after', COMPLETION_EXAMPLES)
    .action((shell: Shell) => {
      ports.stdout(completionScript(shell));
      exit(SUCCESS);
    });
}

const COMPLETION_EXAMPLES = `
kubectl completes \`kubectl millwright\` by itself where kubectl_complete-millwright is in PATH.

Exit codes: 0 success; 2 invalid command line.

Examples:
  source <(millwright completion bash)          in ~/.bashrc
  source <(millwright completion zsh)           in ~/.zshrc, after compinit
  millwright completion fish > ~/.config/fish/completions/millwright.fish`;
