/** Finds the start of the last lines of a log by reading backwards. */

type ReadBytes = (from: number, to: number) => Promise<Uint8Array>;

export type LogExtent = { readonly start: number; readonly end: number };

const BLOCK_BYTES = 64 * 1024;
const LINE_END = 0x0a;

/** An incomplete last line does not count, like in the kubelet. */
export async function tailStart(read: ReadBytes, extent: LogExtent, lines: number): Promise<number> {
  let left = lines;
  for (let to = extent.end; to > extent.start; ) {
    const from = Math.max(extent.start, to - BLOCK_BYTES);
    const block = await read(from, to);
    for (let at = block.lastIndexOf(LINE_END); at >= 0; at = lastBefore(block, at)) {
      // The line end before the first selected line.
      if (left === 0) return from + at + 1;
      left -= 1;
    }
    to = from;
  }
  return extent.start;
}

/** A negative index would search from the end. */
function lastBefore(block: Uint8Array, at: number): number {
  return at === 0 ? -1 : block.lastIndexOf(LINE_END, at - 1);
}
