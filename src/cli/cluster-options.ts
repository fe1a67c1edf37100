/** Flags that select a cluster. Which one is meant without them is decided in `cluster/select-cluster.ts`. */
import { type Command, Option } from 'commander';
import { parseFolder } from './command-context.ts';

export type ClusterOptions = {
  readonly kubeconfig?: string;
  readonly context?: string;
  /** Of an embedded cluster; only where it was given. */
  readonly dataDir?: string;
};

export const DEFAULT_DATA_DIR = '.millwright';

/** Adds `--kubeconfig`, `--context` and `--data-dir` to a command. */
export function withClusterOptions(command: Command): Command {
  return command
    .option(
      '--kubeconfig <FILE>',
      `kubeconfig of the cluster (default: $KUBECONFIG, else that of the cluster of \`millwright up\` that runs in ${DEFAULT_DATA_DIR}, else ~/.kube/config)`,
    )
    .option('--context <NAME>', 'context of the kubeconfig (default: its current one)')
    .addOption(
      new Option('--data-dir <DIR>', 'use the embedded cluster of this data directory').argParser(
        parseFolder,
      ),
    );
}
