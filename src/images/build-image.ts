/**
 * Builds reproducible OCI images: tar, gzip and JSON are always written in the same way.
 */
import { gzipSync } from 'fflate';
import { canonicalJson } from '../base/json.ts';
import { digestOf } from './digest.ts';
import type { Descriptor, IndexEntry, Platform } from './manifest.ts';
import { OCI_CONFIG, OCI_INDEX, OCI_LAYER_GZIP, OCI_MANIFEST } from './media-types.ts';
import { type TarItem, writeTar } from './tar.ts';

/** Everything to push, in this order: blobs, then manifests, then the tagged one. */
export type BuiltImage = {
  /** Configs and layers, by digest. */
  readonly blobs: ReadonlyMap<string, Uint8Array>;
  /** The images of an index; none where `top` is the image itself. */
  readonly manifests: readonly BuiltManifest[];
  readonly top: BuiltManifest;
};

type BuiltManifest = { readonly descriptor: IndexEntry; readonly bytes: Uint8Array };

export type LayerParts = {
  readonly items: readonly TarItem[];
  /** Not compressed, which is faster for large content. */
  readonly isStored?: boolean;
};

type ImageParts = {
  /** Lowest first. */
  readonly layers: readonly LayerParts[];
  readonly platform: Platform;
  readonly labels: { readonly [name: string]: string };
  /** In RFC 3339. */
  readonly created: string;
  /** None for images that no container is started from. */
  readonly runtime?: ImageRuntime;
};

/** How containers of an image start, in the words of its config. */
export type ImageRuntime = {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint?: readonly string[];
  readonly Cmd: readonly string[];
  readonly WorkingDir: string;
};

export function buildImage({ layers, platform, labels, created, runtime }: ImageParts): BuiltImage {
  const blobs = new Map<string, Uint8Array>();
  const keep = (bytes: Uint8Array, mediaType: string): Descriptor => {
    const digest = digestOf(bytes);
    blobs.set(digest, bytes);
    return { mediaType, digest, size: bytes.length };
  };
  const archives = layers.map(({ items }) => writeTar(items));
  const packed = archives.map((archive, number) =>
    keep(compressed(archive, layers[number]?.isStored === true ? 0 : 9), OCI_LAYER_GZIP),
  );
  const config = keep(
    json({
      ...platform,
      created,
      config: { ...runtime, Labels: labels },
      rootfs: { type: 'layers', diff_ids: archives.map((archive) => digestOf(archive)) },
      history: archives.map(() => ({ created, created_by: 'millwright' })),
    }),
    OCI_CONFIG,
  );
  const bytes = json({ schemaVersion: 2, mediaType: OCI_MANIFEST, config, layers: packed });
  const descriptor = { mediaType: OCI_MANIFEST, digest: digestOf(bytes), size: bytes.length, platform };
  return { blobs, manifests: [], top: { descriptor, bytes } };
}

/** An index of images for several platforms. */
export function buildIndex(images: readonly BuiltImage[]): BuiltImage {
  const manifests = images.map(({ top }) => top);
  const bytes = json({
    schemaVersion: 2,
    mediaType: OCI_INDEX,
    manifests: manifests.map(({ descriptor }) => descriptor),
  });
  const descriptor = { mediaType: OCI_INDEX, digest: digestOf(bytes), size: bytes.length };
  const blobs = new Map(images.flatMap((image) => [...image.blobs]));
  return { blobs, manifests, top: { descriptor, bytes } };
}

/** The bytes depend on the level and on the version of `fflate`, which is pinned. No time and no name are written. */
function compressed(archive: Uint8Array, level: 0 | 9): Uint8Array {
  return gzipSync(archive, { level, mtime: 0 });
}

function json(value: object): Uint8Array {
  return new TextEncoder().encode(canonicalJson(value));
}
