/** Bytes as base64 text, in the common alphabet, padded. */

const CHUNK_BYTES = 8 * 1024;

export function base64Text(bytes: Uint8Array): string {
  let characters = '';
  // A call takes only so many arguments.
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    characters += String.fromCharCode(...bytes.subarray(at, at + CHUNK_BYTES));
  }
  return btoa(characters);
}
