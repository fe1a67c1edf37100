/**
 * Where things stand on a node.
 */
import type { Unit } from '../../config/ignition/index.ts';

const UNITS_FOLDER = '/etc/systemd/system';

export function unitPath(unit: string): string {
  return `${UNITS_FOLDER}/${unit}`;
}

export function dropinPath(unit: string, dropin: string): string {
  return `${UNITS_FOLDER}/${unit}.d/${dropin}`;
}

/** What a masked unit is a link to. */
export const MASK_TARGET = '/dev/null';

/** Files and units without a mode of their own have this one. */
export const DEFAULT_MODE = 0o644;

export const KUBELET_CA = '/etc/kubernetes/kubelet-ca.crt';
export const CLOUD_CA = '/etc/kubernetes/static-pod-resources/configmaps/cloud-config/ca-bundle.pem';
export const USER_CA = '/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt';
export const INTERNAL_PULL_SECRET = '/etc/mco/internal-registry-pull-secret.json';
export const REGISTRY_CERTIFICATES = '/etc/docker/certs.d';

/** Whether the config puts something at the path of the unit itself. */
export function writesUnit({ contents, mask }: Unit): boolean {
  return mask === true || Boolean(contents);
}

/** Every path at which the units of a config put something, with what it is. */
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
