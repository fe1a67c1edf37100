/**
 * Whether the generated files fit into a MachineConfig. If not, nothing can be written, and the finding names the
 * largest object.
 */
import {
  clusterImagePolicy,
  type Image,
  imageContentSourcePolicy,
  imageDigestMirrorSet,
  image as imageKind,
  imagePolicy,
  imageTagMirrorSet,
} from '../../api/index.ts';
import { byteLength, canonicalJson, compareBytes } from '../../base/json.ts';
import type { ObjectMeta } from '../../kubernetes/meta/index.ts';
import { MAX_RENDERED_BYTES } from '../content/index.ts';
import type { IgnitionConfig } from '../ignition/index.ts';
import { type Finding, keyOf, type ObjectReference, referenceTo } from './finding.ts';
import type { PolicyObjects } from './image-policies.ts';
import type { MirrorObjects } from './mirror-sets.ts';

/** The limit of a rendered MachineConfig, minus what surrounds the config. */
const MAX_CONFIG_BYTES = MAX_RENDERED_BYTES - 64 * 1024;

type Objects = MirrorObjects & PolicyObjects & { readonly image?: Image };

/** Reported on the largest object; undefined where everything fits. */
export function tooLarge(objects: Objects, config: IgnitionConfig): Finding | undefined {
  const sizeBytes = byteLength(JSON.stringify(config));
  const largest = sizeBytes <= MAX_CONFIG_BYTES ? undefined : largestOf(objects);
  if (largest === undefined) return undefined;
  const message = `the registries of all sets together take ${sizeBytes} bytes as a MachineConfig, which can hold ${MAX_CONFIG_BYTES}, and this object has the most of them: name fewer sources, such as a whole registry instead of its repositories; until this is fixed, nodes keep their present registries`;
  return { about: largest, reason: 'RegistriesTooLarge', message };
}

type Sized = { readonly about: ObjectReference; readonly sizeBytes: number };

function largestOf(objects: Objects): ObjectReference | undefined {
  const sized: readonly Sized[] = [
    ...objects.digestMirrorSets.map((one) => sizeOf(imageDigestMirrorSet, one)),
    ...objects.tagMirrorSets.map((one) => sizeOf(imageTagMirrorSet, one)),
    ...objects.contentSourcePolicies.map((one) => sizeOf(imageContentSourcePolicy, one)),
    ...objects.clusterImagePolicies.map((one) => sizeOf(clusterImagePolicy, one)),
    ...objects.imagePolicies.map((one) => sizeOf(imagePolicy, one)),
    ...(objects.image === undefined ? [] : [sizeOf(imageKind, objects.image)]),
  ];
  return sized.toSorted(
    (a, b) => b.sizeBytes - a.sizeBytes || compareBytes(keyOf(a.about), keyOf(b.about)),
  )[0]?.about;
}

function sizeOf(
  kind: Parameters<typeof referenceTo>[0],
  { metadata, spec }: { readonly metadata: ObjectMeta; readonly spec: unknown },
): Sized {
  return { about: referenceTo(kind, metadata), sizeBytes: byteLength(canonicalJson(spec)) };
}
