/**
 * Fetches MachineConfigs from the cluster, by the names in the annotations of the Node.
 */
import { machineConfig as machineConfigKind } from '../../api/index.ts';
import { Failure } from '../../base/errors.ts';
import { quoted } from '../../base/text/index.ts';
import { preparePackedContents } from '../../config/content/index.ts';
import { containerRuntimeOf } from '../../config/registries/index.ts';
import type { Node } from '../../kubernetes/types/index.ts';
import {
  type ConfigName,
  type NodeConfig,
  readNodeConfig,
  unreadableError,
  withRuntimeFiles,
} from '../plan/index.ts';
import type { DaemonContext } from './context.ts';

/** The reason of a failure that is not the node's: the API server cannot be reached. */
export const CLUSTER_UNREACHABLE = 'ClusterUnreachable';

type FetchedConfig =
  | { readonly kind: 'config'; readonly config: NodeConfig }
  /** No node can apply it. `error` is the whole text. */
  | { readonly kind: 'unreadable'; readonly error: string };

/** `node`: its container runtime may need files of its own. */
export async function fetchConfig(
  { kube, env }: Pick<DaemonContext, 'kube' | 'env'>,
  { config: name, image }: ConfigName,
  from: string,
  node: Node | undefined,
): Promise<FetchedConfig> {
  const value = await reachable(() => kube.get(machineConfigKind, { name }));
  if (value === undefined) {
    const message = `machineconfig.machineconfiguration.openshift.io ${quoted(name)} not found`;
    throw new Failure('stalled', 'ConfigMissing', message);
  }
  const config = readNodeConfig(value, image);
  if (config.kind === 'ok') {
    await preparePackedContents(config.value.ignition, () => env.clock.pause());
    return { kind: 'config', config: withRuntimeFiles(config.value, containerRuntimeOf(node)) };
  }
  const { problems } = config;
  return { kind: 'unreadable', error: unreadableError({ from, to: name, value, problems }) };
}

async function reachable<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'transient') throw error;
    throw new Failure('transient', CLUSTER_UNREACHABLE, error.message, error);
  }
}
