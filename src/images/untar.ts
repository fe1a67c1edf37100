/**
 * Reads tar archives: ustar, pax and GNU's long names. Names are checked, so that an entry
 * never leaves the root: an archive with a hostile name is rejected as a whole.
 *
 * Not supported: sparse files, extended attributes, and user names.
 */
import { invalid, type Outcome, ok } from '../base/errors.ts';
import { pathProblem, symlinkProblem, tidyPath } from './tar-paths.ts';

export type TarEntry = {
  /** Relative and normalized: `usr/lib/os-release`; empty for the root itself. */
  readonly path: string;
  /** The permissions, with setuid, setgid and sticky. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** Seconds since 1970. */
  readonly mtime: number;
} & (
  | { readonly kind: 'file'; readonly content: Uint8Array }
  | { readonly kind: 'folder' }
  | { readonly kind: 'symlink'; readonly target: string }
  /** A hard link; its target is normalized. */
  | { readonly kind: 'hardlink'; readonly target: string }
  /** A device or a pipe. */
  | { readonly kind: 'special' }
);

type UntarLimits = {
  readonly entries: number;
  /** Of one extended header. */
  readonly headerBytes: number;
};

const DEFAULT_UNTAR_LIMITS: UntarLimits = { entries: 200_000, headerBytes: 1024 * 1024 };

const BLOCK_BYTES = 512;

/** Contents are views into `bytes`, not copies. */
export function untar(
  bytes: Uint8Array,
  limits: UntarLimits = DEFAULT_UNTAR_LIMITS,
): Outcome<readonly TarEntry[]> {
  const reader = new TarReader(bytes, limits);
  const problem = reader.readAll();
  if (problem === undefined) return ok(reader.entries);
  return invalid([{ path: `entry ${reader.entries.length}`, message: problem }]);
}

/** The attributes of an extended header for the next entry. */
type Overrides = {
  path?: string;
  linkpath?: string;
  size?: number;
  uid?: number;
  gid?: number;
  mtime?: number;
};

type Raw = {
  readonly block: Uint8Array;
  readonly type: string;
  readonly content: Uint8Array;
  readonly overrides: Overrides;
};

class TarReader {
  readonly entries: TarEntry[] = [];
  readonly #bytes: Uint8Array;
  readonly #limits: UntarLimits;
  #at = 0;
  #overrides: Overrides = {};

  constructor(bytes: Uint8Array, limits: UntarLimits) {
    this.#bytes = bytes;
    this.#limits = limits;
  }

