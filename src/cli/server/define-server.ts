/**
 * Flags and help of `millwright server`.
 */
import { Command, InvalidArgumentError, Option } from 'commander';
import { type Network, parseNetwork } from '../../base/text/index.ts';
import { withClusterOptions } from '../cluster-options.ts';
import { addMetricsOptions, type Context, parseHttpsUrl, parsePort } from '../command-context.ts';
import { installedNamespaceOption, ownNamespaceOption } from '../namespace-option.ts';
import type { PointerOptions } from './pointer-command.ts';
import type { ServerOptions } from './server-command.ts';

const DEFAULT_PORT = 22_623;

export function createServerCommand(program: Command, context: Context): Command {
  const { ports, version, exit } = context;
  const command = new Command('server')
    .copyInheritedSettings(program)
    .summary('in a cluster: give machines that join the Ignition of their pool')
    .description(
      'Runs in the DaemonSet machine-config-server of manifests/workloads-server.yaml and answers GET /config/POOL with the rendered config of the pool, in the version of Ignition that the machine accepts (2.2, 3.0 to 3.5), and with what makes it a node: CAs, a kubeconfig for its first certificate, its first annotations. The certificate comes from the Secret machine-config-server-tls, which the operator makes (--config-server) and renews. What it serves holds credentials of the cluster: limit who gets it with --require-token and --allow-source.',
    )
    .usage('[OPTIONS]')
    .option('--kubeconfig <FILE>', 'use the current context of this kubeconfig (default: in-cluster config)')
    .addOption(ownNamespaceOption())
    .addOption(portOption('--port <PORT>', 'port for HTTPS').default(DEFAULT_PORT))
    .addOption(
      portOption(
        '--plain-port <PORT>',
        'serve plain HTTP on this port too; upstream uses 22624 (default: none)',
      ),
    )
    .addOption(
      new Option(
        '--apiserver-url <URL>',
        'how new nodes reach the API server (default: status.apiServerInternalURI in the ControllerConfig)',
      ).argParser(parseHttpsUrl),
    )
    .option(
      '--require-token',
      'serve only with the token of the Secret machine-config-server-token, as "Authorization: Bearer" or "?token="',
    )
    .addOption(
      new Option(
        '--allow-source <CIDR,...>',
        'serve only to addresses in these networks; may be repeated (default: all)',
      ).argParser(parseNetworks),
    );
  return addMetricsOptions(command)
    .addHelpText('after', SERVER_EXAMPLES)
    .addCommand(createPointerCommand(program, context))
    .action(async (options: ServerOptions) => {
      const { serverCommand } = await import('./server-command.ts');
      exit(await serverCommand(options, { ports, version }));
    });
}

function portOption(flags: string, what: string): Option {
  return new Option(flags, what).argParser(parsePort);
}

/** Empty is none: the manifests always have the flag. */
function parseNetworks(text: string, before: readonly Network[] = []): readonly Network[] {
  const parts = text.split(',').filter((part) => part !== '');
  return [
    ...before,
    ...parts.map((part) => {
      const network = parseNetwork(part);
      if (network === undefined)
        throw new InvalidArgumentError(`"${part}" is not a network, such as 10.0.0.0/8.`);
      return network;
    }),
  ];
}

function createPointerCommand(program: Command, { ports, exit }: Context): Command {
  const command = new Command('pointer')
    .copyInheritedSettings(program)
    .summary('print the Ignition that a new machine of a pool boots with')
    .description(
      'Prints the pointer config of a pool: a short Ignition config that names the server and its CA, for the user data of a platform or for an installer. It stays the same when the config of the pool changes. The operator keeps it in the Secret POOL-user-data-managed.',
    )
    .usage('[OPTIONS]')
    .option('--pool <POOL>', 'the pool', 'worker')
    .addOption(installedNamespaceOption());
  return withClusterOptions(command)
    .addHelpText('after', POINTER_EXAMPLES)
    .action(async (_: unknown, self: Command) => {
      const { pointerCommand } = await import('./pointer-command.ts');
      // Both commands have --kubeconfig and --namespace: they count wherever they stand.
      exit(await pointerCommand(self.optsWithGlobals<PointerOptions>(), ports));
    });
}

const POINTER_EXAMPLES = `
Where the server asks for a token, the pointer has it: treat it as a secret.

Exit codes: 0 success; 1 the server rejected the request; 2 invalid command line, unknown pool, the
machine config server is not installed, or the cluster is not running; 70 internal error.

Examples:
  millwright server pointer > worker.ign
  millwright server pointer --pool infra --kubeconfig admin.kubeconfig`;

const SERVER_EXAMPLES = `
Responses: 200 with the config; 400 an Ignition version that is not supported; 401 no valid token; 403 an
address that is not allowed; 404 no such pool; 405 not GET or HEAD; 500 the config cannot be expressed in
that version (the log says why); 503 try again, as Ignition does: too many requests, or something is
missing yet (the log says what). Errors have no body. /healthz is open to all.

Exit codes: 0 stopped on request; 2 invalid command line, or no API server configured or reachable;
70 internal error.

Examples:
  millwright server --apiserver-url https://api-int.example:6443 --require-token      in a pod
  millwright server --allow-source 10.0.0.0/16,fd00::/64
  curl -k -H 'Accept: application/vnd.coreos.ignition+json;version=3.4.0' \\
       "https://127.0.0.1:22623/config/worker?token=$TOKEN"`;
