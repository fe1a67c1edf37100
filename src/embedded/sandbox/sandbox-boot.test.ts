import { expect, it } from 'vitest';
import { anImage, pullFrom } from '../../../test/host/an-image.ts';
import { seededRandom, virtualEnv } from '../../../test/support/virtual-env.ts';
import { Failure } from '../../base/errors.ts';
import { createMemoryDisk, type MemoryDisk } from './memory-disk.ts';
import type { Remains } from './memory-inodes.ts';
import { createSandboxMachine, type SandboxMachine } from './sandbox.ts';

const [OLD, NEW] = ['registry.example/os:old', 'registry.example/os:new'];
const IMAGES = {
  [OLD]: anImage({ files: { '/etc/default': 'old', '/usr/lib/version': 'old' } }),
  [NEW]: anImage({ digest: 'b', files: { '/etc/default': 'new', '/usr/lib/version': 'new' } }),
};
const NO_TIME = { bootMs: 0, shutDownMs: 0, pullMs: 0, stageMs: 0 };

function machineOn(disk: MemoryDisk, seed: number): SandboxMachine {
  const { clock } = virtualEnv();
  return createSandboxMachine({
    disk,
    clock,
    random: seededRandom(seed),
    pullImage: pullFrom(IMAGES),
    durations: NO_TIME,
  });
}

/** More calls than any of these journeys makes. */
const MAX_CALLS = 5_000;

/** Whether the power went; anything else that goes wrong is not meant. */
async function isCut(act: () => Promise<unknown>): Promise<boolean> {
  try {
    await act();
    return false;
  } catch (error) {
    if (error instanceof Failure && error.reason === 'PowerIsOff') return true;
    throw error;
  }
}

async function sight(machine: SandboxMachine): Promise<string> {
  const { files, os } = machine.host;
  const text = async (path: string) => new TextDecoder().decode(await files.read(path));
  const booted = (await os.deployments()).find(({ isBooted }) => isBooted);
  const name = booted?.image.split(':')[1];
  const parts = [name, await text('/usr/lib/version'), await text('/etc/default'), await text('/etc/mine')];
  const argument = (await text('/proc/cmdline')).includes('nosmt') ? 'nosmt' : '-';
  return [...parts, argument, (await machine.services()).length].join(' ');
}

/** Stages, shuts down and boots; the power goes at the given call, and again at each later one of the recovery. */
async function journey(call: number, remains: Remains): Promise<{ sight: string; cuts: number }> {
  const disk = createMemoryDisk();
  const machine = machineOn(disk, call);
  await machine.provision({ image: OLD, kernelArguments: ['rw'] });
  await machine.boot();
  await machine.host.files.write('/etc/mine', { bytes: new TextEncoder().encode('mine'), mode: 0o600 });
  disk.planCut({ call, when: call % 2 === 0 ? 'before' : 'within', remains });
  let cuts = 0;
  const update = async () => {
    await machine.host.os.rebase(NEW);
    await machine.host.os.changeKernelArguments({ remove: [], append: ['nosmt'] });
    await machine.shutDown();
    await machine.boot();
  };
  if (await isCut(update)) {
    cuts += 1;
    machine.cutPower();
    // Once more while it comes up again.
    disk.restorePower();
    disk.planCut({ call: (call % 13) + 1, when: 'within', remains });
    if (await isCut(() => machine.boot())) {
      cuts += 1;
      machine.cutPower();
      await machine.boot();
    }
  }
  return { sight: await sight(machine), cuts };
}

it('a machine whose power goes during an update has the old OS or the new one, whole, and its own files', async () => {
  const seen = new Set<string>();
  let cuts = 0;
  for (let call = 1; call < MAX_CALLS; call += 1) {
    const outcome = await journey(call, call % 3 === 0 ? 'nothing' : seededRandom(call));
    expect(['old old old mine - 1', 'new new new mine nosmt 1']).toContain(outcome.sight);
    seen.add(outcome.sight);
    cuts += outcome.cuts;
    if (outcome.cuts === 0) break;
  }
  expect(seen.size).toBe(2);
  expect(cuts).toBeGreaterThan(100);
});

it('a machine whose power goes while it is installed is installed again', async () => {
  for (let call = 1; call < MAX_CALLS; call += 5) {
    const disk = createMemoryDisk();
    const machine = machineOn(disk, call);
    disk.planCut({ call, when: 'within', remains: seededRandom(call) });
    const wasCut = await isCut(() => machine.provision({ image: OLD }));
    disk.planCut(undefined);
    disk.restorePower();
    await machine.provision({ image: OLD });
    await machine.resume();
    expect((await sight(machine)).startsWith('old old old')).toBe(true);
    if (!wasCut) break;
  }
});

it('a machine continues after a restart of its process', async () => {
  const disk = createMemoryDisk();
  const first = machineOn(disk, 1);
  await first.provision({ image: OLD });
  await first.boot();
  const bootId = await first.host.bootId();
  await first.host.os.rebase(NEW);
  const second = machineOn(disk, 2);
  await second.resume();
  expect(await second.host.bootId()).toBe(bootId);
  expect((await second.host.os.deployments()).map(({ isStaged }) => isStaged)).toEqual([true, false]);
  await second.shutDown();
  const third = machineOn(disk, 3);
  await third.resume();
  expect(await third.host.bootId()).not.toBe(bootId);
  expect((await third.host.os.deployments())[0]).toMatchObject({ image: NEW, isBooted: true });
});

it('a failed finalization is reported once after the boot', async () => {
  const machine = machineOn(createMemoryDisk(), 1);
  await machine.provision({ image: OLD });
  await machine.boot();
  await machine.host.os.rebase(NEW);
  machine.faults.finalizeProblem = 'error: opendir(ostree/deploy): No space left on device';
  await machine.shutDown();
  await machine.boot();
  expect(await machine.host.os.finalizeFailure()).toBe(
    'error: opendir(ostree/deploy): No space left on device',
  );
  expect((await machine.host.os.deployments()).map(({ image }) => image)).toEqual([OLD]);
  await machine.shutDown();
  await machine.boot();
  expect(await machine.host.os.finalizeFailure()).toBeUndefined();
});
