/**
 * Writes reproducible tar archives: in the given order, owned by root unless said otherwise, times
 * as given. Names that do not fit in the old header get an extended one (pax).
 */
import { joinBytes } from '../base/bytes.ts';
import { byteLength } from '../base/json.ts';

export type TarItem = {
  /** Relative, without `./` and without a slash at its end: `usr/lib/os-release`. */
  readonly path: string;
  readonly mode: number;
  /** Seconds since 1970. */
  readonly mtime: number;
  /** The number of its user and of its group; root's by default. */
  readonly owner?: number;
  /** Extended attributes, such as `security.capability`. */
  readonly attributes?: { readonly [name: string]: Uint8Array };
} & (
  | { readonly kind: 'file'; readonly content: Uint8Array }
  | { readonly kind: 'folder' }
  | { readonly kind: 'symlink' | 'hardlink'; readonly target: string }
);

const BLOCK_BYTES = 512;
const NAME_BYTES = 100;
/** The largest number of eleven octal digits. */
const MAX_OCTAL = 8 ** 11 - 1;

export function writeTar(items: readonly TarItem[]): Uint8Array {
  const blocks: Uint8Array[] = [];
  for (const item of items) {
    const content = item.kind === 'file' ? item.content : new Uint8Array();
    const path = item.kind === 'folder' ? `${item.path}/` : item.path;
    const target = 'target' in item ? item.target : '';
    const { mode, mtime, owner = 0, attributes = {} } = item;
    const records = extendedRecords({ path, target, size: content.length, attributes });
    if (records.length > 0) blocks.push(...extended(records, mtime));
    blocks.push(header({ path, target, size: content.length, type: TYPES[item.kind], mode, mtime, owner }));
    blocks.push(...padded(content));
  }
  blocks.push(new Uint8Array(2 * BLOCK_BYTES));
  return joinBytes(blocks);
}

const TYPES = { file: '0', hardlink: '1', symlink: '2', folder: '5' } as const;
const utf8 = new TextEncoder();

type Header = {
  readonly path: string;
  readonly target: string;
  readonly size: number;
  readonly type: string;
  readonly mode: number;
  readonly mtime: number;
  readonly owner: number;
};

function header({ path, target, size, type, mode, mtime, owner }: Header): Uint8Array {
  const block = new Uint8Array(BLOCK_BYTES);
  const put = (at: number, text: string, limit: number) => {
    block.set(utf8.encode(text).subarray(0, limit), at);
  };
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0').slice(-digits);
  put(0, path, NAME_BYTES);
  put(100, `${octal(mode, 7)}\0`, 8);
  put(108, `${octal(owner, 7)}\0`, 8);
  put(116, `${octal(owner, 7)}\0`, 8);
  put(124, `${octal(Math.min(size, MAX_OCTAL), 11)}\0`, 12);
  put(136, `${octal(Math.min(Math.max(mtime, 0), MAX_OCTAL), 11)}\0`, 12);
  put(148, ' '.repeat(8), 8);
  put(156, type, 1);
  put(157, target, NAME_BYTES);
  put(257, 'ustar\x0000', 8);
  // Names count more than numbers where they are known.
  if (owner === 0) {
    put(265, 'root', 32);
    put(297, 'root', 32);
  }
  const sum = block.reduce((total, byte) => total + byte, 0);
  put(148, `${octal(sum, 6)}\0 `, 8);
  return block;
}

type Extended = Pick<Header, 'path' | 'target' | 'size'> & Required<Pick<TarItem, 'attributes'>>;

function extendedRecords({ path, target, size, attributes }: Extended): readonly Uint8Array[] {
  const text = (key: string, value: string) => record(key, utf8.encode(value));
  return [
    ...(fits(path) ? [] : [text('path', path)]),
    ...(fits(target) ? [] : [text('linkpath', target)]),
    ...(size <= MAX_OCTAL ? [] : [text('size', String(size))]),
    ...Object.entries(attributes).map(([name, value]) => record(`SCHILY.xattr.${name}`, value)),
  ];
}

/** Readers differ in how they decode non-ASCII names in the old header. */
function fits(text: string): boolean {
  return text.length <= NAME_BYTES && byteLength(text) === text.length;
}

/** `28 path=usr/lib/something\n`: the number includes itself. */
function record(key: string, value: Uint8Array): Uint8Array {
  const before = ` ${key}=`;
  const length = byteLength(before) + value.length + 1;
  const guess = length + String(length).length;
  return joinBytes([utf8.encode(`${length + String(guess).length}${before}`), value, utf8.encode('\n')]);
}

function extended(records: readonly Uint8Array[], mtime: number): readonly Uint8Array[] {
  const content = joinBytes(records);
  const path = 'PaxHeaders/entry';
  return [
    header({ path, target: '', size: content.length, type: 'x', mode: 0o644, mtime, owner: 0 }),
    ...padded(content),
  ];
}

function padded(content: Uint8Array): readonly Uint8Array[] {
  const rest = content.length % BLOCK_BYTES;
  return rest === 0 ? [content] : [content, new Uint8Array(BLOCK_BYTES - rest)];
}
