/**
 * `millwright pivot IMAGE`, on a node: stages an OS image without contacting the cluster. The node's config is unchanged,
 * so after the next boot the pool reports the mismatch until it is reverted or the config names the image.
 */
import { systemClock, systemRandom } from '../base/env.ts';
import { Failure } from '../base/errors.ts';
import type { Host } from '../node/host/index.ts';
import { refusedImage } from '../node/plan/index.ts';
import { SUCCESS } from './exit-code.ts';
import { createKlog } from './klog.ts';
import { createMachineHost, type MachineOptions } from './machine-host.ts';
import type { Ports } from './ports.ts';
import { reportFailure } from './report-failure.ts';

export async function pivotCommand(image: string, options: MachineOptions, ports: Ports): Promise<number> {
  const { stderr: write, pid } = ports;
  const { info } = createKlog({ write, clock: systemClock, pid, component: 'rpm-ostree.go' });
  const log = (line: string) => info(line);
  try {
    const host = createMachineHost(options, { random: systemRandom, pid, log });
    await checkRootExists(host, options);
    await pivot(host, image, log);
    return SUCCESS;
  } catch (error) {
    return reportFailure(error, ports);
  }
}

/** Stages the image, without a reboot. */
export async function pivot(host: Host, image: string, log: (line: string) => void): Promise<void> {
  const release = await host.os.release();
  if (!release.isImageBased) {
    throw new Failure('usage', 'NotImageBased', `the OS of this machine (${release.id}) is not image-based`);
  }
  const before = (await host.os.deployments()).find(({ isBooted }) => isBooted);
  log(`Previous pivot: ${before?.image || '(none)'}`);
  await host.os.linkCredentials();
  await host.os.rebase(image);
  const refused = refusedImage(image, release, await host.os.stagedRelease());
  if (refused !== undefined) {
    await host.os.dropPending();
    throw new Failure('stalled', 'ImageRefused', refused);
  }
  const staged = (await host.os.deployments()).find(({ isStaged }) => isStaged);
  if (staged !== undefined) log(`Pivoting to: ${staged.version} (${staged.commit})`);
  log('The new OS takes effect at the next boot: reboot this machine');
}

async function checkRootExists({ files }: Host, { rootMount, hostPid }: MachineOptions): Promise<void> {
  if ((await files.list('/')) !== undefined) return;
  const message =
    hostPid === undefined
      ? `--root-mount: no such directory: ${rootMount}`
      : `--host-pid: no such process: ${hostPid}`;
  throw new Failure('usage', 'NoSuchRoot', message);
}
