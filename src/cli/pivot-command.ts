/**
 * `millwright pivot IMAGE`, on a node: stages an OS image without contacting the cluster. The node's config is unchanged,
 * so after the next boot the pool reports the mismatch until it is reverted or the config names the image.
 */
import { systemClock, systemRandom } from '../base/env.ts';
import { Failure } from '../base/errors.ts';
import type { Host } from '../node/host/index.ts';
import { pivot } from '../processes/pivot.ts';
import { SUCCESS } from './exit-code.ts';
import { createKlog } from './klog.ts';
import { createMachineHost, type MachineOptions } from './machine-host.ts';
import type { Ports } from './ports.ts';
import { reportFailure } from './report-failure.ts';

export async function pivotCommand(image: string, options: MachineOptions, ports: Ports): Promise<number> {
  const { stderr: write, pid } = ports;
  const { info } = createKlog({ write, clock: systemClock, pid, component: 'rpm-ostree.go' });
  const log = (line: string) => info(line);
  const env = { clock: systemClock, random: systemRandom, signal: new AbortController().signal };
  try {
    const host = createMachineHost(options, { env, pid, log });
    await checkRootExists(host, options);
    await pivot(host, image, log);
    log('The new OS takes effect at the next boot: reboot this machine');
    return SUCCESS;
  } catch (error) {
    return reportFailure(error, ports);
  }
}

async function checkRootExists({ files }: Host, { rootMount, hostPid }: MachineOptions): Promise<void> {
  if ((await files.list('/')) !== undefined) return;
  const message =
    hostPid === undefined
      ? `--root-mount: no such directory: ${rootMount}`
      : `--host-pid: no such process: ${hostPid}`;
  throw new Failure('usage', 'NoSuchRoot', message);
}
