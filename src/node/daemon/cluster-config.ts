/**
 * Fetches MachineConfigs from the cluster, by the names in the annotations of the Node. A machine that joins may have been installed
 * with one that was pruned since: it has a copy.
 */
import { machineConfig as machineConfigKind, SERVED_CONFIG } from '../../api/index.ts';
import { Failure } from '../../base/errors.ts';
import { parseJson } from '../../base/json.ts';
import { stringAt } from '../../base/json-fields.ts';
import { quoted } from '../../base/text/index.ts';
import { preparePackedContents } from '../../config/content/index.ts';
import { containerRuntimeOf } from '../../config/registries/index.ts';
import type { Node } from '../../kubernetes/types/index.ts';
import type { Host } from '../host/index.ts';
import {
  type ConfigName,
  type NodeConfig,
  readNodeConfig,
  unreadableError,
  withRuntimeFiles,
} from '../plan/index.ts';
import type { DaemonContext } from './context.ts';

/** Twice what an API server accepts, as it is indented. */
const MAX_CONFIG_BYTES = 8 * 1024 ** 2;

/** The reason of a failure that is not the node's: the API server cannot be reached. */
export const CLUSTER_UNREACHABLE = 'ClusterUnreachable';

type FetchedConfig =
  | { readonly kind: 'config'; readonly config: NodeConfig }
  /** No node can apply it. `error` is the whole text. */
  | { readonly kind: 'unreadable'; readonly error: string };

/** `node`: its container runtime may need files of its own. */
export async function fetchConfig(
  context: Pick<DaemonContext, 'kube' | 'env'>,
  named: ConfigName,
  from: string,
  node: Node | undefined,
): Promise<FetchedConfig> {
  const { config: name } = named;
  const value = await reachable(() => context.kube.get(machineConfigKind, { name }));
  if (value === undefined) throw missing(name);
  return await readConfig(context, value, { named, from, node });
}

/** Of a machine that joins. */
export async function fetchJoiningConfig(
  context: DaemonContext,
  named: ConfigName,
  node: Node | undefined,
): Promise<FetchedConfig> {
  const { kube, host, log } = context;
  const { config: name } = named;
  const found = await reachable(() => kube.get(machineConfigKind, { name }));
  const value = found ?? (await servedConfig(host, name));
  if (value === undefined) throw missing(name);
  if (found === undefined) {
    log.warn(
      `MachineConfig ${name} is gone from the cluster: joining with the copy that this machine was installed with`,
    );
  }
  return await readConfig(context, value, { named, from: name, node });
}

/** Undefined where the disk has none of that name. */
async function servedConfig({ files }: Host, name: string): Promise<unknown> {
  if ((await files.stat(SERVED_CONFIG))?.kind !== 'file') return undefined;
  const bytes = await files.read(SERVED_CONFIG, MAX_CONFIG_BYTES);
  const value = parseJson(new TextDecoder().decode(bytes));
  return stringAt(value, 'metadata', 'name') === name ? value : undefined;
}

type ConfigUse = {
  readonly named: ConfigName;
  readonly from: string;
  readonly node: Node | undefined;
};

async function readConfig(
  { env }: Pick<DaemonContext, 'env'>,
  value: unknown,
  { named, from, node }: ConfigUse,
): Promise<FetchedConfig> {
  const config = readNodeConfig(value, named.image);
  if (config.kind === 'ok') {
    await preparePackedContents(config.value.ignition, () => env.clock.pause());
    return { kind: 'config', config: withRuntimeFiles(config.value, containerRuntimeOf(node)) };
  }
  const { problems } = config;
  return { kind: 'unreadable', error: unreadableError({ from, to: named.config, value, problems }) };
}

function missing(name: string): Failure {
  const message = `machineconfig.machineconfiguration.openshift.io ${quoted(name)} not found`;
  return new Failure('stalled', 'ConfigMissing', message);
}

async function reachable<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'transient') throw error;
    throw new Failure('transient', CLUSTER_UNREACHABLE, error.message, error);
  }
}
