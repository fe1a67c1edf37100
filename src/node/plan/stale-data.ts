/**
 * What the old config put on the disk and the new one does not: it goes, and what the OS had there comes back.
 *
 * What the new config puts at the same path by other means stays: a file may become a unit or a drop-in, and the reverse.
 */
import { compareBytes } from '../../base/json.ts';
import { quoted } from '../../base/text/index.ts';
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
  /** Links that old versions left behind; they go wherever they are. */
  readonly leakedLinks: readonly string[];
  /** What stays although it looks stale, in the daemon's words. */
  readonly log: readonly string[];
};

type StaleUnit = {
  readonly name: string;
  readonly path: string;
  /** The new config does not know it at all: its enablement goes back to the preset. */
  readonly isGone: boolean;
  /** The old config put something at the path. Otherwise what is there belongs to somebody else. */
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

/** Trust that pods and the kubelet rely on is not taken away by a config that says nothing of it. */
function isKept(path: string): boolean {
  return [USER_CA, KUBELET_CA, CLOUD_CA].includes(path) || path.startsWith(`${REGISTRY_CERTIFICATES}/`);
}

const LEAKED_LINKS = [
  '/etc/systemd/system/network-online.target.requires/node-valid-hostname.service',
  '/etc/systemd/system/network-online.target.wants/ovs-configuration.service',
];

/** Also those without contents: an older config may have put something there. */
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

/** Those that are gone, and those that lost their contents, so that the OS' own come back. */
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
