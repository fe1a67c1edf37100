/** Concatenates; a single piece is returned without a copy. */
export function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const [first] = pieces;
  if (pieces.length === 1 && first !== undefined) return first;
  let length = 0;
  for (const chunk of pieces) length += chunk.length;
  const all = new Uint8Array(length);
  let at = 0;
  for (const chunk of pieces) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}
