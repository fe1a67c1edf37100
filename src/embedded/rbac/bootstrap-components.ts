/** Bootstrap roles of components that are not controllers: kubelet, scheduler, proxy and so on. */
import type { ClusterRole } from '../../kubernetes/types/index.ts';
import { CORE, clusterRole, READ, rule, WRITE, writesEvents } from './policy-builders.ts';

export const componentRoles: readonly ClusterRole[] = [
  clusterRole('system:heapster', [
    rule(READ, CORE, 'events namespaces nodes pods'),
    rule(READ, 'extensions', 'deployments'),
  ]),
  clusterRole('system:kube-aggregator', [rule(READ, CORE, 'endpoints services')]),
  clusterRole('system:kube-controller-manager', [
    writesEvents,
    rule('create', 'coordination.k8s.io', 'leases'),
    rule('get update', 'coordination.k8s.io', 'leases', 'kube-controller-manager'),
    rule('create', CORE, 'secrets serviceaccounts'),
    rule('delete', CORE, 'secrets'),
    rule('get', CORE, 'configmaps namespaces secrets serviceaccounts'),
    rule('update', CORE, 'secrets serviceaccounts'),
    rule('create', 'authentication.k8s.io', 'tokenreviews'),
    rule('create', 'authorization.k8s.io', 'subjectaccessreviews'),
    rule('list watch', '*', '*'),
    rule('create', CORE, 'serviceaccounts/token'),
  ]),
  clusterRole('system:kube-dns', [rule('list watch', CORE, 'endpoints services')]),
  clusterRole('system:kube-scheduler', [
    writesEvents,
    rule('create', 'coordination.k8s.io', 'leases'),
    rule('get list update watch', 'coordination.k8s.io', 'leases', 'kube-scheduler'),
    rule(`${READ} ${WRITE}`, 'coordination.k8s.io', 'leasecandidates'),
    rule(READ, CORE, 'nodes'),
    rule('delete get list watch', CORE, 'pods'),
    rule('create', CORE, 'bindings pods/binding'),
    rule('patch update', CORE, 'pods/status'),
    rule(READ, CORE, 'replicationcontrollers services'),
    rule(READ, 'apps extensions', 'replicasets'),
    rule(READ, 'apps', 'statefulsets'),
    rule(READ, 'policy', 'poddisruptionbudgets'),
    rule(READ, CORE, 'persistentvolumeclaims persistentvolumes'),
    rule('create', 'authentication.k8s.io', 'tokenreviews'),
    rule('create', 'authorization.k8s.io', 'subjectaccessreviews'),
    rule(READ, 'storage.k8s.io', 'csinodes'),
    rule(READ, 'storage.k8s.io', 'volumeattachments'),
    rule(READ, CORE, 'namespaces'),
    rule(READ, 'storage.k8s.io', 'csidrivers'),
    rule(READ, 'storage.k8s.io', 'csistoragecapacities'),
  ]),
  clusterRole('system:kubelet-api-admin', [
    rule(READ, CORE, 'nodes'),
    rule('proxy', CORE, 'nodes'),
    rule('*', CORE, 'nodes/log nodes/metrics nodes/proxy nodes/stats'),
    rule('*', CORE, 'nodes/configz nodes/healthz nodes/pods'),
  ]),
  clusterRole('system:node', [
    rule('create', 'authentication.k8s.io', 'tokenreviews'),
    rule('create', 'authorization.k8s.io', 'localsubjectaccessreviews subjectaccessreviews'),
    rule(READ, CORE, 'services'),
    rule('create get list watch', CORE, 'nodes'),
    rule('patch update', CORE, 'nodes/status'),
    rule('patch update', CORE, 'nodes'),
    rule('create patch update', CORE, 'events'),
    rule(READ, CORE, 'pods'),
    rule('create delete', CORE, 'pods'),
    rule('patch update', CORE, 'pods/status'),
    rule('create', CORE, 'pods/eviction'),
    rule(READ, CORE, 'configmaps secrets'),
    rule('get', CORE, 'persistentvolumeclaims persistentvolumes'),
    rule('get', CORE, 'endpoints'),
    rule('create get list watch', 'certificates.k8s.io', 'certificatesigningrequests'),
    rule('create delete get patch update', 'coordination.k8s.io', 'leases'),
    rule('get', 'storage.k8s.io', 'volumeattachments'),
    rule('create', CORE, 'serviceaccounts/token'),
    rule('get patch update', CORE, 'persistentvolumeclaims/status'),
    rule(READ, 'storage.k8s.io', 'csidrivers'),
    rule('create delete get patch update', 'storage.k8s.io', 'csinodes'),
    rule(READ, 'node.k8s.io', 'runtimeclasses'),
  ]),
  clusterRole('system:node-bootstrapper', [
    rule('create get list watch', 'certificates.k8s.io', 'certificatesigningrequests'),
  ]),
  clusterRole('system:node-problem-detector', [
    rule('get', CORE, 'nodes'),
    rule('patch', CORE, 'nodes/status'),
    writesEvents,
  ]),
  clusterRole('system:node-proxier', [
    rule('list watch', CORE, 'endpoints services'),
    rule(READ, CORE, 'nodes'),
    writesEvents,
    rule('list watch', 'networking.k8s.io', 'servicecidrs'),
    rule('list watch', 'discovery.k8s.io', 'endpointslices'),
  ]),
  clusterRole('system:persistent-volume-provisioner', [
    rule('create delete get list watch', CORE, 'persistentvolumes'),
    rule('get list update watch', CORE, 'persistentvolumeclaims'),
    rule(READ, 'storage.k8s.io', 'storageclasses'),
    rule('watch', CORE, 'events'),
    writesEvents,
  ]),
  clusterRole('system:volume-scheduler', [
    rule('get list patch update watch', CORE, 'persistentvolumes'),
    rule(READ, 'storage.k8s.io', 'storageclasses'),
    rule('get list patch update watch', CORE, 'persistentvolumeclaims'),
  ]),
];

const CERTIFICATES = 'certificates.k8s.io';

/** Roles for requesting and approving certificates. */
export const certificateRoles: readonly ClusterRole[] = [
  clusterRole('system:certificates.k8s.io:certificatesigningrequests:nodeclient', [
    rule('create', CERTIFICATES, 'certificatesigningrequests/nodeclient'),
  ]),
  clusterRole('system:certificates.k8s.io:certificatesigningrequests:selfnodeclient', [
    rule('create', CERTIFICATES, 'certificatesigningrequests/selfnodeclient'),
  ]),
  approver('kube-apiserver-client-approver', 'kubernetes.io/kube-apiserver-client'),
  approver('kube-apiserver-client-kubelet-approver', 'kubernetes.io/kube-apiserver-client-kubelet'),
  approver('kubelet-serving-approver', 'kubernetes.io/kubelet-serving'),
  approver('legacy-unknown-approver', 'kubernetes.io/legacy-unknown'),
];

function approver(name: string, signer: string): ClusterRole {
  return clusterRole(`system:${CERTIFICATES}:${name}`, [rule('approve', CERTIFICATES, 'signers', signer)]);
}
