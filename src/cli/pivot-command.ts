/**
 * `millwright pivot IMAGE`, on a node: stages another OS image, without asking the cluster. What the node's config says is
 * not touched, so from the next boot on the pool tells of the mismatch, until it is taken back or the config follows.
 */
import { systemClock, systemRandom } from '../base/env.ts';
import { Failure } from '../base/errors.ts';
import type { Host } from '../node/host/index.ts';
import { FINE } from './exit-code.ts';
import { failedCommand } from './failed-command.ts';
import { createKlog } from './klog.ts';
import { type MachineOptions, machineOf } from './machine.ts';
import type { Ports } from './ports.ts';

export async function pivotCommand(image: string, options: MachineOptions, ports: Ports): Promise<number> {
  const { stderr: write, pid } = ports;
  const { info } = createKlog({ write, clock: systemClock, pid, component: 'rpm-ostree.go' });
  const say = (line: string) => info(line);
  try {
    const host = machineOf(options, { random: systemRandom, pid, say });
    await refuseWhereNothingIs(host, options);
    const { isImageBased, id } = await host.os.release();
    if (!isImageBased) {
      throw new Failure(
        'usage',
        'NotImageBased',
        `the OS of this machine (${id}) is no image that can be exchanged`,
      );
    }
    const before = (await host.os.deployments()).find(({ isBooted }) => isBooted);
    say(`Previous pivot: ${before?.image === '' ? '(none)' : before?.image}`);
    await host.os.linkCredentials();
    await host.os.rebase(image);
    const staged = (await host.os.deployments()).find(({ isStaged }) => isStaged);
    if (staged !== undefined) say(`Pivoting to: ${staged.version} (${staged.commit})`);
    say('The new OS is used from the next boot on: reboot this machine');
    return FINE;
  } catch (error) {
    return failedCommand(error, ports);
  }
}

async function refuseWhereNothingIs({ files }: Host, { rootMount, hostPid }: MachineOptions): Promise<void> {
  if ((await files.list('/')) !== undefined) return;
  const message =
    hostPid === undefined
      ? `--root-mount: there is no folder ${rootMount}`
      : `--host-pid: there is no process ${hostPid}`;
  throw new Failure('usage', 'NoSuchRoot', message);
}
