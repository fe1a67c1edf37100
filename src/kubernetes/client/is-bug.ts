/**
 * Whether an error says that our own code is wrong: then nothing may go on as if nothing had happened.
 */
export function isBug(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('bug: ');
}

/** An error as a field of a log line. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
