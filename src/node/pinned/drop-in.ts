/**
 * The drop-in of CRI-O with the images that it must not remove.
 */
export const DROP_IN_PATH = '/etc/crio/crio.conf.d/50-pinned-images';

/** In upstream's form; undefined for no images: then there is no drop-in. The images are sorted. */
export function pinnedDropIn(images: readonly string[]): string | undefined {
  if (images.length === 0) return undefined;
  const list = images.map((image) => JSON.stringify(image)).join(', ');
  return `[crio]\n  [crio.image]\n    pinned_images = [${list}]\n`;
}
