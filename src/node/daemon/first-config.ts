/**
 * A machine that is installed with a config, as Ignition leaves it: files, units and keys are there, and the first words of
 * its Node are laid down. The daemon of its first boot only looks whether all is right.
 */
import { annotations } from '../../api/index.ts';
import type { Host } from '../host/index.ts';
import { emptyNodeConfig, type NodeConfig } from '../plan/index.ts';
import { createDaemonLog } from './daemon-log.ts';
import { FIRST_ANNOTATIONS } from './state-paths.ts';
import { writeFiles } from './step-files.ts';
import { writeSshKeys } from './step-passwd.ts';

type FirstWords = { readonly [annotation: string]: string };

/** What a node says first that is installed with the config of its pool. */
export function firstWords({ name }: Pick<NodeConfig, 'name'>): FirstWords {
  return {
    [annotations.currentConfig]: name,
    [annotations.desiredConfig]: name,
    [annotations.firstPivotConfig]: name,
    [annotations.state]: 'Done',
  };
}

/** Can be repeated: the words come last. OS image and kernel arguments are the installer's. */
export async function layDownFirstConfig(host: Host, config: NodeConfig, words: FirstWords): Promise<void> {
  const log = createDaemonLog(
    () => undefined,
    async () => undefined,
  );
  const empty = emptyNodeConfig({ osImage: '', kernelArguments: [], isFips: false });
  const units = (config.ignition.systemd?.units ?? []).map(({ name }) => name);
  await writeFiles({ host, log }, { from: empty, to: config, units });
  await writeSshKeys({ host, log }, config);
  const bytes = new TextEncoder().encode(JSON.stringify(words));
  await host.files.write(FIRST_ANNOTATIONS, { bytes, mode: 0o644, owner: { uid: 0, gid: 0 } });
}
