/**
 * `millwright server pointer`: the pointer config of a pool, from its Secret.
 */
import { machineConfigPool as machineConfigPoolKind } from '../../api/index.ts';
import { silentLog, systemClock, systemRandom } from '../../base/env.ts';
import { Failure } from '../../base/errors.ts';
import { base64Bytes, didYouMean } from '../../base/text/index.ts';
import { createKube, type Kube } from '../../kubernetes/client/index.ts';
import { nameOf } from '../../kubernetes/meta/index.ts';
import { secret as secretKind } from '../../kubernetes/types/index.ts';
import type { ClusterOptions } from '../cluster-options.ts';
import { installedNamespace } from '../installed-namespace.ts';
import type { NamespaceOptions } from '../namespace-option.ts';
import { runInCluster } from '../objects/run-in-cluster.ts';
import type { Ports } from '../ports.ts';

export type PointerOptions = ClusterOptions & NamespaceOptions & { readonly pool: string };

/** Returns the exit code. */
export function pointerCommand(options: PointerOptions, ports: Ports): Promise<number> {
  return runInCluster(options, ports, async ({ transport }) => {
    const env = {
      clock: systemClock,
      random: systemRandom,
      log: silentLog,
      signal: new AbortController().signal,
    };
    const kube = createKube({ transport, env, fieldManager: 'millwright' });
    ports.stdout(`${await pointerOf(kube, options.pool, await installedNamespace(options, kube))}\n`);
  });
}

async function pointerOf(kube: Kube, pool: string, namespace: string): Promise<string> {
  const secret = await kube.get(secretKind, { name: `${pool}-user-data-managed`, namespace });
  const userData = new TextDecoder().decode(base64Bytes(secret?.data?.userData ?? ''));
  if (userData !== '') return userData;
  const pools = (await kube.list(machineConfigPoolKind)).items.map(nameOf);
  const message = pools.includes(pool)
    ? `there is no pointer of pool ${pool} yet: is the machine config server installed (server.enabled)?`
    : `there is no pool ${pool}${didYouMean(pool, pools)}`;
  throw new Failure('usage', 'NoPointer', message);
}
