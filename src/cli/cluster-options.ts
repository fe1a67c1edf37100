/** Flags that select a cluster: the embedded one of a data directory, or the one of a kubeconfig. */
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
      new Option('--data-dir <DIR>', 'data directory of the embedded cluster')
        .default(DEFAULT_DATA_DIR)
        .argParser(parseFolder),
    )
    .option('--kubeconfig <FILE>', 'use the current context of this kubeconfig instead');
}

/** Throws a `Failure` with advice if there is no cluster. */
export async function kubeconfigAccess(options: ClusterOptions, ports: Ports): Promise<ServerAccess> {
  const { kubeconfig, dataDir } = options;
  // Command definitions import this file, so the YAML parser is loaded only when a cluster is contacted.
  const { readKubeconfig } = await import('../kubernetes/client/kubeconfig-node.ts');
  if (kubeconfig !== undefined) return await readKubeconfig(resolve(ports.cwd, kubeconfig));
  const path = resolve(ports.cwd, join(dataDir, 'kubeconfig'));
  if (!existsSync(path)) {
    const message = `no cluster in ${dataDir}: start one with \`millwright up\`, or give a kubeconfig with --kubeconfig`;
    throw new Failure('usage', 'NoCluster', message);
  }
  return await readKubeconfig(path);
}
