/**
 * The files of a pulled OS image, and their format on the disk.
 */
import { Failure } from '../../base/errors.ts';
import { isObject, own } from '../../base/json.ts';
import { base64Bytes, base64Text } from '../../base/text/index.ts';

export type TreeEntry =
  | { readonly kind: 'file'; readonly bytes: Uint8Array; readonly mode: number }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'folder'; readonly mode: number };

/** By absolute path. Parent folders need not be listed. */
export type ImageTree = ReadonlyMap<string, TreeEntry>;

export type PulledImage = {
  /** `sha256:…`, of the manifest. */
  readonly digest: string;
  readonly version: string;
  /** In RFC 3339, where the image has it. */
  readonly createdAt?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly tree: ImageTree;
};

/**
 * Pulls an image. Failures have the messages of registry clients: `reading manifest TAG in
 * HOST/REPOSITORY: manifest unknown`.
 */
export type PullImage = (reference: string) => Promise<PulledImage>;

/** What an image-based OS takes from an image: /usr, with the defaults for /etc in /usr/etc. */
export function systemTree(tree: ImageTree): ImageTree {
  const system = new Map<string, TreeEntry>();
  for (const path of [...tree.keys()].sort()) {
    const entry = tree.get(path);
    const names = path.split('/').slice(1);
    const isPlain = path.startsWith('/') && names.every((name) => !['', '.', '..'].includes(name));
    if (entry === undefined || !isPlain || path.includes('\0')) continue;
    if (names[0] === 'etc' && names.length > 1) system.set(`/usr${path}`, entry);
    else if (names[0] === 'usr' && names.length > 1) system.set(path, entry);
  }
  return system;
}

export function packTree(tree: ImageTree): Uint8Array {
  const rows = [...tree].map(([path, entry]) =>
    entry.kind === 'file' ? { path, ...entry, bytes: base64Text(entry.bytes) } : { path, ...entry },
  );
  return new TextEncoder().encode(`${JSON.stringify(rows)}\n`);
}

/** Reads what `packTree` wrote; throws on anything else. */
export function unpackTree(bytes: Uint8Array): ImageTree {
  const rows: unknown = JSON.parse(new TextDecoder().decode(bytes));
  if (!Array.isArray(rows)) throw damaged();
  return new Map(rows.map(readRow));
}

function readRow(row: unknown): [string, TreeEntry] {
  if (!isObject(row)) throw damaged();
  const [path, kind, mode] = [own(row, 'path'), own(row, 'kind'), own(row, 'mode')];
  if (typeof path !== 'string') throw damaged();
  if (kind === 'link') {
    const target = own(row, 'target');
    if (typeof target === 'string') return [path, { kind, target }];
  } else if (typeof mode === 'number') {
    if (kind === 'folder') return [path, { kind, mode }];
    const content = own(row, 'bytes');
    const bytes = typeof content === 'string' ? base64Bytes(content) : undefined;
    if (kind === 'file' && bytes !== undefined) return [path, { kind, bytes, mode }];
  }
  throw damaged();
}

function damaged(): Failure {
  return new Failure('stalled', 'ImageDamaged', 'an OS image on the disk of the sandbox cannot be read');
}
