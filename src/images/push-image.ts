/**
 * Pushes a built image: blobs first, the tagged manifest last, so that the
 * tag always refers to a complete image.
 */
import type { BuiltImage } from './build-image.ts';
import type { CallOptions, RegistryClient } from './client.ts';
import type { ImageReference } from './image-reference.ts';
import type { Descriptor } from './manifest.ts';
import { bytesSource } from './push-blob.ts';

export async function pushImage(
  client: RegistryClient,
  reference: ImageReference,
  { blobs, manifests, top }: BuiltImage,
  options: CallOptions = {},
): Promise<Descriptor> {
  const { host, repository } = reference;
  for (const [digest, bytes] of blobs) {
    await client.pushBlob(reference, bytesSource(digest, bytes), options);
  }
  for (const { descriptor, bytes } of manifests) {
    const { mediaType, digest } = descriptor;
    await client.pushManifest({ host, repository, digest }, { bytes, mediaType }, options);
  }
  return await client.pushManifest(
    reference,
    { bytes: top.bytes, mediaType: top.descriptor.mediaType },
    options,
  );
}
