/**
 * `millwright operator` and `millwright controller`: the components as their Deployments run them.
 *
 * Each talks to the cluster as itself, and works only while it holds its Lease. A component that cannot go on ends with an
 * error: Kubernetes starts it again.
 */
import { hostname } from 'node:os';
import { type Env, systemClock, systemRandom } from '../base/env.ts';
import { DEFAULT_SETTINGS } from '../controllers/index.ts';
import { createNodeTransport } from '../kubernetes/client/transport-node.ts';
import { type ComponentName, runComponent } from '../processes/component-process.ts';
import { type AccessOptions, clusterAccess } from './cluster-access.ts';
import { FINE } from './exit-code.ts';
import { failedCommand } from './failed-command.ts';
import { createKlog } from './klog.ts';
import type { Ports } from './ports.ts';
import { releaseOf } from './release.ts';
import { readTemplates } from './render/read-templates.ts';

export type ComponentOptions = AccessOptions;

/** Runs until the process is asked to end, and returns the exit code. */
export async function componentCommand(
  name: ComponentName,
  options: ComponentOptions,
  { ports, version }: { readonly ports: Ports; readonly version: string },
): Promise<number> {
  const stopping = new AbortController();
  ports.onStop(() => stopping.abort());
  const log = createKlog({
    write: ports.stderr,
    clock: systemClock,
    pid: ports.pid,
    component: `${name}.go`,
  });
  const env: Env = { clock: systemClock, random: systemRandom, log, signal: stopping.signal };
  try {
    const transport = createNodeTransport({ access: await clusterAccess(options, ports), clock: env.clock });
    const templates = await readTemplates(ports.packageRoot);
    await runComponent(name, {
      ...{ env, transport, version, templates, release: releaseOf(version, templates) },
      ...{ settings: DEFAULT_SETTINGS, identity: `${hostname()}_${env.random.uuid()}` },
    });
    return FINE;
  } catch (error) {
    return failedCommand(error, ports);
  }
}
