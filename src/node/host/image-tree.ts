/**
 * The files of a pulled OS image, and their format on the disk.
 */
import { joinBytes } from '../../base/bytes.ts';
import { Failure } from '../../base/errors.ts';
import { isObject, own, parseJson } from '../../base/json.ts';
import { base64Bytes } from '../../base/text/index.ts';

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

/** One line of JSON, then the contents of all files, one after the other: images have large programs in them. */
export function packTree(tree: ImageTree): Uint8Array {
  const contents: Uint8Array[] = [];
  const rows = [...tree].map(([path, entry]) => {
    if (entry.kind !== 'file') return { path, ...entry };
    const { kind, mode, bytes } = entry;
    contents.push(bytes);
    return { path, kind, mode, size: bytes.length };
  });
  return joinBytes([new TextEncoder().encode(`${JSON.stringify(rows)}\n`), ...contents]);
}

/** Reads what `packTree` wrote, and what it wrote in the past; throws on anything else. */
export function unpackTree(bytes: Uint8Array): ImageTree {
  const end = bytes.indexOf(LINE_FEED);
  const rows: unknown = parseJson(new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end)));
  if (!Array.isArray(rows)) throw damaged();
  const contents = end < 0 ? new Uint8Array() : bytes.subarray(end + 1);
  let at = 0;
  const take = (size: number): Uint8Array | undefined => {
    if (!Number.isInteger(size) || size < 0 || at + size > contents.length) return undefined;
    at += size;
    return contents.subarray(at - size, at);
  };
  return new Map(rows.map((row) => readRow(row, take)));
}

const LINE_FEED = 0x0a;

function readRow(row: unknown, take: (size: number) => Uint8Array | undefined): [string, TreeEntry] {
  if (!isObject(row)) throw damaged();
  const [path, kind, mode] = [own(row, 'path'), own(row, 'kind'), own(row, 'mode')];
  if (typeof path !== 'string') throw damaged();
  if (kind === 'link') {
    const target = own(row, 'target');
    if (typeof target === 'string') return [path, { kind, target }];
  } else if (typeof mode === 'number') {
    if (kind === 'folder') return [path, { kind, mode }];
    const [text, size] = [own(row, 'bytes'), own(row, 'size')];
    // Contents were base64 once.
    const bytes = typeof text === 'string' ? base64Bytes(text) : take(typeof size === 'number' ? size : -1);
    if (kind === 'file' && bytes !== undefined) return [path, { kind, bytes, mode }];
  }
  throw damaged();
}

function damaged(): Failure {
  return new Failure('stalled', 'ImageDamaged', 'an OS image on the disk of the sandbox cannot be read');
}
