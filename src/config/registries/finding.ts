/**
 * A problem with an object that has no effect, or only part of it.
 */

import { compareBytes } from '../../base/json.ts';
import { type AnyKind, apiVersionOf, type ObjectMeta } from '../../kubernetes/meta/index.ts';

export type FindingReason =
  /** An entry of a mirror set is invalid. */
  | 'InvalidMirrorSet'
  /** Entries for one source contradict each other. */
  | 'ConflictingMirrorSets'
  /** A mirror source policy for which there are no mirrors. */
  | 'UnusedMirrorSourcePolicy'
  /** The registry settings of the Image are invalid. */
  | 'InvalidImageConfig'
  /** A key or value of a ConfigMap with the CAs of registries is invalid. */
  | 'InvalidTrustedCA'
  /** The ConfigMap with CAs that the Proxy names does not exist. */
  | 'InvalidProxyConfig'
  /** The address of the cluster DNS was not found. */
  | 'ClusterDNSUnknown'
  /** A Secret with the credentials of nodes for registries is invalid. */
  | 'InvalidPullSecret'
  /** A signature policy covers a scope that another setting decides. */
  | 'ConflictScopes'
  /** The generated files do not fit into a MachineConfig. */
  | 'RegistriesTooLarge'
  /** Nodes run containerd, which cannot do that. */
  | 'NoEffectOnContainerd';

export type Finding = {
  readonly about: ObjectReference;
  readonly reason: FindingReason;
  /** A sentence that includes the consequence. */
  readonly message: string;
};

export type ObjectReference = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
};

export function referenceTo(
  kind: Pick<AnyKind, 'group' | 'version' | 'kind'>,
  { name, namespace, uid }: ObjectMeta,
): ObjectReference {
  return {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(uid === undefined ? {} : { uid }),
  };
}

/** Unique per object: names do not contain slashes. */
export function keyOf({ kind, namespace = '', name }: ObjectReference): string {
  return `${kind}/${namespace}/${name}`;
}

/** In a stable order, without duplicates. */
export function sortedFindings(findings: readonly Finding[]): readonly Finding[] {
  const textOf = ({ about, reason, message }: Finding) => `${keyOf(about)}\n${reason}\n${message}`;
  const distinct = new Map(findings.map((finding) => [textOf(finding), finding]));
  return [...distinct].sort(([a], [b]) => compareBytes(a, b)).map(([, finding]) => finding);
}
