/**
 * What the old config has on the disk and the new one has not: it is removed, and the OS's own file restored.
 *
 * A path stays that the new config writes in another way: a file may become a unit or a drop-in, and the reverse.
 */
import { compareBytes } from '../../base/json.ts';
import { quoted } from '../../base/text/index.ts';
import { isDaemonState } from '../../config/content/index.ts';
import {
  CLOUD_CA,
  dropinPath,
  KUBELET_CA,
  REGISTRY_CERTIFICATES,
  USER_CA,
  unitPath,
  unitPaths,
  writesUnit,
} from './node-paths.ts';
import type { NodeConfig } from './plan-types.ts';

type StaleData = {
  /** Paths, sorted. */
  readonly files: readonly string[];
  readonly dropins: readonly string[];
  readonly units: readonly StaleUnit[];
  /** Links that old versions left behind. */
  readonly leakedLinks: readonly string[];
  /** Lines for the log: what is kept although it looks stale. */
  readonly log: readonly string[];
};

type StaleUnit = {
  readonly name: string;
  readonly path: string;
  /** It is not in the new config: its enablement is reset to the preset. */
  readonly isGone: boolean;
  /** The old config wrote the path. Otherwise the file there is not the config's. */
  readonly isOurs: boolean;
};

export function staleData(from: NodeConfig, to: NodeConfig): StaleData {
  const files = new Set((to.ignition.storage?.files ?? []).map(({ path }) => path));
  const byUnits = unitPaths(to.ignition.systemd?.units ?? []);
  const log: string[] = [];
  const staleFiles = (from.ignition.storage?.files ?? [])
    .map(({ path }) => path)
    .filter((path) => !files.has(path) && !isKept(path))
    .filter((path) => {
      const kind = byUnits.get(path);
      if (kind !== undefined) log.push(`Not removing file ${quoted(path)}: replaced with systemd ${kind}`);
      return kind === undefined;
    });
  return {
    files: staleFiles.sort(),
    dropins: staleDropins(from, to).filter((path) => !files.has(path)),
    units: staleUnits(from, to),
    leakedLinks: LEAKED_LINKS,
    log,
  };
}

/**
 * CAs that pods and the kubelet rely on are kept where the new config does not have them, and so is the daemon's own state,
 * which a config of an older version may have written.
 */
function isKept(path: string): boolean {
  if (isDaemonState(path)) return true;
  return [USER_CA, KUBELET_CA, CLOUD_CA].includes(path) || path.startsWith(`${REGISTRY_CERTIFICATES}/`);
}

const LEAKED_LINKS = [
  '/etc/systemd/system/network-online.target.requires/node-valid-hostname.service',
  '/etc/systemd/system/network-online.target.wants/ovs-configuration.service',
];

/** Also those without contents: an older config may have written them. */
function staleDropins(from: NodeConfig, to: NodeConfig): readonly string[] {
  const now = new Set(dropins(to));
  return dropins(from)
    .filter((path) => !now.has(path))
    .sort();
}

function dropins({ ignition }: NodeConfig): readonly string[] {
  return (ignition.systemd?.units ?? []).flatMap((unit) =>
    (unit.dropins ?? []).map(({ name }) => dropinPath(unit.name, name)),
  );
}

/** Those that were removed, and those without contents any more, so that the OS's own are restored. */
function staleUnits(from: NodeConfig, to: NodeConfig): readonly StaleUnit[] {
  const now = new Map((to.ignition.systemd?.units ?? []).map((unit) => [unit.name, unit]));
  const files = new Set((to.ignition.storage?.files ?? []).map(({ path }) => path));
  return (from.ignition.systemd?.units ?? [])
    .flatMap((unit): readonly StaleUnit[] => {
      const { name } = unit;
      const path = unitPath(name);
      const after = now.get(name);
      const isOurs = writesUnit(unit) && !files.has(path);
      if (after === undefined) return [{ name, path, isGone: true, isOurs }];
      return isOurs && !writesUnit(after) ? [{ name, path, isGone: false, isOurs }] : [];
    })
    .sort((a, b) => compareBytes(a.name, b.name));
}
