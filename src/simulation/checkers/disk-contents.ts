/**
 * What is on the disk of a machine, compared with what it should hold.
 */
import { sameBytes } from '../../base/bytes.ts';
import { fileContents } from '../../config/ignition/index.ts';
import { readNodeConfig } from '../../node/plan/index.ts';
import type { SimulatedMachine } from '../cluster/machine.ts';
import { at, type Json } from './observed-state.ts';

/**
 * What is not as the config says; read from the disk at once, so that nothing can change meanwhile. `image`: the built one that it should have
 * booted; empty for that of the config.
 */
export async function differenceOnDisk(
  { disk, sandbox }: SimulatedMachine,
  object: Json,
  image: string,
): Promise<string | undefined> {
  // A rendered config that the server has stored.
  const outcome = readNodeConfig(object as unknown as Parameters<typeof readNodeConfig>[0]);
  if (outcome.kind !== 'ok') return `it cannot be read: ${outcome.problems[0]?.message}`;
  const { ignition, osImage, kernelArguments } = outcome.value;
  for (const { path, contents } of ignition.storage?.files ?? []) {
    const wanted = fileContents(contents);
    if (wanted.kind !== 'ok') return `${path} cannot be read`;
    const found = await disk.read(`/rootfs${path}`, MAX_BYTES).catch(() => undefined);
    if (found === undefined) return `${path} is missing on its disk`;
    if (!sameBytes(found, wanted.value)) return `${path} has another content on its disk`;
  }
  for (const { name, contents } of ignition.systemd?.units ?? []) {
    if (contents === undefined) continue;
    const found = await disk.read(`/rootfs/etc/systemd/system/${name}`, MAX_BYTES).catch(() => undefined);
    if (found === undefined || new TextDecoder().decode(found) !== contents)
      return `the unit ${name} differs`;
  }
  const state = await bootedState(disk);
  const os = image === '' ? osImage : image;
  if (os !== '' && state.image !== os) return `its OS is ${state.image}, not ${os}`;
  const missing = kernelArguments.filter((argument) => !state.kernelArguments.includes(argument));
  return missing.length === 0 || !sandbox.isUp ? undefined : `it runs without ${missing.join(' ')}`;
}

const MAX_BYTES = 1024 ** 2;

type BootedState = { readonly image: string; readonly kernelArguments: readonly string[] };

/** The deployment that the machine has booted, as the sandbox keeps it. */
export async function bootedState(disk: SimulatedMachine['disk']): Promise<BootedState> {
  const text = new TextDecoder().decode(await disk.read('/machine/state.json', MAX_BYTES));
  const booted = at(JSON.parse(text), 'booted');
  const kernelArguments = at(booted, 'kernelArguments');
  return {
    image: String(at(booted, 'image')),
    kernelArguments: Array.isArray(kernelArguments) ? kernelArguments.map(String) : [],
  };
}
