/**
 * Flags and help of `millwright render`.
 */
import { Command, Option } from 'commander';
import { type Context, collect } from './command-context.ts';
import { givenNamespaceOption } from './namespace-option.ts';
import { OUTPUT_FORMATS } from './render/output-format.ts';
import type { RenderOptions } from './render/render-command.ts';

export function createRenderCommand(program: Command, { ports, version, exit }: Context): Command {
  return new Command('render')
    .copyInheritedSettings(program)
    .summary('render the MachineConfigs of a directory, offline')
    .description(
      'Reads MachineConfigs, MachineConfigPools and settings from YAML or JSON files and prints the rendered MachineConfig of each pool. Needs no cluster. PATH is a file, a directory (*.yaml, *.yml and *.json, recursively) or - for stdin.',
    )
    .usage('[OPTIONS] PATH...')
    .argument('<PATH...>')
    .addOption(new Option('-o, --output <FORMAT>', 'output format').choices(OUTPUT_FORMATS).default('yaml'))
    .option('--pool <NAME>', 'render only this pool; may be repeated', collect)
    .option('--with-base', 'add the base configs, and the pools master and worker unless given')
    .addOption(givenNamespaceOption())
    .option('--check', 'only validate; print nothing on stdout')
    .addHelpText('after', RENDER_EXAMPLES)
    .action(async (paths: readonly string[], options: RenderOptions) => {
      // A dynamic import, so that other commands start without it.
      const { renderCommand } = await import('./render/render-command.ts');
      exit(await renderCommand(paths, options, { ports, version }));
    });
}

const RENDER_EXAMPLES = `
Formats: yaml, json (several pools as a List), name, summary (sources and overrides).

Exit codes: 0 success; 1 invalid input; 2 invalid command line or unreadable input; 70 internal error.
Nothing is printed on stdout unless the exit code is 0.

Examples:
  millwright render .
  millwright render -o summary --pool worker configs/ pools.yaml
  millwright render --with-base -o name 99-worker-chrony.yaml
  kustomize build overlay | millwright render --check -`;
