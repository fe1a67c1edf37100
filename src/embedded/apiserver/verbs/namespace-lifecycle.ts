/**
 * Admission plug-in NamespaceLifecycle: no new objects in missing or terminating namespaces, and system namespaces
 * cannot be deleted.
 */
import { isObject, own } from '../../../base/json.ts';
import { forbidden, notFound, StatusError } from '../../status/index.ts';
import type { AdmissionAttributes } from '../admission.ts';
import type { Catalog } from '../catalog.ts';
import { readObject } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { metadataOf } from '../store/stored-object.ts';

/** Namespaces that cannot be deleted. */
const IMMORTAL: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public']);

export function checkLifecycle(
  { operation, resource, namespace, name }: AdmissionAttributes,
  store: Store,
  catalog: Catalog,
): void {
  const isNamespace = resource.group === '' && resource.plural === 'namespaces';
  if (isNamespace) {
    if (operation === 'DELETE' && IMMORTAL.has(name)) {
      throw forbidden(resource, name, 'this namespace may not be deleted');
    }
    return;
  }
  if (operation !== 'CREATE' || resource.scope !== 'Namespaced') return;
  const namespaces = catalog.find('', 'v1', 'namespaces');
  if (namespaces === undefined) return;
  const live = readObject(store, namespaces, '', namespace);
  if (live === undefined) throw notFound(namespaces, namespace);
  const status = own(live.object, 'status');
  const isTerminating =
    metadataOf(live.object).deletionTimestamp !== undefined ||
    (isObject(status) && own(status, 'phase') === 'Terminating');
  if (!isTerminating) return;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const denied = forbidden(resource, name, why).status;
  const causes = [
    {
      reason: 'NamespaceTerminating',
      message: `namespace ${namespace} is being terminated`,
      field: 'metadata.namespace',
    },
  ];
  throw new StatusError({ ...denied, details: { ...denied.details, causes } });
}
