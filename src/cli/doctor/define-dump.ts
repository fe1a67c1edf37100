/**
 * Flags and help of `millwright dump`.
 */
import { Command } from 'commander';
import { withClusterOptions } from '../cluster-options.ts';
import { type Context, parseFolder } from '../command-context.ts';
import { installedNamespaceOption } from '../namespace-option.ts';
import type { DumpOptions } from './dump-command.ts';

export function createDumpCommand(program: Command, { ports, exit }: Context): Command {
  const command = new Command('dump')
    .copyInheritedSettings(program)
    .summary('write what doctor and plan read into a folder or archive, without secrets')
    .description(
      'Writes the objects of Millwright, nodes, workloads and events of its namespace, disruption budgets and pods into a folder or a .tar.gz, for `millwright doctor --from` and `millwright plan --from` on another machine. It only reads the cluster.',
    )
    .usage('[OPTIONS]')
    .option(
      '-o, --output <FILE|DIR>',
      'a new *.tar.gz, or an empty folder (default: millwright-dump-TIME.tar.gz)',
      parseFolder,
    )
    .addOption(installedNamespaceOption());
  return withClusterOptions(command)
    .addHelpText('after', DUMP_EXAMPLES)
    .action(async (options: DumpOptions) => {
      const { dumpCommand } = await import('./dump-command.ts');
      exit(await dumpCommand(options, ports));
    });
}

const DUMP_EXAMPLES = `
Secrets are not read: of the Secrets in the namespace only name and type are in it. Replaced by a
mark are data of ConfigMaps, contents of files that not everybody may read or whose path or content is
one of credentials, password hashes, key files, HTTP headers, environment variables, fields that are
called a password, token or secret, and credentials inside of any text, also in base64. Equal secrets
have equal marks within one dump, which are of no use outside of it. Of pods of other namespaces only
what a drain depends on is kept. Look through it all the same before you send it to anybody.

The layout is that of must-gather: cluster-scoped-resources/GROUP/PLURAL/NAME.yaml and
namespaces/NAMESPACE/GROUP/PLURAL/NAME.yaml.

Exit codes: 0 success; 1 the server rejected a request; 2 invalid command line, an output that exists
or cannot be written, or the cluster is not running; 70 internal error.

Examples:
  millwright dump
  millwright dump -o incident-42.tar.gz
  millwright doctor --from incident-42.tar.gz`;
