/**
 * `millwright uninstall`: removes Millwright from a live cluster.
 */
import { type Env, silentLog, systemClock, systemRandom } from '../../base/env.ts';
import { createKube } from '../../kubernetes/client/index.ts';
import { createNodeTransport } from '../../kubernetes/client/transport-node.ts';
import { type ClusterOptions, kubeconfigAccess } from '../cluster-options.ts';
import { durationMs } from '../duration.ts';
import { runInCluster, throwUsageError } from '../objects/run-in-cluster.ts';
import type { Ports } from '../ports.ts';
import { readManifestFiles } from './read-manifest-files.ts';
import { uninstall } from './uninstall.ts';

export type UninstallOptions = ClusterOptions & {
  readonly deleteCrds?: boolean;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly timeout: string;
};

export function uninstallCommand(
  options: UninstallOptions,
  { ports, version }: { readonly ports: Ports; readonly version: string },
): Promise<number> {
  return runInCluster(options, ports, async () => {
    const { deleteCrds = false, dryRun = false, yes = false } = options;
    if (dryRun === yes) {
      throwUsageError('give --dry-run to see what would be removed, or --yes to remove it');
    }
    const timeoutMs = durationMs('--timeout', options.timeout);
    const stopping = new AbortController();
    ports.onStop(() => stopping.abort());
    const env: Env = { clock: systemClock, random: systemRandom, log: silentLog, signal: stopping.signal };
    const transport = createNodeTransport({
      access: await kubeconfigAccess(options, ports),
      clock: env.clock,
    });
    try {
      await uninstall({
        kube: createKube({ transport, env, fieldManager: 'millwright', userAgent: `millwright/${version}` }),
        clock: env.clock,
        signal: stopping.signal,
        // Whatever the values were.
        objects: (await readManifestFiles(ports.packageRoot, 'others')).flatMap((file) => file.objects),
        deletesCrds: deleteCrds,
        isDryRun: dryRun,
        timeoutMs,
        print: (line) => ports.stdout(`${line}\n`),
      });
    } finally {
      transport.close();
    }
  });
}
