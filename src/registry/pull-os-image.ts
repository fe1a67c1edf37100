/**
 * OS images for machines that lay down the files themselves: sandboxes.
 *
 * What comes has the shape that such hosts ask for; hosts and registries do not know one another.
 */
import { Failure, formatProblem } from '../errors.ts';
import { own } from '../json.ts';
import type { RegistryClient } from './client.ts';
import type { FileTree } from './file-tree.ts';
import { parseImageReference } from './image-reference.ts';
import type { Platform } from './manifest.ts';
import { pullTree } from './pull-tree.ts';

export type OsEntry =
  | { readonly kind: 'file'; readonly bytes: Uint8Array; readonly mode: number }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'folder'; readonly mode: number };

export type OsImage = {
  /** Of what the reference names, which may be an index. */
  readonly digest: string;
  readonly version: string;
  readonly createdAt?: string;
  readonly labels: Readonly<Record<string, string>>;
  /** By absolute path. */
  readonly tree: ReadonlyMap<string, OsEntry>;
};

export function createOsPuller(
  client: RegistryClient,
  platform: Platform,
): (reference: string) => Promise<OsImage> {
  return async (reference) => {
    const parsed = parseImageReference(reference);
    if (parsed.kind === 'invalid') {
      const why = parsed.problems.map(formatProblem).join('; ');
      throw new Failure('stalled', 'BadReference', `${reference}: ${why}`);
    }
    const { image, tree } = await pullTree(client, parsed.value, platform);
    const { labels, created } = image.config;
    return {
      digest: image.named.digest,
      version: String(own(labels, 'version') ?? own(labels, 'org.opencontainers.image.version') ?? ''),
      ...(created === undefined ? {} : { createdAt: created }),
      labels,
      tree: osTree(tree),
    };
  };
}

/** Devices and pipes are made when a machine boots, not by its image. */
function osTree(tree: FileTree): OsImage['tree'] {
  const entries = new Map<string, OsEntry>();
  for (const [path, entry] of tree) {
    const { mode } = entry;
    if (entry.kind === 'file') entries.set(`/${path}`, { kind: 'file', bytes: entry.content, mode });
    if (entry.kind === 'folder') entries.set(`/${path}`, { kind: 'folder', mode });
    if (entry.kind === 'symlink') entries.set(`/${path}`, { kind: 'link', target: entry.target });
  }
  return entries;
}
