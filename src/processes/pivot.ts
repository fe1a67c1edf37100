/**
 * A pivot by hand: stages an OS image, without the cluster and without a reboot. The node's config is unchanged, so after the
 * next boot the pool reports the mismatch until it is reverted or the config names the image.
 */
import { Failure } from '../base/errors.ts';
import type { Host } from '../node/host/index.ts';
import { refusedImage } from '../node/plan/index.ts';

export async function pivot(host: Host, image: string, log: (line: string) => void): Promise<void> {
  const release = await host.os.release();
  if (!release.isImageBased) {
    throw new Failure('usage', 'NotImageBased', `the OS of this machine (${release.id}) is not image-based`);
  }
  const before = (await host.os.deployments()).find(({ isBooted }) => isBooted);
  log(`Previous pivot: ${before?.image || '(none)'}`);
  await host.os.rebase(image);
  const refused = refusedImage(image, release, await host.os.stagedRelease());
  if (refused !== undefined) {
    await host.os.dropPending();
    throw new Failure('stalled', 'ImageRefused', refused);
  }
  const staged = (await host.os.deployments()).find(({ isStaged }) => isStaged);
  if (staged !== undefined) log(`Pivoting to: ${staged.version} (${staged.commit})`);
}
