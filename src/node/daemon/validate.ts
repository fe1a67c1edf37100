/**
 * Compares the machine with its config: reads everything that the config determines; `diskProblem` of `node/plan` compares.
 */
import { Failure } from '../../base/errors.ts';
import { digestWithPauses } from '../../config/ignition/index.ts';
import type { Host } from '../host/index.ts';
import {
  type DiskProblem,
  diskProblem,
  type ExpectedDisk,
  expectedDisk,
  type NodeConfig,
  type ObservedDisk,
  type ObservedPath,
  whatToObserve,
} from '../plan/index.ts';
import type { PausingContext } from './context.ts';

type Validation = {
  readonly expected: ExpectedDisk;
  /** Absent where the machine matches. */
  readonly problem?: DiskProblem;
};

/** `files`: files and units alone, as the OS does not change while it runs. */
export async function validate(
  { host, env }: PausingContext,
  config: NodeConfig,
  scope: 'all' | 'files' | 'os',
): Promise<Validation> {
  const all = expectedDisk(config);
  const expected = scope === 'os' ? { ...all, items: [] } : all;
  const os = scope === 'files' ? {} : await observeOs(host);
  const observed: ObservedDisk = { ...os, ...(await observeItems({ host, env }, expected)) };
  const problem = diskProblem(expected, observed);
  return problem === undefined ? { expected } : { expected, problem };
}

export async function bootedImage({ os }: Host): Promise<string> {
  return (await os.deployments()).find(({ isBooted }) => isBooted)?.image ?? '';
}

async function observeOs(host: Host): Promise<Pick<ObservedDisk, 'osImage' | 'kernelArguments'>> {
  const kernelArguments = await host.os.kernelArguments();
  if (!(await host.os.release()).isImageBased) return { kernelArguments };
  return { osImage: await bootedImage(host), kernelArguments };
}

async function observeItems(
  { host, env }: PausingContext,
  expected: ExpectedDisk,
): Promise<Pick<ObservedDisk, 'paths' | 'enablement'>> {
  const desired = whatToObserve(expected);
  const paths = new Map<string, ObservedPath>();
  for (const one of desired.paths) paths.set(one.path, await observePath({ host, env }, one));
  const enablement = new Map<string, string>();
  for (const unit of desired.units) enablement.set(unit, await host.units.isEnabled(unit));
  return { paths, enablement };
}

async function observePath(
  { host: { files }, env }: PausingContext,
  { path, sizeBytes }: { readonly path: string; readonly sizeBytes: number },
): Promise<ObservedPath> {
  try {
    const stat = await files.stat(path);
    if (stat === undefined) return { kind: 'nothing' };
    const { kind, mode, target } = stat;
    const snapshot = { kind, mode, sizeBytes: stat.sizeBytes, ...(target === undefined ? {} : { target }) };
    if (kind !== 'file' || stat.sizeBytes !== sizeBytes) return snapshot;
    const bytes = await files.read(path, sizeBytes);
    if (bytes === undefined) return { kind: 'nothing' };
    return { ...snapshot, digest: await digestWithPauses(bytes, () => env.clock.pause()) };
  } catch (error) {
    if (!(error instanceof Failure) || error.kind === 'cancelled') throw error;
    return { kind: 'unreadable', error: error.message };
  }
}
