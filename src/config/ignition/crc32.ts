/** The checksum at the end of gzip data (RFC 1952). */

const POLYNOMIAL = 0xedb88320;

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte;
  for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ POLYNOMIAL : sum >>> 1;
  return sum;
});

/** Of all bytes; `before` is the checksum of those that precede them. */
export function crc32(bytes: Uint8Array, before = 0): number {
  let sum = before ^ 0xffffffff;
  // By index: an iterator takes several times as long.
  for (let index = 0; index < bytes.length; index++) {
    sum = (sum >>> 8) ^ (TABLE[(sum ^ (bytes[index] ?? 0)) & 0xff] ?? 0);
  }
  return (sum ^ 0xffffffff) >>> 0;
}
