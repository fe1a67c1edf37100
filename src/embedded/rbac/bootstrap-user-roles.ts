/** The user-facing bootstrap roles, and what every user may request. */
import type { ClusterRole } from '../../kubernetes/types/index.ts';
import {
  aggregatedRole,
  aggregatesTo,
  CORE,
  clusterRole,
  READ,
  rule,
  urls,
  WRITE,
} from './policy-builders.ts';

/** `admin` aggregates `edit`, which aggregates `view`; each has further rules of its own. */
export const userFacingRoles: readonly ClusterRole[] = [
  clusterRole('cluster-admin', [rule('*', '*', '*'), urls('*', '*')]),
  aggregatedRole('admin'),
  aggregatedRole('edit', aggregatesTo('admin')),
  aggregatedRole('view', aggregatesTo('edit')),
  clusterRole(
    'system:aggregate-to-admin',
    [
      rule('create', 'authorization.k8s.io', 'localsubjectaccessreviews'),
      rule(`${READ} ${WRITE}`, 'rbac.authorization.k8s.io', 'rolebindings roles'),
    ],
    aggregatesTo('admin'),
  ),
  clusterRole(
    'system:aggregate-to-edit',
    [
      rule(READ, CORE, 'pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy'),
      rule('impersonate', CORE, 'serviceaccounts'),
      rule(WRITE, CORE, 'pods pods/attach pods/exec pods/portforward pods/proxy'),
      rule('create', CORE, 'pods/eviction'),
      rule(
        WRITE,
        CORE,
        'configmaps events persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy',
      ),
      rule('create', CORE, 'serviceaccounts/token'),
      rule(
        WRITE,
        'apps',
        'daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale',
      ),
      rule(WRITE, 'autoscaling', 'horizontalpodautoscalers'),
      rule(WRITE, 'batch', 'cronjobs jobs'),
      rule(
        WRITE,
        'extensions',
        'daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale',
      ),
      rule(WRITE, 'policy', 'poddisruptionbudgets'),
      rule(WRITE, 'networking.k8s.io', 'ingresses networkpolicies'),
      rule(`${READ} ${WRITE}`, 'coordination.k8s.io', 'leases'),
    ],
    aggregatesTo('edit'),
  ),
  clusterRole(
    'system:aggregate-to-view',
    [
      rule(
        READ,
        CORE,
        'configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status',
      ),
      rule(
        READ,
        CORE,
        'bindings events limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status',
      ),
      rule(READ, CORE, 'namespaces'),
      rule(READ, 'discovery.k8s.io', 'endpointslices'),
      rule(
        READ,
        'apps',
        'controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status',
      ),
      rule(READ, 'autoscaling', 'horizontalpodautoscalers horizontalpodautoscalers/status'),
      rule(READ, 'batch', 'cronjobs cronjobs/status jobs jobs/status'),
      rule(
        READ,
        'extensions',
        'daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale',
      ),
      rule(READ, 'policy', 'poddisruptionbudgets poddisruptionbudgets/status'),
      rule(READ, 'networking.k8s.io', 'ingresses ingresses/status networkpolicies'),
    ],
    aggregatesTo('view'),
  ),
];

/** Discovery and self reviews. */
export const basicRoles: readonly ClusterRole[] = [
  clusterRole('system:basic-user', [
    rule('create', 'authorization.k8s.io', 'selfsubjectaccessreviews selfsubjectrulesreviews'),
    rule('create', 'authentication.k8s.io', 'selfsubjectreviews'),
  ]),
  clusterRole('system:discovery', [
    urls('get', '/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/'),
  ]),
  clusterRole('system:public-info-viewer', [urls('get', '/healthz /livez /readyz /version /version/')]),
  clusterRole('system:service-account-issuer-discovery', [
    urls(
      'get',
      '/.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/',
    ),
  ]),
  clusterRole('system:monitoring', [
    urls('get', '/healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/*'),
  ]),
  clusterRole('system:auth-delegator', [
    rule('create', 'authentication.k8s.io', 'tokenreviews'),
    rule('create', 'authorization.k8s.io', 'subjectaccessreviews'),
  ]),
];
