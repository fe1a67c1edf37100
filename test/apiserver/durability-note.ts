/**
 * What the process that is killed and the one that looks after it have in common.
 */

/** More than one life can fill, so that each can be followed from where the one before ended. */
export const LOG_LIMITS = { events: 30_000, bytes: 1024 ** 3 };
export const MAX_EVENTS_PER_LIFE = 20_000;

/** The first value of a transaction: who it is, and which writes follow. */
export type Note = {
  readonly id: string;
  readonly writes: readonly { readonly kind: 'put' | 'delete'; readonly key: string }[];
};

export function encodeNote(note: Note): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(note));
}

export function decodeNote(bytes: Uint8Array): Note {
  return JSON.parse(new TextDecoder().decode(bytes)) as Note;
}
