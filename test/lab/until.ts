/** Waits for a condition; the error names it. */

const POLL_MS = 100;

export type Patience = {
  readonly limitMs: number;
  /** Details for the error. */
  readonly explain?: () => Promise<string>;
};

export async function until(
  what: string,
  { limitMs, explain }: Patience,
  holds: () => Promise<boolean>,
): Promise<void> {
  const deadlineMs = Date.now() + limitMs;
  while (!(await holds())) {
    if (Date.now() > deadlineMs) {
      throw new Error(`not within ${limitMs} ms: ${what}\n${(await explain?.()) ?? ''}`);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
