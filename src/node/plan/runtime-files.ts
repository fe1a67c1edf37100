/**
 * Files for the container runtime of a node that no rendered config has, as a config does not depend on the nodes of its pool:
 * containerd does not read registries.conf, but `hosts.toml` files that say the same.
 *
 * They become part of the node's own copy of the config, on its disk as well. So they are compared, written, checked for drift and
 * rolled back like every other file, also by a daemon of another version that would translate them differently.
 */
import { base64DataUrl, encodeIgnition, type File } from '../../config/ignition/index.ts';
import { CONTAINERD, type HostsFinding, hostsToml } from '../../config/registries/index.ts';
import { DEFAULT_MODE } from './node-paths.ts';
import type { NodeConfig } from './plan-types.ts';
import { readRegistries } from './registries-change.ts';

/** `runtime`: see `containerRuntimeOf`. A file that the config has itself is used as it is. */
export function withRuntimeFiles(config: NodeConfig, runtime: string | undefined): NodeConfig {
  if (runtime !== CONTAINERD) return config;
  const { ignition, machineConfig } = config;
  const files = ignition.storage?.files ?? [];
  const own = new Set(files.map(({ path }) => path));
  const added = translated(config).files.filter(({ path }) => !own.has(path));
  if (added.length === 0) return config;
  const extended = {
    ...ignition,
    storage: { ...ignition.storage, files: [...files, ...added.map(textFile)] },
  };
  return {
    ...config,
    ignition: extended,
    machineConfig: {
      ...machineConfig,
      spec: { ...machineConfig.spec, config: encodeIgnition(extended) },
    },
  };
}

/** What of the config the runtime does not do. */
export function runtimeFindings(config: NodeConfig, runtime: string | undefined): readonly HostsFinding[] {
  return runtime === CONTAINERD ? translated(config).findings : [];
}

function translated(config: NodeConfig): ReturnType<typeof hostsToml> {
  const registries = readRegistries(config);
  return typeof registries === 'string' ? { files: [], findings: [] } : hostsToml(registries);
}

function textFile({ path, text }: { readonly path: string; readonly text: string }): File {
  const source = base64DataUrl('text/plain;charset=utf-8', text);
  return { path, overwrite: true, contents: { source, compression: '' }, mode: DEFAULT_MODE };
}
