/**
 * Prepares a machine as Ignition does when it installs it with a config: files, units, keys, and the initial annotations of
 * its Node. The daemon of its first boot only validates.
 */
import { annotations } from '../../api/index.ts';
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
  { host, env }: PausingContext,
  config: NodeConfig,
  initial: InitialAnnotations,
): Promise<void> {
  const log = createDaemonLog(
    () => undefined,
    async () => undefined,
  );
  const empty = emptyNodeConfig({ osImage: '', kernelArguments: [], isFips: false });
  const units = (config.ignition.systemd?.units ?? []).map(({ name }) => name);
  await writeFiles({ host, log, env }, { from: empty, to: config, units });
  await writeSshKeys({ host, log }, config);
  const bytes = new TextEncoder().encode(JSON.stringify(initial));
  await host.files.write(INITIAL_ANNOTATIONS, { bytes, mode: 0o644, owner: { uid: 0, gid: 0 } });
}
