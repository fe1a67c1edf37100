/**
 * Well-known paths on a node.
 */
import type { Unit } from '../../config/ignition/index.ts';
import type { NodeConfig } from './plan-types.ts';

const UNITS_FOLDER = '/etc/systemd/system';

export function unitPath(unit: string): string {
  return `${UNITS_FOLDER}/${unit}`;
}

export function dropinPath(unit: string, dropin: string): string {
  return `${UNITS_FOLDER}/${unit}.d/${dropin}`;
}

/** The target of the link of a masked unit. */
export const MASK_TARGET = '/dev/null';

/** The mode of files and units that have none in the config. */
export const DEFAULT_MODE = 0o644;

export const KUBELET_CA = '/etc/kubernetes/kubelet-ca.crt';
export const CLOUD_CA = '/etc/kubernetes/static-pod-resources/configmaps/cloud-config/ca-bundle.pem';
export const USER_CA = '/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt';
export const INTERNAL_PULL_SECRET = '/etc/mco/internal-registry-pull-secret.json';
export const REGISTRY_CERTIFICATES = '/etc/docker/certs.d';
/** With which the kubelet asks for its first certificate, and the one that it uses from then on. */
export const BOOTSTRAP_KUBECONFIG = '/etc/kubernetes/kubeconfig';
export const KUBELET_KUBECONFIG = '/var/lib/kubelet/kubeconfig';

/** Whether the config writes the path of the unit itself. */
export function writesUnit({ contents, mask }: Unit): boolean {
  return mask === true || Boolean(contents);
}

/** Every path that the units of a config write, with its contents. */
export function unitPaths(units: readonly Unit[]): ReadonlyMap<string, 'unit' | 'dropin'> {
  const paths = new Map<string, 'unit' | 'dropin'>();
  for (const unit of units) {
    if (writesUnit(unit)) paths.set(unitPath(unit.name), 'unit');
    for (const { name, contents } of unit.dropins ?? []) {
      if (contents) paths.set(dropinPath(unit.name, name), 'dropin');
    }
  }
  return paths;
}

/** Every path that the config writes. */
export function pathsOf({ ignition }: NodeConfig): readonly string[] {
  const files = (ignition.storage?.files ?? []).map(({ path }) => path);
  return [...files, ...unitPaths(ignition.systemd?.units ?? []).keys()];
}

/** Paths that only the new config writes. The kubelet's CA is never overwritten. */
export function newPaths({
  from,
  to,
}: {
  readonly from: NodeConfig;
  readonly to: NodeConfig;
}): readonly string[] {
  const before = new Set(pathsOf(from));
  return pathsOf(to).filter((path) => !before.has(path) && path !== KUBELET_CA);
}
