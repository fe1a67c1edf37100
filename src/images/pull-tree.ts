/**
 * Pulls an image as a file tree.
 */
import { Failure, formatProblem } from '../base/errors.ts';
import type { CallOptions, FetchedImage, RegistryClient } from './client.ts';
import type { FileTree } from './file-tree.ts';
import { type ImageReference, referenceText } from './image-reference.ts';
import type { Platform } from './manifest.ts';
import { readBytes } from './read-bytes.ts';
import { MAX_UNPACKED_BYTES, type PackedLayer, unpackLayers } from './unpack-layer.ts';

export type PulledTree = { readonly image: FetchedImage; readonly tree: FileTree };

/** The limit for images that are held in memory. */
const MAX_PACKED_BYTES = 512 * 1024 * 1024;

export async function pullTree(
  client: RegistryClient,
  reference: ImageReference,
  platform: Platform,
  options: CallOptions = {},
): Promise<PulledTree> {
  const refused = (why: string) =>
    new Failure('stalled', 'BadImage', `unpacking ${referenceText(reference)}: ${why}`);
  const image = await client.fetchImage(reference, platform, options);
  const { manifest, config } = image;
  if (config.diffIds.length !== manifest.layers.length) {
    throw refused(`its config knows ${config.diffIds.length} layers, its manifest ${manifest.layers.length}`);
  }
  const size = manifest.layers.reduce((sum, layer) => sum + layer.size, 0);
  if (size > MAX_PACKED_BYTES) throw refused(`its layers are larger than ${MAX_PACKED_BYTES} bytes`);
  const layers: PackedLayer[] = [];
  for (const [number, layer] of manifest.layers.entries()) {
    const bytes = await readBytes(client.readBlob(reference, layer, options), layer.size);
    layers.push({ bytes: bytes ?? new Uint8Array(), diffId: config.diffIds[number] ?? '' });
  }
  const tree = unpackLayers(layers, MAX_UNPACKED_BYTES);
  if (tree.kind === 'invalid') throw refused(tree.problems.map(formatProblem).join('; '));
  return { image, tree: tree.value };
}
