/**
 * What a server has before anyone has written anything: the namespaces of the system, and the roles that Kubernetes
 * brings. What is there already stays as it is.
 */
import { bootstrapPolicy } from '../access/index.ts';
import { assert } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { World } from './call.ts';
import { createObject } from './create.ts';
import { readObject } from './records.ts';
import { metadataOf } from './stored-object.ts';

const NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

/** Who writes it: the server itself, which may do anything. */
const SERVER = { name: 'system:apiserver', groups: ['system:masters', 'system:authenticated'] };

export async function bootstrap(world: World): Promise<void> {
  for (const name of NAMESPACES) await ensure(world, '', 'namespaces', { metadata: { name } });
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

async function ensure(world: World, group: string, plural: string, sent: JsonObject): Promise<void> {
  const resource = world.catalog.find(group, 'v1', plural);
  assert(resource !== undefined, `${plural} are served`);
  const { name, namespace = '' } = metadataOf(sent);
  if (readObject(world.store, resource, namespace, name) !== undefined) return;
  const object = resource.rules.defaults(sent);
  const manager = 'kube-apiserver';
  await createObject(world, {
    resource,
    user: SERVER,
    namespace,
    object,
    manager,
    isDryRun: false,
    warnings: [],
  });
}
