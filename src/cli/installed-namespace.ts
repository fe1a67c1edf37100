/** Finds the namespace in which Millwright is installed: by the label that its manifest has. */
import { labels, NAMESPACE } from '../api/index.ts';
import { Failure } from '../base/errors.ts';
import type { ClusterSnapshot } from '../insight/index.ts';
import { type Kube, KubeError } from '../kubernetes/client/index.ts';
import { labelOf, nameOf } from '../kubernetes/meta/index.ts';
import { namespace as namespaceKind } from '../kubernetes/types/index.ts';
import type { NamespaceOptions } from './namespace-option.ts';
import type { Listing } from './snapshot/cluster-reader.ts';

const SELECTOR = `${labels.partOf}=millwright`;
const FORBIDDEN = 403;

/** What `snapshotNamespace` looks at. */
export const INSTALLED_NAMESPACES: Listing = { kind: namespaceKind, labelSelector: SELECTOR };

/**
 * A wrong flag is refused: half of an installation would be removed. The usual one where none has the label, or where the user may not list
 * namespaces.
 */
export async function installedNamespace({ namespace }: NamespaceOptions, kube: Kube): Promise<string> {
  const names = (await labelledNamespaces(kube)) ?? [];
  if (namespace !== undefined) {
    if (names.length === 0 || names.includes(namespace)) return namespace;
    const message = `--namespace: Millwright is installed in ${names.join(', ')}, not in ${namespace}`;
    throw new Failure('usage', 'WrongNamespace', message);
  }
  if (names.length > 1) {
    const message = `several namespaces have the label ${SELECTOR}: ${names.join(', ')}: choose one with --namespace`;
    throw new Failure('usage', 'SeveralNamespaces', message);
  }
  return names[0] ?? NAMESPACE;
}

/** As above, for what is only read: undefined where it is not certain. */
export async function certainNamespace(kube: Kube): Promise<string | undefined> {
  const names = await labelledNamespaces(kube);
  return names === undefined || names.length > 1 ? undefined : (names[0] ?? NAMESPACE);
}

/** Of a snapshot, which may be a dump: as above, and the usual one where it is not certain. */
export function snapshotNamespace({ namespace }: NamespaceOptions, snapshot: ClusterSnapshot): string {
  const labelled = snapshot.all(namespaceKind).filter((one) => labelOf(one, labels.partOf) === 'millwright');
  return namespace ?? (labelled.length === 1 ? nameOf(labelled[0]) : NAMESPACE);
}

/** `undefined` where the user may not list namespaces. */
async function labelledNamespaces(kube: Kube): Promise<readonly string[] | undefined> {
  try {
    return (await kube.list(namespaceKind, { labelSelector: SELECTOR })).items.map(nameOf);
  } catch (error) {
    if (error instanceof KubeError && error.code === FORBIDDEN) return undefined;
    throw error;
  }
}
