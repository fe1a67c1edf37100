/**
 * What a build makes of its inputs: the OS image that it is based on, with the files and units of the rendered config and a file that says
 * what was built.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { assert } from '../../base/errors.ts';
import { configArchive, unpackedConfig, untar } from '../../images/index.ts';
import type { ImageTree, PulledImage, TreeEntry } from '../../node/host/index.ts';
import type { BuiltOsImage } from './os-images.ts';

type BuildInputs = {
  readonly base: string;
  readonly baseImage: PulledImage;
  readonly containerfile: string;
  /** As in the ConfigMap of the build. */
  readonly packedConfig: string;
  /** Of the pod: two builds of the same inputs have different digests, as with buildah. */
  readonly run: string;
};

/** The Containerfile as it was, for those who compare. */
const CONTAINERFILE_PATH = '/usr/share/containerfile';

export function builtOsImage({
  base,
  baseImage,
  containerfile,
  packedConfig,
  run,
}: BuildInputs): BuiltOsImage {
  const own: [string, TreeEntry] = [CONTAINERFILE_PATH, file(utf8ToBytes(containerfile))];
  return {
    ...baseImage,
    digest: `sha256:${bytesToHex(sha256(utf8ToBytes(`${run}\n${base}\n${containerfile}`)))}`,
    tree: new Map([...baseImage.tree, ...configTree(packedConfig), own]),
    base,
    containerfile,
  };
}

function configTree(packedConfig: string): ImageTree {
  const entries = untar(configArchive(unpackedConfig(packedConfig)));
  assert(entries.kind === 'ok', 'the archive of a rendered config can be read');
  return new Map(
    entries.value.flatMap((entry): readonly [string, TreeEntry][] => {
      const path = `/${entry.path}`;
      switch (entry.kind) {
        case 'file':
          return [[path, { ...file(entry.content), mode: entry.mode }]];
        case 'folder':
          return [[path, { kind: 'folder', mode: entry.mode }]];
        case 'symlink':
          return [[path, { kind: 'link', target: entry.target }]];
        default:
          return [];
      }
    }),
  );
}

function file(bytes: Uint8Array) {
  return { kind: 'file', bytes, mode: 0o644 } as const;
}
