/**
 * Pulls OS images as file trees for sandboxes.
 *
 * Connects the registry client to the port of sandbox hosts.
 */
import { Failure, formatProblem } from '../../base/errors.ts';
import { own } from '../../base/json.ts';
import { formatTimestamp, parseTimestamp } from '../../base/text/index.ts';
import type { FileTree, Platform, PullCandidate, PullSource, RegistryClient } from '../../images/index.ts';
import {
  createMirroredPuller,
  type PulledTree,
  type PullTry,
  parseImageReference,
  pullTree,
} from '../../images/index.ts';

type OsEntry =
  | { readonly kind: 'file'; readonly bytes: Uint8Array; readonly mode: number }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'folder'; readonly mode: number };

type OsImage = {
  /** Of the reference, which may be an index. */
  readonly digest: string;
  readonly version: string;
  readonly createdAt?: string;
  readonly labels: Readonly<Record<string, string>>;
  /** By absolute path. */
  readonly tree: ReadonlyMap<string, OsEntry>;
};

type OsPullerOptions = {
  /** The sources of an image, from the mirrors of a machine. Default: the reference itself. */
  readonly sourcesOf?: (reference: string) => Promise<readonly PullCandidate[]>;
  readonly onTry?: (event: PullTry) => void;
};

/** `clientFor`: the client for a source, which may be insecure or have a CA of its own. */
export function createOsPuller(
  clientFor: (source: PullSource) => Promise<RegistryClient>,
  platform: Platform,
  { sourcesOf = namedSource, onTry }: OsPullerOptions = {},
): (reference: string) => Promise<OsImage> {
  const pull = createMirroredPuller({
    sourcesOf,
    pull: async (source) => pullTree(await clientFor(source), source.reference, platform),
    ...(onTry === undefined ? {} : { onTry }),
  });
  return async (reference) => osImage((await pull(reference)).value);
}

async function namedSource(name: string): Promise<readonly PullCandidate[]> {
  const parsed = parseImageReference(name);
  if (parsed.kind === 'ok') {
    const source = { reference: parsed.value, isInsecure: false };
    return [{ image: parsed.value, sources: [source] }];
  }
  const why = parsed.problems.map(formatProblem).join('; ');
  throw new Failure('stalled', 'BadReference', `${name}: ${why}`);
}

function osImage({ image, tree }: PulledTree): OsImage {
  const { labels } = image.config;
  // Commits of OSTree have whole seconds.
  const created = parseTimestamp(image.config.created);
  return {
    digest: image.named.digest,
    version: String(own(labels, 'version') ?? own(labels, 'org.opencontainers.image.version') ?? ''),
    ...(created === undefined ? {} : { createdAt: formatTimestamp(created) }),
    labels,
    tree: osTree(tree),
  };
}

/** Devices and pipes are created at boot, not by the image. */
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
