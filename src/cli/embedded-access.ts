/** The cluster that commands for people talk to: the embedded one of a folder, or that of a kubeconfig. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { Failure } from '../base/errors.ts';
import type { ServerAccess } from '../kubernetes/client/index.ts';
import { parseFolder } from './command-context.ts';
import type { Ports } from './ports.ts';

export type ClusterOptions = { readonly kubeconfig?: string; readonly dataDir: string };

export const DEFAULT_DATA_DIR = '.millwright';

/** Adds `--data-dir` and `--kubeconfig` to a command. */
export function withClusterOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--data-dir <DIR>', 'the folder of the embedded cluster')
        .default(DEFAULT_DATA_DIR)
        .argParser(parseFolder),
    )
    .option('--kubeconfig <FILE>', 'talk to the cluster of its current context instead');
}

/** Throws a `Failure` that says what to do where there is no cluster. */
export async function embeddedAccess(options: ClusterOptions, ports: Ports): Promise<ServerAccess> {
  const { kubeconfig, dataDir } = options;
  // Definitions of commands import this file: only who talks to a cluster loads a parser of YAML.
  const { readKubeconfig } = await import('../kubernetes/client/kubeconfig-node.ts');
  if (kubeconfig !== undefined) return await readKubeconfig(resolve(ports.cwd, kubeconfig));
  const path = resolve(ports.cwd, join(dataDir, 'kubeconfig'));
  if (!existsSync(path)) {
    const message = `no cluster lives in ${dataDir}: start one with \`millwright up\`, or name a kubeconfig with --kubeconfig`;
    throw new Failure('usage', 'NoCluster', message);
  }
  return await readKubeconfig(path);
}
