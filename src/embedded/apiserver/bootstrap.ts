/**
 * What a server has before anyone has written anything: the namespaces of the system, the roles that Kubernetes brings,
 * and the Service that leads to the server itself. What is there already stays as it is, but for the port.
 */

import { assert } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { bootstrapPolicy } from '../rbac/index.ts';
import type { Resource } from '../resources/index.ts';
import type { World } from './call.ts';
import { readObject } from './store/records.ts';
import { metadataOf } from './store/stored-object.ts';
import { createObject } from './verbs/create.ts';
import { changeObject } from './verbs/guaranteed-update.ts';

const NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

/** Who writes it: the server itself, which may do anything. */
const SERVER = { name: 'system:apiserver', groups: ['system:masters', 'system:authenticated'] };

/** `port`: where the server is reached. */
export async function bootstrap(world: World, port: number): Promise<void> {
  for (const name of NAMESPACES) await ensure(world, '', 'namespaces', { metadata: { name } });
  await ensureService(world, port);
  const { clusterRoles, clusterRoleBindings, roles, roleBindings } = bootstrapPolicy;
  const group = 'rbac.authorization.k8s.io';
  const lists = {
    clusterroles: clusterRoles,
    clusterrolebindings: clusterRoleBindings,
    roles,
    rolebindings: roleBindings,
  };
  for (const [plural, objects] of Object.entries(lists)) {
    // They are written as data, so they are JSON.
    for (const object of objects) await ensure(world, group, plural, object as unknown as JsonObject);
  }
}

/** The first address of the range of services, as kubeadm sets it up. */
const SERVICE_ADDRESS = '10.96.0.1';

/** By this programs in a cluster find the server. */
async function ensureService(world: World, port: number): Promise<void> {
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
  await ensure(world, '', 'services', { metadata, spec });
  const resource = served(world, '', 'services');
  await changeObject(world, {
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
    revise: (live = {}) => {
      const { spec: before } = live;
      const after = { ...(before as JsonObject), ports };
      return { object: resource.strategy.setDefaults({ ...live, spec: after }), hasOwners: false };
    },
  });
}

function served({ catalog }: World, group: string, plural: string): Resource {
  const resource = catalog.find(group, 'v1', plural);
  assert(resource !== undefined, `${plural} are served`);
  return resource;
}

const MANAGER = 'kube-apiserver';

async function ensure(world: World, group: string, plural: string, sent: JsonObject): Promise<void> {
  const resource = served(world, group, plural);
  const { name, namespace = '' } = metadataOf(sent);
  if (readObject(world.store, resource, namespace, name) !== undefined) return;
  const object = resource.strategy.setDefaults(sent);
  await createObject(world, {
    resource,
    user: SERVER,
    namespace,
    object,
    manager: MANAGER,
    isDryRun: false,
    warnings: [],
  });
}
