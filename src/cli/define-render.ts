/**
 * `millwright render`: its flags and its help.
 */
import { Command, Option } from 'commander';
import { type Context, collect } from './command-context.ts';
import { OUTPUT_FORMATS } from './render/output-format.ts';
import type { RenderOptions } from './render/render-command.ts';

export function createRenderCommand(program: Command, { ports, version, exit }: Context): Command {
  return new Command('render')
    .copyInheritedSettings(program)
    .summary('print the rendered MachineConfigs of a folder, offline')
    .description(
      'Reads MachineConfigs, MachineConfigPools and settings from YAML or JSON files and prints what each\npool is rendered to. Needs no cluster. PATH is a file, a folder (*.yaml, *.yml and *.json in it and\nbelow) or - for stdin.',
    )
    .usage('[OPTIONS] PATH...')
    .argument('<PATH...>')
    .addOption(new Option('-o, --output <FORMAT>', 'how to print').choices(OUTPUT_FORMATS).default('yaml'))
    .option('--pool <NAME>', 'render this pool only; may be repeated', collect)
    .option('--with-base', 'add the base configs, and the pools master and worker where there are none')
    .option('--check', 'only look for problems; print nothing on stdout')
    .addHelpText('after', RENDER_EXAMPLES)
    .action(async (paths: readonly string[], options: RenderOptions) => {
      // Each command loads what it needs, so that others start without it.
      const { renderCommand } = await import('./render/render-command.ts');
      exit(await renderCommand(paths, options, { ports, version }));
    });
}

const RENDER_EXAMPLES = `
Formats: yaml, json (several pools as a List), name, summary (for people: sources and overrides).

Exit codes: 0 fine; 1 something in the input is wrong; 2 the command line is wrong or the input
cannot be used; 70 an internal error. Unless all is fine nothing is printed on stdout.

Examples:
  millwright render .
  millwright render -o summary --pool worker configs/ pools.yaml
  millwright render --with-base -o name 99-worker-chrony.yaml
  kustomize build overlay | millwright render --check -`;
