/**
 * What is to be said of an object whose wishes cannot be met, or not all of them.
 */

import { compareBytes } from '../../base/json.ts';
import { type AnyKind, apiVersionOf, type ObjectMeta } from '../../kubernetes/meta/index.ts';

export type FindingReason =
  /** An entry of a mirror set is wrong by itself. */
  | 'InvalidMirrorSet'
  /** Entries for one source contradict one another. */
  | 'ConflictingMirrorSets'
  /** A policy that has nothing to work on. */
  | 'UnusedMirrorSourcePolicy'
  /** The settings of registries are wrong. */
  | 'InvalidImageConfig'
  /** A signature policy covers what something else decides. */
  | 'ConflictScopes'
  /** All together does not fit into a MachineConfig. */
  | 'RegistriesTooLarge';

export type Finding = {
  readonly about: ObjectReference;
  readonly reason: FindingReason;
  /** In a sentence, with what becomes of it. */
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

/** One key for one object. No name holds a slash. */
export function keyOf({ kind, namespace = '', name }: ObjectReference): string {
  return `${kind}/${namespace}/${name}`;
}

/** In one order, whatever the order of what was looked at; each once. */
export function sortedFindings(findings: readonly Finding[]): readonly Finding[] {
  const textOf = ({ about, reason, message }: Finding) => `${keyOf(about)}\n${reason}\n${message}`;
  const distinct = new Map(findings.map((finding) => [textOf(finding), finding]));
  return [...distinct].sort(([a], [b]) => compareBytes(a, b)).map(([, finding]) => finding);
}
