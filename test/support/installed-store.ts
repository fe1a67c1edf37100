/**
 * A store in memory in which `manifests/` is installed, as a server finds it that was stopped and started again. Installing happens
 * once per worker.
 */
import { join } from 'node:path';
import type { LogLimits, Store } from '../../src/embedded/apiserver/index.ts';
import { type Installation, installOnce, storeWith } from '../../src/simulation/installation-node.ts';

export { AFTER_INSTALLATION_MS } from '../../src/simulation/installation-node.ts';

// Not relative to this file: benchmarks run it from a bundle.
const folder = join(process.cwd(), 'manifests');

export async function installedStore(limits: LogLimits): Promise<Store> {
  installing ??= installOnce(folder);
  return await storeWith(await installing, limits);
}

let installing: Promise<Installation> | undefined;
