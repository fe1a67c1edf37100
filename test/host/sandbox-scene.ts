/**
 * Sandboxes for the contract of hosts, over any disk.
 */
import { systemClock } from '../../src/base/env.ts';
import { createSandboxMachine } from '../../src/embedded/sandbox/index.ts';
import type { HostScene } from '../../src/node/host/contract.ts';
import type { Disk } from '../../src/node/host/index.ts';
import { seededRandom } from '../support/virtual-env.ts';
import { anImage, pullFrom } from './an-image.ts';
import { bytes, eventually, NEW_IMAGE, OLD_IMAGE, OTHER_IMAGE, OTHER_RELEASE } from './contract-fixtures.ts';

const images = () => ({
  [OLD_IMAGE]: anImage(),
  [NEW_IMAGE]: anImage({ digest: 'b', version: '9.6.2' }),
  [OTHER_IMAGE]: anImage({ digest: 'd', version: '42', files: { '/usr/lib/os-release': OTHER_RELEASE } }),
});

type Options = {
  readonly disk: Disk;
  readonly makeSpecial?: (path: string) => Promise<boolean>;
  readonly close?: () => Promise<void>;
};

export async function sandboxScene({ disk, makeSpecial, close }: Options): Promise<HostScene> {
  await disk.create('/canary', 0o644);
  await disk.write('/canary', bytes('untouched'));
  const before = new Set([...(await disk.list('/')), 'rootfs', 'machine', 'owners']);
  let served: ReturnType<typeof images> | Record<string, never> = images();
  const machine = createSandboxMachine({
    disk,
    clock: systemClock,
    random: seededRandom(7),
    pullImage: (reference) => pullFrom(served)(reference),
    durations: { bootMs: 0, shutDownMs: 0, pullMs: 0, stageMs: 0 },
  });
  await machine.provision({ image: OLD_IMAGE, kernelArguments: ['rw'] });
  await machine.boot();
  let boots = 0;
  machine.onPower(({ kind }) => {
    if (kind === 'up') boots += 1;
  });
  return {
    get host() {
      return machine.host;
    },
    isPrivileged: true,
    owner: { uid: 1000, gid: 1000 },
    async rebooted() {
      if (!(await eventually(() => boots > 0))) throw new Error('the machine does not come up');
      boots = 0;
    },
    async outside() {
      const added = (await disk.list('/')).filter((name) => !before.has(name));
      const canary = new TextDecoder().decode(await disk.read('/canary', 1000));
      return [`canary: ${canary}`, ...added].join('\n');
    },
    async closeRegistry() {
      served = {};
    },
    makeSpecial: makeSpecial ?? (async () => false),
    close: close ?? (async () => undefined),
  };
}
