/**
 * Prepares a machine as Ignition does when it installs it with a config: files, units, keys, and the initial annotations of
 * its Node. The daemon of its first boot only validates.
 */
import { annotations } from '../../api/index.ts';
import { Failure, formatProblem } from '../../base/errors.ts';
import { isDaemonState } from '../../config/content/index.ts';
import { fileContents } from '../../config/ignition/index.ts';
import { emptyNodeConfig, type NodeConfig } from '../plan/index.ts';
import type { PausingContext } from './context.ts';
import { createDaemonLog } from './context.ts';
import { INITIAL_ANNOTATIONS } from './state-paths.ts';
import { writeFiles } from './step-files.ts';
import { writeSshKeys } from './step-passwd.ts';

type InitialAnnotations = { readonly [annotation: string]: string };

/** The initial annotations of a node that is installed with the config of its pool. */
export function initialAnnotations({ name }: Pick<NodeConfig, 'name'>): InitialAnnotations {
  return {
    [annotations.currentConfig]: name,
    [annotations.desiredConfig]: name,
    [annotations.firstPivotConfig]: name,
    [annotations.state]: 'Done',
  };
}

/** Can be repeated: the annotations are written last. OS image and kernel arguments are up to the installer. */
export async function writeInitialConfig(
  context: PausingContext,
  config: NodeConfig,
  initial: InitialAnnotations,
): Promise<void> {
  await writeAsIgnition(context, config);
  const bytes = new TextEncoder().encode(JSON.stringify(initial));
  await context.host.files.write(INITIAL_ANNOTATIONS, { bytes, mode: 0o644, owner: ROOT });
}

/** Files, units and keys; also first files of the daemon's state, which no MachineConfig may have. Those come last. */
export async function writeAsIgnition({ host, env }: PausingContext, config: NodeConfig): Promise<void> {
  const log = createDaemonLog(
    () => undefined,
    async () => undefined,
  );
  const empty = emptyNodeConfig({ osImage: '', kernelArguments: [], isFips: false });
  const units = (config.ignition.systemd?.units ?? []).map(({ name }) => name);
  await writeFiles({ host, log, env }, { from: empty, to: config, units });
  await writeSshKeys({ host, log }, config);
  for (const { path, contents, mode = 0o644 } of config.ignition.storage?.files ?? []) {
    if (!isDaemonState(path)) continue;
    const read = fileContents(contents);
    if (read.kind === 'invalid') {
      throw new Failure('stalled', 'FileUnusable', `${path}: ${read.problems.map(formatProblem).join('; ')}`);
    }
    await host.files.write(path, { bytes: read.value, mode, owner: ROOT });
  }
}

const ROOT = { uid: 0, gid: 0 };
