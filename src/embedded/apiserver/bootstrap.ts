/**
 * What a new server creates: the system namespaces, the bootstrap RBAC policy and the `kubernetes` Service. Existing
 * objects stay unchanged, except for the port of the Service.
 */

import { assert } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { bootstrapPolicy } from '../rbac/index.ts';
import type { Resource } from '../resources/index.ts';
import type { ServerContext } from './server-context.ts';
import { readObject } from './store/records.ts';
import { metadataOf } from './store/stored-object.ts';
import { createObject } from './verbs/create.ts';
import { guaranteedUpdate } from './verbs/guaranteed-update.ts';

const NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

const SERVER = { name: 'system:apiserver', groups: ['system:masters', 'system:authenticated'] };

/** `port`: where the server listens. */
export async function bootstrap(server: ServerContext, port: number): Promise<void> {
  for (const name of NAMESPACES) await ensure(server, '', 'namespaces', { metadata: { name } });
  await ensureService(server, port);
  const { clusterRoles, clusterRoleBindings, roles, roleBindings } = bootstrapPolicy;
  const group = 'rbac.authorization.k8s.io';
  const lists = {
    clusterroles: clusterRoles,
    clusterrolebindings: clusterRoleBindings,
    roles,
    rolebindings: roleBindings,
  };
  for (const [plural, objects] of Object.entries(lists)) {
    // They are constants, so they are JSON.
    for (const object of objects) await ensure(server, group, plural, object as unknown as JsonObject);
  }
}

/** The first address of the service CIDR, as with kubeadm. */
const SERVICE_ADDRESS = '10.96.0.1';

/** Programs in the cluster find the server by it. */
async function ensureService(server: ServerContext, port: number): Promise<void> {
  const ports = [{ name: 'https', protocol: 'TCP', port: 443, targetPort: port }];
  const metadata = {
    name: 'kubernetes',
    namespace: 'default',
    labels: { component: 'apiserver', provider: 'kubernetes' },
  };
  const spec = {
    clusterIP: SERVICE_ADDRESS,
    ipFamilyPolicy: 'SingleStack',
    sessionAffinity: 'None',
    type: 'ClusterIP',
    ports,
  };
  await ensure(server, '', 'services', { metadata, spec });
  const resource = served(server, '', 'services');
  await guaranteedUpdate(server, {
    resource,
    user: SERVER,
    namespace: metadata.namespace,
    name: metadata.name,
    subresource: '',
    manager: MANAGER,
    sentBytes: 0,
    mayCreate: false,
    isDryRun: false,
    warnings: [],
    updatedObject: (live = {}) => {
      const { spec: before } = live;
      const after = { ...(before as JsonObject), ports };
      return { object: resource.strategy.setDefaults({ ...live, spec: after }), hasManagedFields: false };
    },
  });
}

function served({ catalog }: ServerContext, group: string, plural: string): Resource {
  const resource = catalog.find(group, 'v1', plural);
  assert(resource !== undefined, `${plural} are served`);
  return resource;
}

const MANAGER = 'kube-apiserver';

async function ensure(server: ServerContext, group: string, plural: string, sent: JsonObject): Promise<void> {
  const resource = served(server, group, plural);
  const { name, namespace = '' } = metadataOf(sent);
  if (readObject(server.store, resource, namespace, name) !== undefined) return;
  const object = resource.strategy.setDefaults(sent);
  await createObject(server, {
    resource,
    user: SERVER,
    namespace,
    object,
    manager: MANAGER,
    isDryRun: false,
    warnings: [],
  });
}
