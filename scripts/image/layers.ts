/**
 * The image of Millwright as layers: what the machine provides below, Millwright itself above, so that a new release is a
 * small download. The same files give the same bytes.
 */
import {
  type BuiltImage,
  buildImage,
  type ImageRuntime,
  type TarItem,
  withParents,
} from '../../src/images/index.ts';

export type ImageFile =
  | ({ readonly kind: 'file'; readonly content: Uint8Array; readonly mode: number } & Pick<
      TarItem,
      'attributes'
    >)
  | ({ readonly kind: 'folder'; readonly mode: number } & Pick<TarItem, 'owner'>)
  | { readonly kind: 'symlink'; readonly target: string };

export type ImageFiles = ReadonlyMap<string, ImageFile>;

export type ImageDescription = {
  /** Lowest first. */
  readonly layers: readonly ImageFiles[];
  /** As in image indexes: amd64, arm64, … */
  readonly architecture: string;
  readonly labels: { readonly [name: string]: string };
  readonly runtime: ImageRuntime;
  /** Seconds since 1970, of the image and of its files. */
  readonly time: number;
};

export function assembleImage(description: ImageDescription): BuiltImage {
  const { layers, architecture, labels, runtime, time } = description;
  return buildImage({
    layers: layers.map((files) => ({ items: layerItems(files, time) })),
    platform: { os: 'linux', architecture },
    labels,
    created: new Date(time * 1000).toISOString().replace('.000Z', 'Z'),
    runtime,
  });
}

export function layerItems(files: ImageFiles, mtime: number): readonly TarItem[] {
  const items = [...files].map(([path, file]): [string, TarItem] => [
    path,
    file.kind === 'symlink' ? { ...file, path, mtime, mode: 0o777 } : { ...file, path, mtime },
  ]);
  return withParents(new Map(items), mtime);
}
