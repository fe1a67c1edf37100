/**
 * Flags and help of `millwright doctor`.
 */
import { Command, Option } from 'commander';
import { withClusterOptions } from '../cluster-options.ts';
import { type Context, parseFolder } from '../command-context.ts';
import { installedNamespaceOption } from '../namespace-option.ts';
import type { DoctorOptions } from './doctor-command.ts';

export function createDoctorCommand(program: Command, { ports, exit }: Context): Command {
  const command = new Command('doctor')
    .copyInheritedSettings(program)
    .summary('name what blocks a rollout, with the evidence and the next command')
    .description(
      'Looks at the cluster, or at one pool, node or build of it, and names the cause that blocks first: in one sentence, with the objects and fields that show it, since when, and the next command to run; then what else it saw. It only reads. Work in progress is no cause: a drain that waits for a second is not blocked.',
    )
    .usage('[OPTIONS] [POOL|NODE|BUILD]')
    .argument('[POOL|NODE|BUILD]')
    .option(
      '--from <PATH>',
      'a dump (millwright dump), a must-gather or output of `kubectl get -o yaml`, in place of a cluster',
      parseFolder,
    )
    .addOption(installedNamespaceOption())
    .addOption(
      new Option('-o, --output <FORMAT>', 'output format').choices(['text', 'json']).default('text'),
    );
  return withClusterOptions(command)
    .addHelpText('after', DOCTOR_EXAMPLES)
    .action(async (name: string | undefined, options: DoctorOptions) => {
      const { doctorCommand } = await import('./doctor-command.ts');
      exit(await doctorCommand(name, options, ports));
    });
}

const DOCTOR_EXAMPLES = `
Causes are ordered by what blocks first: nothing runs, nothing is rendered, nothing is built, no node
of a pool may go, a node is stuck, something else is wrong. Each has a stable code with a section in
docs/troubleshooting.md. The form of -o json is docs/schemas/doctor.schema.json.

Rights to list MachineConfigPools and nodes are needed. What else the user may not read is left out
and named; the other objects of Millwright, and Leases and workloads in its namespace, suffice for
most causes.

Exit codes: 0 nothing blocks; 3 something blocks; 1 the server rejected a request; 2 invalid command
line, unknown name, or the cluster is not running; 70 internal error.

Examples:
  millwright doctor
  millwright doctor worker
  millwright doctor worker-1
  millwright doctor -o json | jq -r '.cause.code'
  millwright doctor --from must-gather.local.123/`;
