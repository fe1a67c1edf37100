/** The image of the package, and variations of it. */

import { readImageFolder } from '../../src/registry/image-folder-node.ts';
import { type BuiltImage, buildOsImage, type ImageVariation } from '../../src/registry/index.ts';

export async function osImage(variation: ImageVariation = {}): Promise<BuiltImage> {
  return buildOsImage(await readImageFolder('images/base-os'), variation);
}
