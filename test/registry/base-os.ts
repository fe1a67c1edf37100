/** The image of the package, and variations of it. */

import { readImageFolder } from '../../src/embedded/sandbox/image-folder-node.ts';
import { buildOsImage, type ImageVariation } from '../../src/embedded/sandbox/index.ts';
import type { BuiltImage } from '../../src/images/index.ts';

export async function osImage(variation: ImageVariation = {}): Promise<BuiltImage> {
  return buildOsImage(await readImageFolder('images/base-os'), variation);
}
