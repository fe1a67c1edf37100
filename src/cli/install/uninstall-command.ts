/**
 * `millwright uninstall`: removes Millwright from a live cluster.
 */
import { type Env, silentLog, systemClock, systemRandom } from '../../base/env.ts';
import { printableLine } from '../../base/text/index.ts';
import { inNamespace } from '../../install/index.ts';
import { createKube } from '../../kubernetes/client/index.ts';
import { describeAccess } from '../cluster/select-cluster.ts';
import type { ClusterOptions } from '../cluster-options.ts';
import { durationMs } from '../duration.ts';
import { installedNamespace } from '../installed-namespace.ts';
import type { NamespaceOptions } from '../namespace-option.ts';
import { runInCluster, throwUsageError } from '../objects/run-in-cluster.ts';
import type { Ports } from '../ports.ts';
import { readManifestFiles } from './read-manifest-files.ts';
import { uninstall } from './uninstall.ts';

export type UninstallOptions = ClusterOptions &
  NamespaceOptions & {
    readonly deleteCrds?: boolean;
    readonly yes?: boolean;
    readonly dryRun?: boolean;
    readonly timeout: string;
  };

export function uninstallCommand(
  options: UninstallOptions,
  { ports, version }: { readonly ports: Ports; readonly version: string },
): Promise<number> {
  return runInCluster(options, ports, async ({ transport, access }) => {
    const { deleteCrds = false, dryRun = false, yes = false } = options;
    if (dryRun === yes) {
      throwUsageError('give --dry-run to see what would be removed, or --yes to remove it');
    }
    const timeoutMs = durationMs('--timeout', options.timeout);
    const stopping = new AbortController();
    ports.onStop(() => stopping.abort());
    const env: Env = { clock: systemClock, random: systemRandom, log: silentLog, signal: stopping.signal };
    ports.stdout(`cluster: ${printableLine(describeAccess(access))}\n`);
    const userAgent = `millwright/${version}`;
    const kube = createKube({ transport, env, fieldManager: 'millwright', userAgent });
    const namespace = await installedNamespace(options, kube);
    await uninstall({
      kube,
      namespace,
      clock: env.clock,
      signal: stopping.signal,
      // Whatever the values were.
      objects: (await readManifestFiles(ports.packageRoot, 'others')).flatMap((file) =>
        file.objects.map((object) => inNamespace(object, namespace)),
      ),
      deletesCrds: deleteCrds,
      isDryRun: dryRun,
      timeoutMs,
      print: (line) => ports.stdout(`${line}\n`),
    });
  });
}