  /** Returns the problem of the archive; undefined where there is none. */
  readAll(): string | undefined {
    while (this.#at < this.#bytes.length) {
      const block = this.#bytes.subarray(this.#at, this.#at + BLOCK_BYTES);
      if (block.length < BLOCK_BYTES) return 'the archive ends within a header';
      // Empty blocks mark the end; writers differ in their number.
      if (isEmpty(block)) return undefined;
      const problem = this.#readOne(block);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  #readOne(block: Uint8Array): string | undefined {
    if (!hasValidSum(block)) return 'the header is damaged';
    const type = String.fromCharCode(block[156] ?? 0).replace('\0', '0');
    const isHeader = HEADER_TYPES.has(type);
    const size = (isHeader ? undefined : this.#overrides.size) ?? readNumber(block, 124, 12);
    if (size === undefined) return 'the size is not a number';
    const stored = HAS_CONTENT.has(type) || isHeader ? size : 0;
    const start = this.#at + BLOCK_BYTES;
    if (start + stored > this.#bytes.length) return 'the archive ends within a file';
    const content = this.#bytes.subarray(start, start + stored);
    this.#at = start + Math.ceil(stored / BLOCK_BYTES) * BLOCK_BYTES;
    if (isHeader) return this.#readHeader(type, content);
    const overrides = this.#overrides;
    this.#overrides = {};
    if (this.entries.length >= this.#limits.entries)
      return `there are more than ${this.#limits.entries} entries`;
    const entry = entryOf({ block, type, content, overrides });
    if (typeof entry === 'string') return entry;
    this.entries.push(entry);
    return undefined;
  }

  #readHeader(type: string, content: Uint8Array): string | undefined {
    if (content.length > this.#limits.headerBytes) return 'an extended header is too long';
    // A global header applies to all following entries; it has no attribute that is used here.
    if (type === 'g') return undefined;
    if (type === 'x') return readRecords(content, this.#overrides);
    const text = decode(trimmed(content));
    if (text === undefined) return 'a name is not UTF-8';
    if (type === 'L') this.#overrides.path = text;
    else this.#overrides.linkpath = text;
    return undefined;
  }
}

const HEADER_TYPES = new Set(['x', 'g', 'L', 'K']);
const HAS_CONTENT = new Set(['0', '7']);

function entryOf({ block, type, content, overrides }: Raw): TarEntry | string {
  const name = overrides.path ?? headerName(block);
  const target = overrides.linkpath ?? decode(field(block, 157, 100));
  if (name === undefined || target === undefined) return 'a name is not UTF-8';
  const problem = pathProblem(name);
  if (problem !== undefined) return problem;
  const mode = readNumber(block, 100, 8);
  const uid = overrides.uid ?? readNumber(block, 108, 8);
  const gid = overrides.gid ?? readNumber(block, 116, 8);
  const mtime = overrides.mtime ?? readNumber(block, 136, 12);
  if (mode === undefined || uid === undefined || gid === undefined || mtime === undefined) {
    return `${shown(name)}: its header holds something that is not a number`;
  }
  const common = { path: tidyPath(name), mode: mode & 0o7777, uid, gid, mtime };
  switch (type) {
    case '0':
    case '7':
      // In old archives a trailing slash marks a folder.
      return name.endsWith('/') ? { ...common, kind: 'folder' } : { ...common, kind: 'file', content };
    case '1': {
      const linkProblem = pathProblem(target);
      if (linkProblem !== undefined) return `${shown(name)}: its target: ${linkProblem}`;
      return { ...common, kind: 'hardlink', target: tidyPath(target) };
    }
    case '2': {
      const linkProblem = symlinkProblem(common.path, target);
      return linkProblem === undefined
        ? { ...common, kind: 'symlink', target }
        : `${shown(name)}: ${linkProblem}`;
    }
    case '3':
    case '4':
    case '6':
      return { ...common, kind: 'special' };
    case '5':
      return { ...common, kind: 'folder' };
    default:
      return `${shown(name)}: entries of type ${JSON.stringify(type)} are not supported`;
  }
}

function headerName(block: Uint8Array): string | undefined {
  const name = decode(field(block, 0, 100));
  // GNU's format has other fields in place of the prefix.
  const isUstar = decode(block.subarray(257, 263)) === 'ustar\0';
  const prefix = isUstar ? decode(field(block, 345, 155)) : '';
  if (name === undefined || prefix === undefined) return undefined;
  return prefix === '' ? name : `${prefix}/${name}`;
}

/** Records like `28 path=usr/lib/something\n`; the number is the length of the whole record in bytes. */
function readRecords(content: Uint8Array, overrides: Overrides): string | undefined {
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at);
    const digits = space < 0 ? '' : (decode(content.subarray(at, space)) ?? '');
    const length = /^[1-9][0-9]{0,9}$/.test(digits) ? Number(digits) : 0;
    const end = at + length;
    if (space + 1 >= end || end > content.length || content[end - 1] !== 0x0a) {
      return 'an extended header is damaged';
    }
    const equals = content.indexOf(0x3d, space);
    if (equals < 0 || equals >= end) return 'an extended header is damaged';
    const key = decode(content.subarray(space + 1, equals)) ?? '';
    const value = decode(content.subarray(equals + 1, end - 1));
    const problem = applyRecord(overrides, key, value);
    if (problem !== undefined) return problem;
    at = end;
  }
  return undefined;
}

/** Other attributes may contain any bytes: only the used ones must be UTF-8. */
function applyRecord(overrides: Overrides, key: string, value = ''): string | undefined {
  if (key.startsWith('GNU.sparse.')) return 'sparse files are not supported';
  switch (key) {
    case 'path':
    case 'linkpath':
      if (value === '') return 'a name is empty, or not UTF-8';
      overrides[key] = value;
      return undefined;
    case 'size':
    case 'uid':
    case 'gid': {
      if (!/^[0-9]{1,15}$/.test(value)) return `an extended header holds a ${key} that is not a number`;
      overrides[key] = Number(value);
      return undefined;
    }
    case 'mtime': {
      // It may have fractions, and be negative.
      if (!/^-?[0-9]{1,15}(\.[0-9]*)?$/.test(value)) return 'an extended header holds an mtime that is none';
      overrides.mtime = Math.floor(Number(value));
      return undefined;
    }
    default:
      return undefined;
  }
}

/** Octal digits, or GNU's binary form for larger numbers: marked by the first bit. */
function readNumber(block: Uint8Array, at: number, length: number): number | undefined {
  const bytes = block.subarray(at, at + length);
  const [first = 0] = bytes;
  if ((first & 0x80) !== 0) {
    let value = first & 0x3f;
    for (const byte of bytes.subarray(1)) value = value * 256 + byte;
    return (first & 0x40) === 0 && Number.isSafeInteger(value) ? value : undefined;
  }
  const text = String.fromCharCode(...bytes)
    .replace(/[\0 ]+$/, '')
    .trimStart();
  if (text === '') return 0;
  return /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : undefined;
}

function hasValidSum(block: Uint8Array): boolean {
  const stored = readNumber(block, 148, 8);
  let sum = 0;
  for (let at = 0; at < BLOCK_BYTES; at++) sum += at >= 148 && at < 156 ? 0x20 : (block[at] ?? 0);
  return stored === sum;
}

function isEmpty(block: Uint8Array): boolean {
  return block.every((byte) => byte === 0);
}

function field(block: Uint8Array, at: number, length: number): Uint8Array {
  return trimmed(block.subarray(at, at + length));
}

function trimmed(bytes: Uint8Array): Uint8Array {
  const end = bytes.indexOf(0);
  return end < 0 ? bytes : bytes.subarray(0, end);
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 200));
}
