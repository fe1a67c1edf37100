/**
 * Reads a whole body, up to a limit.
 */
import { joinBytes } from '../base/bytes.ts';

/** Undefined where it exceeds the limit; the rest is not read. */
export async function readBytes(
  body: AsyncIterable<Uint8Array>,
  limitBytes: number,
): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limitBytes) return undefined;
    chunks.push(chunk);
  }
  return joinBytes(chunks);
}
