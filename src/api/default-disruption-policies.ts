/**
 * The default disruption policies, in the order of the status.
 */
import type { ClusterDisruptionPolicies, DisruptionAction } from './node-disruption-policy.ts';

const none: DisruptionAction = { type: 'None' };
const daemonReload: DisruptionAction = { type: 'DaemonReload' };
const reloadCrio: DisruptionAction = { type: 'Reload', reload: { serviceName: 'crio.service' } };

/** Reload CRI-O, and drain only if images in use could no longer be pulled. */
const special: DisruptionAction = { type: 'Special' };

export const defaultDisruptionPolicies = {
  files: [
    { path: '/var/lib/kubelet/config.json', actions: [none] },
    { path: '/etc/machine-config-daemon/no-reboot/containers-gpg.pub', actions: [reloadCrio] },
    { path: '/etc/containers/policy.json', actions: [reloadCrio] },
    { path: '/etc/containers/registries.conf', actions: [special] },
    { path: '/etc/containers/registries.d', actions: [reloadCrio] },
    { path: '/etc/crio/policies', actions: [reloadCrio] },
    { path: '/etc/nmstate/openshift', actions: [none] },
    {
      path: '/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt',
      actions: [restart('coreos-update-ca-trust.service'), restart('crio.service')],
    },
    { path: '/etc/kubernetes/credential-providers', actions: [restart('kubelet.service')] },
    {
      path: '/etc/systemd/system/kubelet.service.d/40-kubelet-crio-image-credential-provider.conf',
      actions: [daemonReload, restart('kubelet.service')],
    },
    { path: '/etc/iri-registry', actions: [restart('iri-registry.service')] },
    { path: '/usr/local/bin/load-registry-image.sh', actions: [restart('iri-registry.service')] },
    {
      path: '/etc/pki/ca-trust/source/anchors/iri-root-ca.crt',
      actions: [restart('coreos-update-ca-trust.service')],
    },
  ],
  units: [{ name: 'iri-registry.service', actions: [daemonReload, restart('iri-registry.service')] }],
  sshkey: { actions: [none] },
} as const satisfies ClusterDisruptionPolicies;

function restart(serviceName: string): DisruptionAction {
  return { type: 'Restart', restart: { serviceName } };
}
