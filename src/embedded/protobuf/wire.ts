/**
 * The wire format of protobuf: varints, and fields that begin with their number and wire type.
 *
 * Error messages are those of the library that kube-apiserver uses.
 */

/** Bytes that are no valid message. Never leaves this module. */
export class WireError extends Error {}

/** The wire types, which determine how the end of a value is found. */
export const VARINT = 0;
export const FIXED64 = 1;
export const BYTES = 2;
const START_GROUP = 3;
const END_GROUP = 4;
const FIXED32 = 5;

const EOF = 'unexpected EOF';
const MAX_VARINT_BYTES = 10;
/** The number of bytes of a varint that always fit a number. */
const PLAIN_VARINT_BYTES = 7;

type Tag = { readonly number: number; readonly wireType: number };

export class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** The tag of the next field. `owner`: the name of the message in errors. */
  tag(owner: string): Tag {
    const tag = this.#varint();
    const wireType = typeof tag === 'number' ? tag % 8 : Number(tag % 8n);
    const number = typeof tag === 'number' ? Math.floor(tag / 8) | 0 : Number(BigInt.asIntN(32, tag >> 3n));
    if (wireType === END_GROUP) throw new WireError(`proto: ${owner}: wiretype end group for non-group`);
    if (number <= 0) throw new WireError(`proto: ${owner}: illegal tag ${number} (wire type ${tag})`);
    return { number, wireType };
  }

  /**
   * Signed; only the lowest bits count where more were sent. What a double cannot hold is rounded, as in JSON.
   */
  integer(bits: 32 | 64 = 64): number {
    const value = this.#varint();
    if (typeof value !== 'number') return Number(BigInt.asIntN(bits, value));
    return bits === 32 ? value | 0 : value;
  }

  double(): number {
    const { buffer, byteOffset } = this.#take(8);
    return new DataView(buffer, byteOffset).getFloat64(0, true);
  }

  /** A value preceded by its length. */
  bytes(): Uint8Array {
    const length = this.integer();
    if (length < 0) throw new WireError('proto: negative length found during unmarshaling');
    return this.#take(length);
  }

  /** Skips the value of an unknown field. */
  skip(wireType: number): void {
    let open = 0;
    let type = wireType;
    for (;;) {
      open += this.#skipOne(type, open);
      if (open === 0) return;
      if (this.isAtEnd) throw new WireError(EOF);
      const tag = this.#varint();
      type = typeof tag === 'number' ? tag % 8 : Number(tag % 8n);
    }
  }

  /** How many more groups are open afterwards. */
  #skipOne(type: number, open: number): number {
    switch (type) {
      case VARINT:
        this.#varint();
        return 0;
      case FIXED64:
        this.#take(8);
        return 0;
      case BYTES:
        this.bytes();
        return 0;
      case START_GROUP:
        return 1;
      case END_GROUP:
        if (open === 0) throw new WireError('proto: unexpected end of group');
        return -1;
      case FIXED32:
        this.#take(4);
        return 0;
      default:
        throw new WireError(`proto: illegal wireType ${type}`);
    }
  }

  #take(length: number): Uint8Array {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new WireError(EOF);
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  /** Seven bits per byte, the lowest first; the highest bit of a byte is set if more follow. */
  #varint(): number | bigint {
    let plain = 0;
    let large = 0n;
    for (let count = 0; count < MAX_VARINT_BYTES; count++) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) throw new WireError(EOF);
      this.#at++;
      if (count < PLAIN_VARINT_BYTES) plain += (byte & 0x7f) * 2 ** (7 * count);
      else large += BigInt(byte & 0x7f) << BigInt(7 * count);
      if (byte >= 0x80) continue;
      return count < PLAIN_VARINT_BYTES ? plain : BigInt.asUintN(64, BigInt(plain) + large);
    }
    throw new WireError('proto: integer overflow');
  }
}

/** A growing buffer of bytes. */
export class Writer {
  #bytes = new Uint8Array(256);
  #length = 0;

  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  tag(number: number, wireType: number): void {
    this.integer(number * 8 + wireType);
  }

  integer(value: number): void {
    const whole = Number.isFinite(value) ? Math.trunc(value) : 0;
    if (whole < 0 || whole > Number.MAX_SAFE_INTEGER) {
      this.#large(BigInt.asUintN(64, BigInt(whole)));
      return;
    }
    let rest = whole;
    for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) this.#byte((rest % 0x80) + 0x80);
    this.#byte(rest);
  }

  #large(value: bigint): void {
    let rest = value;
    for (; rest > 0x7fn; rest >>= 7n) this.#byte(Number(rest & 0x7fn) + 0x80);
    this.#byte(Number(rest));
  }

  double(value: number): void {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setFloat64(0, value, true);
    this.append(bytes);
  }

  /** Preceded by their length. */
  bytes(bytes: Uint8Array): void {
    this.integer(bytes.length);
    this.append(bytes);
  }

  append(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #byte(byte: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = byte;
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}
