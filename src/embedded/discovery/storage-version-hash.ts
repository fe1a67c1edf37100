/**
 * A hash of the version in which objects of a resource are stored. Storage migration compares it.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import type { ServedResource } from './served-resource.ts';

const HASHED_BYTES = 8;

/** Absent where objects are not stored. */
export function storageVersionHash(resource: ServedResource): string | undefined {
  if (resource.listKind === undefined) return undefined;
  const { group, version, kind } = resource;
  const named = `${group}/${version}/${kind}`;
  const hash = sha256(utf8ToBytes(KEPT_OTHERWISE.get(named) ?? named));
  return btoa(String.fromCharCode(...hash.subarray(0, HASHED_BYTES)));
}

/** Resources that kube-apiserver stores in another version than the one it serves. */
const KEPT_OTHERWISE = new Map([
  ['events.k8s.io/v1/Event', '/v1/Event'],
  [
    'apiextensions.k8s.io/v1/CustomResourceDefinition',
    'apiextensions.k8s.io/v1beta1/CustomResourceDefinition',
  ],
]);
